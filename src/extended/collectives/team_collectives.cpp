#include "extended/collectives/team_collectives.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/fatal.hpp"
#include "base/race_hints.hpp"
#include "extended/collectives/agreement.hpp"
#include "extended/extended.hpp"
#include "extended/messages.hpp"
#include "world/work.hpp"

namespace aqueduct::extended::collectives {

using am::Category;
using am::Message;
using core::Internal;
using core::Thread;

namespace {

constexpr const char* kPart = "collective";

// A long message occupies the memory of both sides while it is copied; between two of them we poll.
constexpr std::size_t kLongestPiece = std::size_t{1} << 20;

std::int32_t as_argument(std::uint32_t value) { return static_cast<std::int32_t>(value); }

bool send_now(Thread& thread, RankId target, const Message& message) {
  return core::send_request(kPart, thread, target, message, GEX_FLAG_IMMEDIATE) == GASNET_OK;
}

bool in_own_segment(core::Rank& rank, const void* address, std::size_t bytes) {
  const am::SegmentBounds& mine = rank.objects().bounds[rank.id()];
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - mine.base;
  return offset < mine.size && bytes <= mine.size - offset;
}

}  // namespace

TeamCollectives::TeamCollectives(core::Rank& rank, DeferredTasks& deferred_tasks, const core::Team& team,
                                 const Hosts& hosts, unsigned board_place)
    : rank_(rank),
      deferred_tasks_(deferred_tasks),
      team_(team),
      layout_(hosts_of_members(team, hosts), team.size(), team.rank()),
      board_place_(board_place),
      boards_(rank.failures() ? nullptr : Boards::open(rank, team, board_place)) {}

TeamCollectives::~TeamCollectives() { deferred_tasks_.remove(*this); }

void TeamCollectives::register_handlers(core::HandlerTable& handlers) {
  handlers.add_internal(Internal::kCollectiveData, reinterpret_cast<gex_AM_Fn_t>(&on_data), 5, "collective");
  handlers.add_internal(Internal::kCollectiveGrant, reinterpret_cast<gex_AM_Fn_t>(&on_grant), 6,
                        "collective grant");
  handlers.add_internal(Internal::kCollectiveCheck, reinterpret_cast<gex_AM_Fn_t>(&on_check), 3,
                        "collective check");
}

// --- Starting.

void TeamCollectives::check(Thread& thread, const char* where, Kind kind) {
  Request request;
  request.where = where;
  request.kind = kind;
  start_program(thread, request, true, unattended_);
}

void TeamCollectives::settle(Thread& thread) {
  core::wait_until(
      thread, core::Scope::kAll, [&] { return unattended_.load(std::memory_order_acquire) == 0; },
      core::PlainSubject{observe::WaitKind::kCollective});
}

Operation* TeamCollectives::start(Thread& thread, const Request& request) {
  if (is_broken()) {
    rank_.failures()->count_lost();
    return nullptr;
  }
  OperationPool& pool = ops(thread).pool;
  if (SharedCollective* const shared = boards_ ? boards_->choose(request) : nullptr) {
    world::spend(world::kNeighbourCopy, request.bytes);
    const std::uint64_t number = shared->start(request);
    if (rank_.options().debug_client) start_program(thread, request, true, unattended_);
    if (shared->completed() >= number) return nullptr;
    deferred_tasks_.add(*this);
    Operation* const operation = pool.take();
    operation->test = [](Operation& self) {
      return static_cast<SharedCollective*>(self.test_subject)->passed(self.test_detail);
    };
    operation->test_subject = shared;
    operation->test_detail = number;
    return operation;
  }
  Operation* const operation = pool.take();
  start_program(thread, request, false, operation->count(OpKind::kRmw));
  if (!operation->done()) return operation;
  OperationPool::give_back(operation);
  return nullptr;
}

void TeamCollectives::start_program(Thread& thread, const Request& request, bool only_checks,
                                    Pending& pending) {
  pending.fetch_add(1, std::memory_order_relaxed);
  Collective* collective;
  {
    const std::lock_guard guard(lock_);
    collective = take_free();
  }
  collective->request = request;
  if (rank_.options().debug_client) collective->request.site = current_call_site();
  collective->pending = &pending;
  collective->step = 0;
  collective->sent_bytes = 0;
  collective->granted = 0;
  collective->said = collective->heard = !rank_.options().debug_client || team_.size() == 1;
  if (!only_checks) plan(collective->program, layout_, edges_, collective->request);

  Piece* early;
  {
    const std::lock_guard guard(lock_);
    collective->number = next_number_++;
    Slot& place = slot(collective->number);
    place.running = collective;
    early = place.early;
    place.early = nullptr;
  }
  for (Piece* piece = early; piece;) {
    deliver(*collective, *piece, piece->data());
    Piece* const next = piece->next;
    const std::lock_guard guard(lock_);
    mail_.give_back(piece);
    piece = next;
  }
  // From here on it may complete, on any thread.
  {
    const std::lock_guard guard(lock_);
    collective->next = fresh_;
    fresh_ = collective;
  }
  // What others say they called may be here already.
  if (rank_.options().debug_client) core::poll(thread, core::Scope::kAll);
  const Advance result = advance(thread);
  if (result != Advance::kFinished) deferred_tasks_.add(*this);
  // Another thread may sleep for something that is complete now.
  if (result != Advance::kWaiting && rank_.threaded()) {
    if (Doorbell* const doorbell = rank_.doorbell()) doorbell->ring_if_needed();
  }
}

Collective* TeamCollectives::take_free() {
  if (!free_) {
    all_.push_back(std::make_unique<Collective>());
    return all_.back().get();
  }
  Collective* const taken = free_;
  free_ = taken->next;
  return taken;
}

TeamCollectives::Slot& TeamCollectives::slot(std::uint32_t number) {
  if (number - oldest_ >= window_.size()) {
    std::vector<Slot> larger(std::max(kFirstWindow, window_.size() * 2));
    while (number - oldest_ >= larger.size()) larger.resize(larger.size() * 2);
    for (std::uint32_t i = 0; i < window_.size(); ++i) {
      const std::uint32_t known = oldest_ + i;
      larger[known % larger.size()] = window_[known % window_.size()];
    }
    window_.swap(larger);
  }
  return window_[number % window_.size()];
}

void TeamCollectives::forget(Collective& collective) {
  collective.program.clear();
  const std::lock_guard guard(lock_);
  slot(collective.number).running = nullptr;
  while (oldest_ != next_number_ && !window_[oldest_ % window_.size()].running) ++oldest_;
  collective.next = free_;
  free_ = &collective;
}

// --- Arriving messages.

TeamCollectives& TeamCollectives::of(gex_Token_t token, gex_AM_Arg_t team_id) {
  core::Rank& rank = core::from_handle(token).rank;
  core::Team* const team = core::find_team(rank.objects(), static_cast<core::TeamId>(team_id));
  if (!team) {
    fatal("poll", "a collective of team %u, of which this rank is no member", static_cast<unsigned>(team_id));
  }
  return collectives_of(*team);
}

void TeamCollectives::on_data(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t team_id,
                              gex_AM_Arg_t number, gex_AM_Arg_t tag, gex_AM_Arg_t offset_low,
                              gex_AM_Arg_t offset_high) {
  Piece head;
  head.content = Piece::kData;
  head.tag = static_cast<Tag>(tag);
  head.detail = join_bits(offset_low, offset_high);
  head.bytes = bytes;
  of(token, team_id).accept(static_cast<std::uint32_t>(number), head, payload);
}

void TeamCollectives::on_grant(gex_Token_t token, gex_AM_Arg_t team_id, gex_AM_Arg_t number, gex_AM_Arg_t tag,
                               gex_AM_Arg_t receiver, gex_AM_Arg_t address_low, gex_AM_Arg_t address_high) {
  Piece head;
  head.content = Piece::kGrant;
  head.tag = static_cast<Tag>(tag);
  head.from = static_cast<gex_Rank_t>(receiver);
  head.detail = join_bits(address_low, address_high);
  of(token, team_id).accept(static_cast<std::uint32_t>(number), head, nullptr);
}

void TeamCollectives::on_check(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t team_id,
                               gex_AM_Arg_t number, gex_AM_Arg_t sender) {
  Piece head;
  head.content = Piece::kCheck;
  head.from = static_cast<gex_Rank_t>(sender);
  head.bytes = bytes;
  of(token, team_id).accept(static_cast<std::uint32_t>(number), head, payload);
}

void TeamCollectives::accept(std::uint32_t number, const Piece& head, const void* payload) {
  message_came(this);  // perhaps after what we sent to others than its sender
  if (is_broken()) return;
  Collective* running;
  {
    const std::lock_guard guard(lock_);
    // What is over here can get no more messages, and a large one comes only on demand.
    const auto ahead = static_cast<std::int32_t>(number - oldest_);
    if (ahead < 0 || ahead > kMostAhead) return refuse(number);
    Slot& place = slot(number);
    running = place.running;
    if (!running) {
      if (head.bytes > kEagerBytes || static_cast<std::int32_t>(number - next_number_) < 0)
        return refuse(number);
      Piece* const piece = mail_.keep(head, payload);
      piece->next = place.early;
      place.early = piece;
      return;
    }
  }
  // It cannot end, and its memory cannot be used again, before it has got this message.
  deliver(*running, head, payload);
}

void TeamCollectives::deliver(Collective& collective, const Piece& head, const void* payload) {
  if (head.content == Piece::kCheck) {
    Arguments theirs;
    if (head.bytes != sizeof theirs) fatal("poll", "a malformed check of a collective's arguments");
    std::memcpy(&theirs, payload, sizeof theirs);
    require_agreement(collective.request, head.from, theirs);
    std::atomic_ref(collective.heard).store(true, std::memory_order_release);
    return;
  }
  if (head.content == Piece::kGrant) {
    for (Sending& sending : collective.program.sendings()) {
      if (sending.tag != head.tag || sending.to != head.from) continue;
      sending.place = reinterpret_cast<std::byte*>(head.detail);
      std::atomic_ref(sending.granted).store(true, std::memory_order_release);
      return;
    }
  } else {
    for (Reception& reception : collective.program.receptions()) {
      if (reception.tag != head.tag) continue;
      if (head.detail > reception.bytes || head.bytes > reception.bytes - head.detail) break;
      std::byte* const to = reception.to + head.detail;
      if (head.bytes != 0 && to != payload) std::memcpy(to, payload, head.bytes);
      reception.arrived(head.bytes);
      return;
    }
  }
  refuse(collective.number);
}

void TeamCollectives::refuse(std::uint32_t number) const {
  if (rank_.options().debug_client) return;
  fatal("poll",
        "mismatched collectives: a message for number %u of team %u does not fit what this rank called",
        number, team_.id);
}

// --- Progress.

Advance TeamCollectives::advance(Thread& thread) {
  if (advancing_.exchange(true, std::memory_order_acquire)) return Advance::kWaiting;
  bool boards_moved = false;
  const bool boards_idle = !boards_ || boards_->advance();
  if (boards_) {
    const std::uint64_t completed = boards_->completed();
    boards_moved = completed != completed_on_boards_;
    completed_on_boards_ = completed;
  }
  {
    const std::lock_guard guard(lock_);
    const std::size_t before = running_.size();
    for (; fresh_; fresh_ = fresh_->next) running_.push_back(fresh_);
    std::reverse(running_.begin() + static_cast<std::ptrdiff_t>(before), running_.end());
  }
  const std::size_t all = running_.size();
  std::size_t left = 0;
  for (Collective* const collective : running_) {
    if (is_broken()) {
      // Not forgotten: another thread may just be handing it a message.
      rank_.failures()->count_lost();
      count_down(*collective->pending);
      continue;
    }
    if (!run(thread, *collective)) {
      running_[left++] = collective;
      continue;
    }
    Pending& pending = *collective->pending;
    forget(*collective);
    count_down(pending);
  }
  running_.resize(left);
  advancing_.store(false, std::memory_order_release);
  if (left == 0 && boards_idle) return Advance::kFinished;
  return left < all || boards_moved ? Advance::kMoved : Advance::kWaiting;
}

// Executes steps as far as possible; true at the end.
bool TeamCollectives::run(Thread& thread, Collective& collective) {
  const bool checked = has_been_checked(thread, collective);
  if (!send_grants(thread, collective)) return false;
  Program& program = collective.program;
  for (; collective.step < program.steps().size(); ++collective.step) {
    const Step& step = program.steps()[collective.step];
    switch (step.action) {
      case Step::kSend:
        if (!run_sending(thread, collective, program.sendings()[step.index])) return false;
        break;
      case Step::kReceive:
        if (!program.receptions()[step.index].complete()) return false;
        break;
      case Step::kCombine:
        collective.request.combiner(step.from, step.to, step.amount);
        break;
      case Step::kCopy:
        std::memcpy(step.to, step.from, step.amount);
        break;
    }
  }
  return checked;
}

bool TeamCollectives::has_been_checked(Thread& thread, Collective& collective) {
  if (!collective.said) {
    const Arguments arguments = Arguments::of(collective.request);
    const std::int32_t args[] = {as_argument(team_.id), as_argument(collective.number),
                                 as_argument(team_.rank())};
    Message message;
    message.category = Category::kMedium;
    message.handler = static_cast<std::uint8_t>(Internal::kCollectiveCheck);
    message.nargs = 3;
    message.args = args;
    message.payload = &arguments;
    message.payload_bytes = sizeof arguments;
    collective.said = send_now(thread, team_.job_rank(layout_.all().after(1)), message);
  }
  return collective.said && std::atomic_ref(collective.heard).load(std::memory_order_acquire);
}

bool TeamCollectives::send_grants(Thread& thread, Collective& collective) {
  std::vector<Reception>& receptions = collective.program.receptions();
  for (; collective.granted < receptions.size(); ++collective.granted) {
    const Reception& reception = receptions[collective.granted];
    if (!reception.is_large()) continue;
    const Halves place = split(in_own_segment(rank_, reception.to, reception.bytes) ? reception.to : nullptr);
    const std::int32_t args[] = {as_argument(team_.id),
                                 as_argument(collective.number),
                                 as_argument(reception.tag),
                                 as_argument(team_.rank()),
                                 place.low,
                                 place.high};
    Message message;
    message.handler = static_cast<std::uint8_t>(Internal::kCollectiveGrant);
    message.nargs = 6;
    message.args = args;
    if (!send_now(thread, team_.job_rank(reception.from), message)) return false;
  }
  return true;
}

bool TeamCollectives::run_sending(Thread& thread, Collective& collective, Sending& sending) {
  if (!sending.may_go()) return false;
  const am::Limits limits = rank_.limits();
  const std::size_t most =
      sending.place ? std::min(limits.max_long, kLongestPiece) : std::min(limits.max_medium, kLongestPiece);
  std::size_t& sent = collective.sent_bytes;
  do {
    const std::size_t piece = std::min(most, sending.bytes - sent);
    const Halves offset = split(sent);
    const std::int32_t args[] = {as_argument(team_.id), as_argument(collective.number),
                                 as_argument(sending.tag), offset.low, offset.high};
    Message message;
    message.handler = static_cast<std::uint8_t>(Internal::kCollectiveData);
    message.nargs = 5;
    message.args = args;
    message.category = sending.place ? Category::kLong : Category::kMedium;
    message.payload = sending.from + sent;
    message.payload_bytes = piece;
    message.destination = sending.place ? sending.place + sent : nullptr;
    message_leaves(this);
    if (!send_now(thread, team_.job_rank(sending.to), message)) return false;
    sent += piece;
  } while (sent < sending.bytes);
  sent = 0;
  return true;
}

}  // namespace aqueduct::extended::collectives
