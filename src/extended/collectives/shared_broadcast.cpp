#include "extended/collectives/shared_broadcast.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

namespace aqueduct::extended::collectives {
namespace {

void copy_unless_same(void* to, const void* from, std::size_t bytes) {
  if (bytes != 0 && to != from) std::memcpy(to, from, bytes);
}

}  // namespace

SharedBroadcast::SharedBroadcast(std::vector<Member> members, gex_Rank_t me, const SharedSegments& segments)
    : members_(std::move(members)), me_(me), segments_(segments), entries_(4) {}

std::uint64_t SharedBroadcast::start(const Request& request) {
  const std::lock_guard guard(lock_);
  const std::uint64_t completed = completed_.load(std::memory_order_relaxed);
  const std::uint64_t number = started_.load(std::memory_order_relaxed) + 1;
  if (number - completed > entries_.size()) {
    std::vector<Entry> more(entries_.size() * 2);
    for (std::uint64_t known = completed + 1; known < number; ++known)
      more[known % more.size()] = entry(known);
    entries_.swap(more);
  }
  Entry& mine = entry(number);
  mine = Entry{};
  mine.request = request;
  mine.first = mine.next = last_piece_ + 1;
  mine.last = last_piece_ += request.bytes == 0 ? 1 : (request.bytes + kPieceBytes - 1) / kPieceBytes;
  started_.store(number, std::memory_order_release);
  if (request.enter_together) {
    members_[me_].lines->progress.started.store(number, std::memory_order_release);
    members_[request.root].doorbell->ring_if_needed();
  }
  advance();
  return number;
}

bool SharedBroadcast::passed(std::uint64_t number) {
  if (completed_.load(std::memory_order_acquire) >= number) return true;
  if (!lock_.try_lock()) return false;
  advance();
  lock_.unlock();
  return completed_.load(std::memory_order_relaxed) >= number;
}

void SharedBroadcast::advance() {
  const std::uint64_t started = started_.load(std::memory_order_relaxed);
  std::size_t budget = kMostAtOnce;
  for (std::uint64_t number = completed_.load(std::memory_order_relaxed) + 1; number <= started; ++number) {
    Entry& next = entry(number);
    if (next.stage != Stage::kMoved) {
      const bool moved = next.request.root == me_ ? publish(next, number, budget) : take(next, budget);
      if (!moved) return;
      next.stage = Stage::kMoved;
      be_done_with(next.last);
    }
    if (next.request.leave_together && !all_done_with(next.last)) return;
    completed_.store(number, std::memory_order_release);
  }
}

bool SharedBroadcast::publish(Entry& entry, std::uint64_t number, std::size_t& budget) {
  const Request& request = entry.request;
  const auto* const from = static_cast<const std::byte*>(request.src);
  if (entry.stage == Stage::kFresh) {
    if (request.enter_together && !all_started(number)) return false;
    const std::size_t offset = segments_.offset_of(from, request.bytes);
    if (offset == SharedSegments::kNowhere) {
      entry.stage = Stage::kInPieces;
    } else {
      if (!may_write(entry.first)) return false;
      stamp(entry.first, offset + 1);
      copy_unless_same(request.dst, from, request.bytes);
      entry.stage = Stage::kInPlace;
    }
  }
  if (entry.stage == Stage::kInPlace) return all_done_with(entry.last);
  for (; entry.next <= entry.last; ++entry.next) {
    if (budget == 0 || !may_write(entry.next)) return false;
    const std::size_t bytes = piece_bytes(entry, entry.next);
    copy_unless_same(slot_of(me_, entry.next), from + (entry.next - entry.first) * kPieceBytes, bytes);
    stamp(entry.next, 0);
    budget -= std::min(budget, bytes);
  }
  copy_unless_same(request.dst, from, request.bytes);
  return true;
}

bool SharedBroadcast::take(Entry& entry, std::size_t& budget) {
  const Request& request = entry.request;
  auto* const to = static_cast<std::byte*>(request.dst);
  if (entry.stage != Stage::kInPlace) {
    for (; entry.next <= entry.last; ++entry.next) {
      const Lines::Stamp& found = stamp_of(request.root, entry.next);
      if (found.piece.load(std::memory_order_acquire) < entry.next) return false;
      if (found.place != 0) {
        find_in_place(entry, found.place);
        break;
      }
      if (budget == 0) return false;
      const std::size_t bytes = piece_bytes(entry, entry.next);
      copy_unless_same(to + (entry.next - entry.first) * kPieceBytes, slot_of(request.root, entry.next),
                       bytes);
      if (entry.next != entry.last) be_done_with(entry.next);
      budget -= std::min(budget, bytes);
    }
    if (entry.stage != Stage::kInPlace) return true;
  }
  while (entry.copied < request.bytes) {
    if (budget == 0) return false;
    const std::size_t bytes = std::min(budget, request.bytes - entry.copied);
    copy_unless_same(to + entry.copied, entry.from + entry.copied, bytes);
    entry.copied += bytes;
    budget -= bytes;
  }
  return true;
}

void SharedBroadcast::find_in_place(Entry& entry, std::uint64_t place) const {
  const Request& request = entry.request;
  entry.from = segments_.find(request.root, place - 1, request.bytes);
  if (!entry.from) {
    fatal("poll",
          "member %u says that its broadcast of %zu bytes lies outside of its segment: members called "
          "with different sizes, or shared memory was overwritten",
          request.root, request.bytes);
  }
  entry.stage = Stage::kInPlace;
}

void SharedBroadcast::stamp(std::uint64_t piece, std::uint64_t place) {
  Lines::Stamp& mine = stamp_of(me_, piece);
  mine.place = place;
  mine.piece.store(piece, std::memory_order_release);
  wake_others();
}

void SharedBroadcast::be_done_with(std::uint64_t piece) {
  members_[me_].lines->progress.done.store(piece, std::memory_order_release);
  wake_others();
}

void SharedBroadcast::wake_others() const {
  for (gex_Rank_t member = 0; member < members_.size(); ++member) {
    if (member != me_) members_[member].doorbell->ring_if_needed();
  }
}

bool SharedBroadcast::all_done_with(std::uint64_t piece) {
  if (known_done_ >= piece) return true;
  std::uint64_t least = ~std::uint64_t{0};
  for (gex_Rank_t member = 0; member < members_.size(); ++member) {
    if (member == me_) continue;
    const std::uint64_t done = members_[member].lines->progress.done.load(std::memory_order_acquire);
    if (done < piece) return false;
    least = std::min(least, done);
  }
  known_done_ = least;
  return true;
}

bool SharedBroadcast::all_started(std::uint64_t number) const {
  for (const Member& member : members_) {
    if (member.lines->progress.started.load(std::memory_order_acquire) < number) return false;
  }
  return true;
}

}  // namespace aqueduct::extended::collectives
