#include "conduit/rma_over_port.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/fatal.hpp"
#include "base/silence.hpp"
#include "world/work.hpp"

namespace aqueduct::conduit {
namespace {

/// Sources up to this size are copied if they must be released at return.
constexpr std::size_t kMostCopied = std::size_t{64} << 10;
/// A put that waits polls so often before it yields the core.
constexpr unsigned kLooks = 1000;

// Cookies: bit 0 marks those of this object, bit 1 says what the number names.
constexpr std::uint64_t operation_cookie(std::uint32_t number) { return std::uint64_t{number} << 2 | 1; }
constexpr std::uint64_t landing_cookie(std::uint32_t number) { return std::uint64_t{number} << 2 | 3; }
constexpr bool names_landing(std::uint64_t cookie) { return (cookie & 2) != 0; }
constexpr std::uint32_t number_in(std::uint64_t cookie) { return static_cast<std::uint32_t>(cookie >> 2); }

}  // namespace

PortOperation* RmaOverPort::begin(Kind kind, RankId peer, void* to, std::size_t bytes, Done done,
                                  void* operation, unsigned holds) {
  PortOperation* const mine = operations_.take();
  if (!mine) return nullptr;
  mine->peer = peer;
  mine->to = to;
  mine->bytes = bytes;
  mine->done = done;
  mine->operation = operation;
  mine->holds.store(holds, std::memory_order_relaxed);
  mine->awaits.store(answer_of(kind, peer), std::memory_order_release);
  return mine;
}

void RmaOverPort::give_up(PortOperation& operation, unsigned holds) {
  operation.awaits.store(0, std::memory_order_relaxed);
  operations_.release(operation, holds);
}

void RmaOverPort::finish(PortOperation& mine) {
  const Done done = mine.done;
  void* const operation = mine.operation;
  operations_.release(mine);
  done(operation);
}

Post RmaOverPort::put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
                      void* operation) {
  const fabric::Traits traits = port_.traits();
  const bool is_counted = reuse.unreleased && bytes > traits.copied_bytes;
  const bool is_released = reuse == Reuse::kAtReturn && !is_counted &&
                           bytes <= std::max(traits.copied_bytes, traits.released_bytes);
  const bool must_return = reuse == Reuse::kAtReturn && !is_counted && !is_released;
  const bool is_awaited = must_return && bytes > kMostCopied;
  const bool is_reported = is_counted || must_return;
  const unsigned holds = 1 + (is_reported ? 1 : 0) + (is_awaited ? 1 : 0);
  PortOperation* const mine = begin(Kind::kPut, target, to, bytes, done, operation, holds);
  if (!mine) return am::retry(receiver_, observe::Retry::kBuffers);
  fabric::Piece piece{const_cast<void*>(from), bytes};
  if (must_return && !is_awaited) {
    mine->copy.resize(bytes);
    std::memcpy(mine->copy.data(), from, bytes);
    piece.base = mine->copy.data();
  }
  if (is_reported) {
    mine->is_sent.store(false, std::memory_order_relaxed);
    mine->unreleased = is_counted ? reuse.unreleased : nullptr;
  }
  if (is_counted) reuse.unreleased->fetch_add(1, std::memory_order_relaxed);
  world::spend(world::kAmSend);
  const RmaHeader header{.kind = Kind::kPut,
                         .operation = mine->number,
                         .address = reinterpret_cast<std::uint64_t>(to),
                         .bytes = bytes};
  if (port_.send_placed(target, std::as_bytes(std::span(&header, 1)), {&piece, 1},
                        {fabric::Place::Kind::kExposed, header.address},
                        is_released ? fabric::Release::kAtReturn : fabric::Release::kWhenSent,
                        is_reported ? operation_cookie(mine->number) : fabric::kNoReport) !=
      fabric::Post::kDone) {
    if (is_counted) reuse.unreleased->fetch_sub(1, std::memory_order_relaxed);
    give_up(*mine, holds);
    return Post::kRetry;
  }
  if (!is_awaited) return Post::kDone;
  for (unsigned looks = 0; !mine->is_sent.load(std::memory_order_acquire); ++looks) {
    if (port_.progress() == 0 && looks >= kLooks) ::sched_yield();
    poll();
  }
  operations_.release(*mine);
  return Post::kDone;
}

Post RmaOverPort::get(RankId target, void* to, const void* from, std::size_t bytes, Done done,
                      void* operation) {
  PortOperation* const mine = begin(Kind::kGet, target, to, bytes, done, operation, 1);
  if (!mine) return am::retry(receiver_, observe::Retry::kBuffers);
  world::spend(world::kAmSend);
  const RmaHeader header{.kind = Kind::kGet,
                         .operation = mine->number,
                         .address = reinterpret_cast<std::uint64_t>(from),
                         .bytes = bytes,
                         .place = bytes > port_.traits().inline_bytes ? port_.post(target, {to, bytes}) : 0};
  if (port_.send(target, std::as_bytes(std::span(&header, 1)), {}, fabric::kNoReport) == fabric::Post::kDone)
    return Post::kDone;
  if (header.place != 0) port_.withdraw(header.place);
  give_up(*mine, 1);
  return Post::kRetry;
}

void RmaOverPort::refuse(RankId source, const char* why) const {
  fatal(name_, "a message from rank %u is malformed: %s", source, why);
}

PortOperation& RmaOverPort::answered_by(const fabric::Arrival& arrival, const RmaHeader& header, Kind kind) {
  PortOperation* const mine = operations_.find(header.operation);
  std::uint64_t expected = answer_of(kind, arrival.source);
  if (mine &&
      mine->awaits.compare_exchange_strong(expected, 0, std::memory_order_acquire,
                                           std::memory_order_relaxed) &&
      mine->bytes == header.bytes)
    return *mine;
  refuse(arrival.source, "it answers what was not asked");
}

void RmaOverPort::arrived(const fabric::Arrival& arrival) {
  RmaHeader header;
  if (arrival.header.size() != sizeof header) refuse(arrival.source, "it is not as long as a put or get");
  std::memcpy(&header, arrival.header.data(), sizeof header);
  const bool has_payload = header.kind == Kind::kPut || header.kind == Kind::kGetData;
  if (arrival.payload_bytes != (has_payload ? header.bytes : 0))
    refuse(arrival.source, "it has not the size that its head says");
  if ((header.kind == Kind::kPut || header.kind == Kind::kGet) &&
      !segment_.contains(header.address, header.bytes))
    refuse(arrival.source, "it names memory outside the segment");
  world::spend(world::kAmReceive);
  switch (header.kind) {
    case Kind::kPut:
      receiver_.count_served(arrival.source, observe::TransferKind::kPut);
      return take_put(arrival, header);
    case Kind::kPutDone: {
      PortOperation& mine = answered_by(arrival, header, Kind::kPut);
      port_.discard(arrival.id);
      return finish(mine);
    }
    case Kind::kGet: {
      RmaHeader data = header;
      data.kind = Kind::kGetData;
      receiver_.count_served(arrival.source, observe::TransferKind::kGet);
      port_.discard(arrival.id);
      return answer(arrival.source, data);
    }
    case Kind::kGetData: {
      PortOperation& mine = answered_by(arrival, header, Kind::kGet);
      const fabric::Piece where{mine.to, arrival.payload_bytes};
      if (arrival.inline_payload == where.base) {
        port_.discard(arrival.id);
        return finish(mine);
      }
      return port_.accept(arrival.id, {&where, 1}, where.bytes, operation_cookie(mine.number));
    }
  }
  refuse(arrival.source, "there is no such operation");
}

void RmaOverPort::take_put(const fabric::Arrival& arrival, const RmaHeader& header) {
  RmaHeader done = header;
  done.kind = Kind::kPutDone;
  auto* const to = reinterpret_cast<std::byte*>(header.address);
  if (arrival.inline_payload) {
    if (arrival.inline_payload != to) std::memcpy(to, arrival.inline_payload, arrival.payload_bytes);
    port_.discard(arrival.id);
    return answer(arrival.source, done);
  }
  std::uint32_t number;
  {
    const std::lock_guard guard(lock_);
    if (free_landings_.empty()) {
      number = static_cast<std::uint32_t>(landings_.size());
      landings_.emplace_back();
    } else {
      number = free_landings_.back();
      free_landings_.pop_back();
    }
    landings_[number] = {arrival.source, done};
  }
  const fabric::Piece where{to, arrival.payload_bytes};
  port_.accept(arrival.id, {&where, 1}, where.bytes, landing_cookie(number));
}

void RmaOverPort::broke_off(RankId peer, const char* what) const {
  if (const Silence silence = port_.silence(peer); silence.ns != 0) fatal_silence(name_, peer, silence);
  fatal_about(peer, name_, "what rank %u %s broke off", peer, what);
}

void RmaOverPort::landed(std::uint64_t cookie, fabric::Outcome outcome) {
  const std::uint32_t number = number_in(cookie);
  if (!names_landing(cookie)) {
    PortOperation& mine = *operations_.find(number);
    if (outcome != fabric::Outcome::kOk) broke_off(mine.peer, "was asked for");
    return finish(mine);
  }
  Answer due;
  {
    const std::lock_guard guard(lock_);
    due = landings_[number];
    free_landings_.push_back(number);
  }
  if (outcome != fabric::Outcome::kOk) broke_off(due.peer, "puts");
  answer(due.peer, due.header);
}

void RmaOverPort::sent(std::uint64_t cookie) {
  PortOperation& mine = *operations_.find(number_in(cookie));
  am::Unreleased* const unreleased = std::exchange(mine.unreleased, nullptr);
  mine.is_sent.store(true, std::memory_order_release);
  operations_.release(mine);
  if (unreleased) unreleased->fetch_sub(1, std::memory_order_release);
}

void RmaOverPort::count_resources(observe::ResourceCounts& counts) {
  counts.holds("puts and gets", operations_.under_way());
  const std::lock_guard guard(lock_);
  counts.holds("answers to puts and gets", answers_.size());
  counts.holds("puts that land", landings_.size() - free_landings_.size());
}

void RmaOverPort::answer(RankId peer, const RmaHeader& header) {
  const Answer now{peer, header};
  if (!has_answers_.load(std::memory_order_relaxed) && send_answer(now)) return;
  const std::lock_guard guard(lock_);
  answers_.push_back(now);
  has_answers_.store(true, std::memory_order_relaxed);
}

bool RmaOverPort::send_answer(const Answer& answer) {
  world::spend(world::kAmSend);
  const bool has_data = answer.header.kind == Kind::kGetData;
  const fabric::Piece data{reinterpret_cast<void*>(answer.header.address), answer.header.bytes};
  const auto header = std::as_bytes(std::span(&answer.header, 1));
  const std::span<const fabric::Piece> payload(&data, has_data ? 1 : 0);
  if (has_data && answer.header.place != 0)
    return port_.send_placed(answer.peer, header, payload,
                             {fabric::Place::Kind::kPosted, answer.header.place}, fabric::Release::kWhenSent,
                             fabric::kNoReport) == fabric::Post::kDone;
  return port_.send(answer.peer, header, payload, fabric::kNoReport) == fabric::Post::kDone;
}

// Tries each answer once, so that a peer that cannot take one now does not delay the others.
void RmaOverPort::send_answers() {
  lock_.lock();
  std::size_t tries = answers_.size();
  lock_.unlock();
  for (; tries != 0; --tries) {
    lock_.lock();
    if (answers_.empty()) {
      lock_.unlock();
      return;
    }
    const Answer next = answers_.front();
    answers_.pop_front();
    has_answers_.store(!answers_.empty(), std::memory_order_relaxed);
    lock_.unlock();
    if (send_answer(next)) continue;
    const std::lock_guard guard(lock_);
    answers_.push_back(next);
    has_answers_.store(true, std::memory_order_relaxed);
  }
}

}  // namespace aqueduct::conduit
