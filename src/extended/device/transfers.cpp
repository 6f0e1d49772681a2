#include "extended/device/transfers.hpp"

#include <algorithm>
#include <cstring>

#include "extended/messages.hpp"

namespace aqueduct::extended::device_memory {
namespace {

using am::Category;
using am::Message;
using core::Internal;

// Of a message that may be refused.
bool try_to_send(const char* where, Thread& thread, RankId target, Message& message, Internal handler) {
  message.handler = static_cast<std::uint8_t>(handler);
  return core::send_request(where, thread, target, message, GEX_FLAG_IMMEDIATE) == GASNET_OK;
}

void count_copy(std::size_t bytes) {
  observe::ThreadCounters& counters = core::this_thread("device").record->counters;
  counters.device_copies.add();
  counters.device_bytes.add(bytes);
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

void Transfers::copy(Card& card, void* to, const void* from, std::size_t bytes, Direction direction,
                     const HostRange& host, WhenDone when_done) {
  began();
  count_copy(bytes);
  card.copy(to, from, bytes, direction, host, when_done);
}

void Transfers::start(const Flow& flow) {
  const std::lock_guard guard(lock_);
  std::unique_ptr<Flow> record;
  if (free_flows_.empty()) {
    record = std::make_unique<Flow>();
  } else {
    record = std::move(free_flows_.back());
    free_flows_.pop_back();
  }
  *record = flow;
  added_.push_back(std::move(record));
  began();
}

Transfers::Landing* Transfers::take_landing() {
  const std::lock_guard guard(lock_);
  if (free_landings_.empty()) {
    landings_.push_back(std::make_unique<Landing>());
    return landings_.back().get();
  }
  Landing* const landing = free_landings_.back();
  free_landings_.pop_back();
  return landing;
}

void Transfers::land(Thread& thread, RankId source, Card& card, void* to, const void* payload,
                     std::size_t bytes, Pending* own, std::uint64_t senders) {
  (void)thread;
  std::byte* chunk = nullptr;
  {
    const device::Entered entered(card.driver(), card.context());
    card.check(entered.outcome);
    chunk = card.in.take(card.driver());
  }
  if (!chunk || bytes > card.in.chunk_bytes()) {
    if (chunk) card.in.give_back(chunk);
    count_copy(bytes);
    card.copy_and_wait(to, payload, bytes);
    if (own) {
      count_down(*own);
    } else {
      acknowledge(source, senders);
    }
    return;
  }
  std::memcpy(chunk, payload, bytes);
  Landing* const landing = take_landing();
  *landing = {this, &card, chunk, source, own, senders};
  copy(card, to, chunk, bytes, Direction::kToDevice, {}, {&has_landed, landing, 0});
}

void Transfers::has_landed(void* subject, std::uint64_t) {
  auto& landing = *static_cast<Landing*>(subject);
  Transfers& self = *landing.home;
  landing.card->in.give_back(landing.chunk);
  if (landing.own) {
    count_down(*landing.own);
  } else {
    self.acknowledge(landing.source, landing.senders);
  }
  const std::lock_guard guard(self.lock_);
  self.free_landings_.push_back(&landing);
}

void Transfers::acknowledge(RankId peer, std::uint64_t pending) {
  const std::lock_guard guard(lock_);
  for (Acknowledgement& each : acknowledgements_) {
    if (each.peer != peer || each.pending != pending) continue;
    ++each.pieces;
    return;
  }
  acknowledgements_.push_back({peer, pending, 1});
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
    const std::int32_t args[] = {counter.low, counter.high, each.pieces};
    Message message;
    message.nargs = 3;
    message.args = args;
    if (!try_to_send("device", thread, each.peer, message, Internal::kDevicePutDone)) break;
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

void Transfers::is_copied(void* subject, std::uint64_t) {
  auto& chunk = *static_cast<Chunk*>(subject);
  Flow& flow = *chunk.flow;
  if (flow.kind == Flow::Kind::kGetHost) {
    chunk.state = Chunk::State::kFinished;
    return;
  }
  chunk.state = Chunk::State::kReady;
  flow.read += chunk.bytes;
  if (flow.read == flow.bytes && flow.unreleased) {
    flow.unreleased->fetch_sub(1, std::memory_order_release);
    flow.unreleased = nullptr;
  }
}

bool Transfers::begin_chunks(Thread& thread, Flow& flow) {
  bool moved = false;
  while (flow.begun != flow.bytes) {
    std::byte* memory = nullptr;
    {
      const device::Entered entered(flow.card->driver(), flow.card->context());
      flow.card->check(entered.outcome);
      memory = flow.card->out.take(flow.card->driver());
    }
    if (!memory) break;
    std::unique_ptr<Chunk> chunk;
    if (free_chunks_.empty()) {
      chunk = std::make_unique<Chunk>();
    } else {
      chunk = std::move(free_chunks_.back());
      free_chunks_.pop_back();
    }
    chunk->flow = &flow;
    chunk->memory = memory;
    chunk->offset = flow.begun;
    chunk->bytes = std::min(flow.chunk_bytes, flow.bytes - flow.begun);
    chunk->sent = 0;
    if (flow.kind == Flow::Kind::kGetHost) {
      chunk->state = Chunk::State::kTransferring;
      const auto* const from = reinterpret_cast<const void*>(flow.there + chunk->offset);
      if (extended::start_get(flow.where, thread, flow.peer.rank, memory, from, chunk->bytes, chunk->pending,
                              GEX_FLAG_IMMEDIATE, flow.peer.remote) == Started::kNotNow) {
        flow.card->out.give_back(memory);
        free_chunks_.push_back(std::move(chunk));
        break;
      }
    } else {
      chunk->state = Chunk::State::kCopying;
      copy(*flow.card, memory, flow.here + chunk->offset, chunk->bytes, Direction::kFromDevice, {},
           {&is_copied, chunk.get(), 0});
    }
    flow.begun += chunk->bytes;
    chunks_.push_back(std::move(chunk));
    moved = true;
  }
  return moved;
}

// What is ready of a chunk, as far as the network takes it.
bool Transfers::send_pieces(Thread& thread, Chunk& chunk) {
  const Flow& flow = *chunk.flow;
  const bool is_put = flow.kind == Flow::Kind::kPutMessages;
  bool moved = false;
  while (chunk.sent != chunk.bytes) {
    const Halves to = split(flow.there + chunk.offset + chunk.sent);
    const Halves counter = split(flow.pending), card = split(flow.peers_card);
    const std::int32_t args[] = {to.low, to.high, counter.low, counter.high, card.low, card.high};
    Message message;
    message.category = Category::kMedium;
    message.nargs = is_put ? 4 : 6;
    message.args = args;
    message.payload = chunk.memory + chunk.sent;
    message.payload_bytes = std::min(flow.piece_bytes, chunk.bytes - chunk.sent);
    if (!try_to_send(flow.where, thread, flow.peer.rank, message,
                     is_put ? Internal::kDevicePut : Internal::kDeviceData))
      return moved;
    chunk.sent += message.payload_bytes;
    moved = true;
  }
  chunk.state = Chunk::State::kFinished;
  return true;
}

bool Transfers::put_chunk(Thread& thread, Chunk& chunk) {
  const Flow& flow = *chunk.flow;
  auto* const to = reinterpret_cast<void*>(flow.there + chunk.offset);
  if (extended::start_lent_put(flow.where, thread, flow.peer.rank, to, chunk.memory, chunk.bytes,
                               chunk.pending, GEX_FLAG_IMMEDIATE, flow.peer.remote,
                               conduit::Reuse::kWhenDone) == Started::kNotNow)
    return false;
  chunk.state = Chunk::State::kTransferring;
  return true;
}

// The next step of a chunk, if it can be done.
bool Transfers::move(Thread& thread, Chunk& chunk) {
  Flow& flow = *chunk.flow;
  if (chunk.state == Chunk::State::kReady)
    return flow.kind == Flow::Kind::kPutHost ? put_chunk(thread, chunk) : send_pieces(thread, chunk);
  if (chunk.state != Chunk::State::kTransferring || chunk.pending.load(std::memory_order_acquire) != 0)
    return false;
  if (flow.kind == Flow::Kind::kPutHost) {
    chunk.state = Chunk::State::kFinished;
    return true;
  }
  chunk.state = Chunk::State::kCopying;
  copy(*flow.card, flow.here + chunk.offset, chunk.memory, chunk.bytes, Direction::kToDevice, {},
       {&is_copied, &chunk, 0});
  return true;
}

// Answers to messages count down what they complete; the others are complete here.
void Transfers::finish(Flow& flow) {
  if (flow.kind == Flow::Kind::kPutHost || flow.kind == Flow::Kind::kGetHost)
    count_down(*reinterpret_cast<Pending*>(flow.pending));
  ended();
}

Advance Transfers::advance(Thread& thread) {
  if (is_idle()) return Advance::kWaiting;
  {
    const std::lock_guard guard(lock_);
    for (auto& flow : added_) flows_.push_back(std::move(flow));
    added_.clear();
  }
  bool moved = false;
  if (core::DeviceMemory* const devices = rank_.objects().devices()) {
    devices->for_each_card([&](Card& card) { card.collect(done_); });
    for (const WhenDone& done : done_) {
      if (done.call) done.call(done.subject, done.detail);
      ended();
    }
    moved = !done_.empty();
    done_.clear();
  }
  for (std::size_t i = 0; i < flows_.size(); ++i)
    moved |= begin_chunks(thread, *flows_[(first_ + i) % flows_.size()]);
  ++first_;
  for (std::size_t i = 0; i < chunks_.size();) {
    Chunk& chunk = *chunks_[i];
    moved |= move(thread, chunk);
    if (chunk.state != Chunk::State::kFinished) {
      ++i;
      continue;
    }
    chunk.flow->finished += chunk.bytes;
    chunk.flow->card->out.give_back(chunk.memory);
    free_chunks_.push_back(std::move(chunks_[i]));
    chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(i));
    moved = true;
  }
  for (std::size_t i = 0; i < flows_.size();) {
    if (flows_[i]->finished != flows_[i]->bytes) {
      ++i;
      continue;
    }
    finish(*flows_[i]);
    const std::lock_guard guard(lock_);
    free_flows_.push_back(std::move(flows_[i]));
    flows_.erase(flows_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  moved |= send_acknowledgements(thread);
  return moved ? Advance::kMoved : Advance::kWaiting;
}

}  // namespace aqueduct::extended::device_memory
