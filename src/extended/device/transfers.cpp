#include "extended/device/transfers.hpp"

#include <algorithm>
#include <cstring>

#include "base/fatal.hpp"
#include "extended/messages.hpp"

namespace aqueduct::extended::device_memory {
namespace {

using am::Message;
using core::Internal;

void count_copy(std::size_t bytes) {
  observe::ThreadCounters& counters = core::this_thread("device").record->counters;
  counters.device_copies.add();
  counters.device_bytes.add(bytes);
}

// Of the staging room, slots have two thirds.
std::size_t bytes_of_slots(const HostRange& room) {
  return room.bytes / 3 * 2 / Slots::kBytes * Slots::kBytes;
}

}  // namespace

Transfers& transfers(Rank& rank) {
  RankOps& state = ops(rank);
  if (core::RankExtension* const made = state.device.load(std::memory_order_acquire))
    return static_cast<Transfers&>(*made);
  const std::lock_guard guard(state.device_lock);
  if (!state.own_device) {
    state.own_device = std::make_unique<Transfers>(rank);
    state.device.store(state.own_device.get(), std::memory_order_release);
  }
  return static_cast<Transfers&>(*state.own_device);
}

// On the list for good: callbacks and handlers, which run while a task does, could not add it.
Transfers::Transfers(Rank& rank) : rank_(rank) { ops(rank).deferred_tasks.add(*this); }
Transfers::~Transfers() { ops(rank_).deferred_tasks.remove(*this); }

std::size_t Transfers::piece_bytes(const Rank& rank) {
  constexpr std::size_t kMost = std::size_t{64} << 10;
  return std::min(rank.limits().max_medium, kMost);
}

// Of whole pieces, so that a transfer has as many of them however it goes.
std::size_t Transfers::chunk_bytes(const Rank& rank) {
  static_assert(Slots::kBytes == ChunkMemory::kBytes);
  const std::size_t piece = piece_bytes(rank);
  return std::max(std::min(rank.limits().max_long, Slots::kBytes) / piece * piece, piece);
}

void Transfers::copy(Card& card, void* to, const void* from, std::size_t bytes, Direction direction,
                     const HostRange& host, WhenDone when_done) {
  began();
  count_copy(bytes);
  card.copy(to, from, bytes, direction, host, when_done);
}

void Transfers::start(Flow flow) {
  const std::lock_guard guard(lock_);
  flow.number = ++last_number_;
  added_.push_back(std::make_unique<Flow>(std::move(flow)));
  began();
}

void Transfers::ask(RankId peer, std::uint64_t flow, std::uint32_t chunks) {
  grants_.ask(peer, flow, chunks);
  began();
}

void Transfers::granted(RankId peer, std::uint64_t flow, std::uint64_t slot) {
  const std::lock_guard guard(lock_);
  granted_.push_back({peer, flow, slot});
}

Slot* Transfers::slot_at(RankId source, const void* address) {
  Slot* const slot = slots_.came(source, address);
  if (!slot && !is_lost(source))
    fatal("device", "rank %u has sent to %p, which is no slot of its own here", source, address);
  return slot;
}

// What has come.

Transfers::Landed* Transfers::take_landing() {
  const std::lock_guard guard(lock_);
  if (free_landings_.empty()) {
    landings_.push_back(std::make_unique<Landed>());
    return landings_.back().get();
  }
  Landed* const landed = free_landings_.back();
  free_landings_.pop_back();
  return landed;
}

void Transfers::land(const Landing& landing, const void* payload) {
  Card& card = *landing.card;
  std::byte* chunk = nullptr;
  if (landing.bytes <= card.in.chunk_bytes()) {
    const device::Entered entered(card.driver(), card.context());
    card.check(entered.outcome);
    chunk = card.in.take(card.driver());
  }
  if (!chunk) {
    count_copy(landing.bytes);
    card.copy_and_wait(landing.to, payload, landing.bytes);
    return in_place(landing);
  }
  std::memcpy(chunk, payload, landing.bytes);
  Landed* const landed = take_landing();
  *landed = {landing, this, chunk, nullptr};
  copy(card, landing.to, chunk, landing.bytes, Direction::kToDevice, {}, {&has_landed, landed, 0});
}

void Transfers::land(const Landing& landing, Slot& slot) {
  Landed* const landed = take_landing();
  *landed = {landing, this, nullptr, &slot};
  copy(*landing.card, landing.to, slot.memory, landing.bytes, Direction::kToDevice, rank_.objects().staging,
       {&has_landed, landed, 0});
}

void Transfers::has_landed(void* subject, std::uint64_t) {
  auto& landed = *static_cast<Landed*>(subject);
  Transfers& self = *landed.home;
  if (landed.chunk) landed.card->in.give_back(landed.chunk);
  if (landed.slot) self.slots_.give_back(*landed.slot);
  self.in_place(landed);
  const std::lock_guard guard(self.lock_);
  self.free_landings_.push_back(&landed);
}

void Transfers::in_place(const Landing& landing) {
  if (!landing.own) return acknowledge(landing);
  landing.own->fetch_sub(landing.pieces, std::memory_order_release);
}

void Transfers::acknowledge(const Landing& landing) {
  const std::lock_guard guard(lock_);
  for (Acknowledgement& each : acknowledgements_) {
    if (each.peer != landing.source || each.pending != landing.senders) continue;
    each.pieces += landing.pieces;
    return;
  }
  acknowledgements_.push_back({landing.source, landing.senders, landing.pieces});
  began();
}

bool Transfers::send_acknowledgements(Thread& thread) {
  {
    const std::lock_guard guard(lock_);
    leaving_.swap(acknowledgements_);
  }
  std::size_t sent = 0;
  for (; sent < leaving_.size(); ++sent) {
    const Acknowledgement& each = leaving_[sent];
    const Halves counter = split(each.pending);
    const std::int32_t args[] = {counter.low, counter.high, static_cast<std::int32_t>(each.pieces)};
    Message message;
    message.handler = static_cast<std::uint8_t>(Internal::kDevicePutDone);
    message.nargs = 3;
    message.args = args;
    if (core::send_request("device", thread, each.peer, message, GEX_FLAG_IMMEDIATE) != GASNET_OK) break;
    ended();
  }
  if (sent != leaving_.size()) {
    const std::lock_guard guard(lock_);
    acknowledgements_.insert(acknowledgements_.end(), leaving_.begin() + static_cast<std::ptrdiff_t>(sent),
                             leaving_.end());
  }
  leaving_.clear();
  return sent != 0;
}

// What is under way.

// Where the staging room is not there yet, nothing is known of slots.
void Transfers::take_in() {
  const core::Objects& objects = rank_.objects();
  if (!slots_.is_open() && objects.attached) {
    const std::size_t bytes = bytes_of_slots(objects.staging);
    slots_.open({objects.staging.base, bytes});
    if (!out_.is_open()) out_.open({objects.staging.base + bytes, objects.staging.bytes - bytes});
  }
  if (const core::Failures* const failures = rank_.failures()) {
    for (; known_deaths_ < failures->count(); ++known_deaths_) slots_.retire((*failures)[known_deaths_]);
  }
  const std::lock_guard guard(lock_);
  for (auto& flow : added_) flows_.push_back(std::move(flow));
  added_.clear();
  if (!out_.is_open() && !flows_.empty()) out_.open({});
  for (const Granted& each : granted_) {
    const auto flow = std::find_if(flows_.begin(), flows_.end(), [&](const auto& one) {
      return one->number == each.flow && one->peer.rank == each.peer;
    });
    if (flow == flows_.end()) continue;  // it was given up
    if (each.slot == 0) {
      (*flow)->by_messages = true;
    } else {
      (*flow)->granted.push_back(each.slot);
    }
  }
  granted_.clear();
}

bool Transfers::collect() {
  core::DeviceMemory* const devices = rank_.objects().devices();
  if (!devices) return false;
  devices->for_each_card([&](Card& card) { card.collect(done_); });
  const bool moved = !done_.empty();
  for (const WhenDone& done : done_) {
    if (done.call) done.call(done.subject, done.detail);
    ended();
  }
  done_.clear();
  return moved;
}

// What the peer's answers complete is counted down by them; the others are complete here.
void Transfers::finish(Flow& flow) {
  if (flow.kind == Flow::Kind::kPutHost || flow.kind == Flow::Kind::kGetHost)
    count_down(*reinterpret_cast<Pending*>(flow.pending));
  ended();
}

void Transfers::finish_flows() {
  std::erase_if(flows_, [this](const std::unique_ptr<Flow>& flow) {
    if (flow->finished != flow->bytes) return false;
    finish(*flow);
    return true;
  });
}

bool Transfers::send_grants(Thread& thread) {
  if (grants_.is_empty() || !slots_.is_open()) return false;
  const Grants::Sent sent = grants_.send(thread, slots_, rank_.objects().staging.base);
  for (unsigned i = 0; i < sent.finished; ++i) ended();
  return sent.moved;
}

Advance Transfers::advance(Thread& thread) {
  if (is_idle()) return Advance::kWaiting;
  take_in();
  bool moved = collect();
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    Flow& flow = *flows_[(first_ + i) % flows_.size()];
    moved |= begin(thread, flow);
  }
  ++first_;
  moved |= move_chunks(thread);
  finish_flows();
  moved |= send_grants(thread);
  moved |= send_acknowledgements(thread);
  return moved ? Advance::kMoved : Advance::kWaiting;
}

}  // namespace aqueduct::extended::device_memory
