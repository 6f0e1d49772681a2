#include "device/card.hpp"

#include <algorithm>
#include <bit>
#include <chrono>

#include "base/fatal.hpp"

namespace aqueduct::device {
namespace {

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace

std::size_t PinnedWindows::cover(Driver& driver, const HostRange& range, const void* address,
                                 std::size_t bytes) {
  const std::size_t offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - range.base);
  const std::size_t first = offset / kWindowBytes * kWindowBytes;
  std::byte* const base = range.base + first;
  const std::size_t length = std::min(kWindowBytes, range.bytes - first);
  const std::lock_guard guard(lock_);
  Window& window = windows_[base];
  if (window.bytes == 0) {
    window.bytes = length;
    if (pinned_bytes() + length <= most_bytes_ && !driver.pin(base, length).failed()) {
      window.is_pinned = true;
      pinned_bytes_.fetch_add(length, std::memory_order_relaxed);
    }
  }
  return std::min(bytes, first + length - offset);
}

void PinnedWindows::forget(Driver& driver, const HostRange& range) {
  const std::lock_guard guard(lock_);
  for (auto window = windows_.lower_bound(range.base);
       window != windows_.end() && window->first < range.base + range.bytes;) {
    if (window->second.is_pinned) {
      (void)driver.unpin(const_cast<std::byte*>(window->first));
      pinned_bytes_.fetch_sub(window->second.bytes, std::memory_order_relaxed);
    }
    window = windows_.erase(window);
  }
}

std::byte* ChunkRoom::take(Driver& driver) {
  const std::lock_guard guard(lock_);
  if (!memory_ && !is_refused_) {
    void* memory = nullptr;
    is_refused_ = driver.allocate_pinned(chunk_bytes_ * chunks_, &memory).failed();
    if (!is_refused_) memory_ = static_cast<std::byte*>(memory);
    free_.reserve(chunks_);
    for (unsigned i = 0; memory_ && i < chunks_; ++i) free_.push_back(memory_ + i * chunk_bytes_);
  }
  if (free_.empty()) return nullptr;
  std::byte* const chunk = free_.back();
  free_.pop_back();
  return chunk;
}

void ChunkRoom::give_back(std::byte* chunk) {
  const std::lock_guard guard(lock_);
  free_.push_back(chunk);
}

void ChunkRoom::close(Driver& driver) {
  const std::lock_guard guard(lock_);
  if (memory_) (void)driver.free_pinned(memory_);
  memory_ = nullptr;
  free_.clear();
}

std::unique_ptr<Card> Card::open(Family family, Driver& driver, const DeviceChoice& choice, RankId rank,
                                 PinnedWindows& windows, std::string* why) {
  const int ordinal = choice.ordinal;
  std::unique_ptr<Card> card(new Card(family, driver, choice, rank, windows));
  card->title_ = "device " + std::to_string(ordinal);
  auto refused = [&](const Outcome& outcome) {
    if (!outcome.failed()) return false;
    *why = "rank " + std::to_string(rank) + ", " + card->title_ + ": " + card->words(outcome);
    return true;
  };
  std::string name;
  if (refused(driver.name(ordinal, &name)) || refused(driver.id(ordinal, &card->id_))) return nullptr;
  card->title_ += " (" + name + ")";
  Context context = nullptr;
  if (refused(driver.open(choice, &context))) return nullptr;
  card->context_ = context;
  const Entered entered(driver, context);
  if (refused(entered.outcome)) return nullptr;
  for (Lane& lane : card->lanes_) {
    if (refused(driver.make_stream(&lane.stream))) return nullptr;
  }
  if (refused(driver.make_stream(&card->urgent_))) return nullptr;
  return card;
}

Card::~Card() {
  if (!context_) return;
  {
    const Entered entered(driver_, context_);
    for (Lane& lane : lanes_) {
      if (!lane.stream) continue;
      (void)driver_.wait(lane.stream);
      for (const Entry& entry : lane.entries) {
        if (entry.mark) marks_.push_back(entry.mark);
      }
      (void)driver_.destroy_stream(lane.stream);
    }
    if (urgent_) (void)driver_.destroy_stream(urgent_);
    for (const Mark mark : marks_) (void)driver_.destroy_mark(mark);
    in.close(driver_);
  }
  driver_.close(ordinal(), context_);
}

std::string Card::words(const Outcome& outcome) {
  return std::string(outcome.call) + ": " + driver_.meaning(outcome.code);
}

void Card::fail(const Outcome& outcome) {
  fatal("device", "rank %u, %s: %s", rank_, title_.c_str(), words(outcome).c_str());
}

Card::Lane& Card::lane_for(Direction direction) {
  Lane* const pair = &lanes_[2 * static_cast<unsigned>(direction)];
  if (pair[0].entries.empty()) return pair[0];
  return pair[++turn_ % 2];
}

void Card::copy(void* to, const void* from, std::size_t bytes, Direction direction, const HostRange& host,
                WhenDone when_done) {
  const Entered entered(driver_, context_);
  check(entered.outcome);
  const void* const on_host = direction == Direction::kToDevice ? from : to;
  const bool may_pin = direction != Direction::kOnDevice && host.contains(on_host, bytes);
  const std::lock_guard guard(lock_);
  Lane& lane = lane_for(direction);
  for (std::size_t done = 0; done < bytes;) {
    std::size_t piece = bytes - done;
    if (may_pin) piece = windows_.cover(driver_, host, static_cast<const std::byte*>(on_host) + done, piece);
    check(driver_.copy(static_cast<std::byte*>(to) + done, static_cast<const std::byte*>(from) + done, piece,
                       lane.stream));
    done += piece;
  }
  Entry entry{nullptr, when_done, bytes};
  // A copy that is alone on its stream is done when that is idle, which saves the mark.
  if (!lane.entries.empty()) {
    if (marks_.empty()) {
      check(driver_.make_mark(&entry.mark));
    } else {
      entry.mark = marks_.back();
      marks_.pop_back();
    }
    check(driver_.record(entry.mark, lane.stream));
  }
  lane.entries.push_back(entry);
  if (lane.entries.size() == 1) expect_first(lane, now_ns());
  under_way_.fetch_add(1, std::memory_order_relaxed);
}

void Card::copy_and_wait(void* to, const void* from, std::size_t bytes) {
  const Entered entered(driver_, context_);
  check(entered.outcome);
  const std::lock_guard guard(urgent_lock_);
  check(driver_.copy(to, from, bytes, urgent_));
  check(driver_.wait(urgent_));
}

void Card::finish_first(Lane& lane, std::vector<WhenDone>& done) {
  const Entry& first = lane.entries.front();
  if (first.mark) marks_.push_back(first.mark);
  done.push_back(first.when_done);
  lane.entries.pop_front();
  under_way_.fetch_sub(1, std::memory_order_relaxed);
}

std::uint64_t& Card::learned_for(const Lane& lane, std::size_t bytes) {
  const auto index = static_cast<std::size_t>(&lane - lanes_.data()) / 2;
  return learned_ns_[index][static_cast<std::size_t>(std::bit_width(bytes))];
}

void Card::learn(const Lane& lane, std::uint64_t now) {
  std::uint64_t& shortest = learned_for(lane, lane.entries.front().bytes);
  const std::uint64_t took = now - lane.since_ns;
  shortest = shortest == 0 ? took : std::min(took, shortest + shortest / 32 + 1);
}

// The driver is asked when the copy is nearly due, since each question takes about a microsecond of whoever
// sends and receives meanwhile. What is learned is not believed beyond 32 GB/s.
void Card::expect_first(Lane& lane, std::uint64_t now) {
  const Entry& first = lane.entries.front();
  const std::uint64_t most = first.bytes / 32;
  lane.since_ns = now;
  lane.look_ns = now + std::min(learned_for(lane, first.bytes) / 8 * 7, most);
}

void Card::look_again(Lane& lane, std::uint64_t now) {
  constexpr std::uint64_t kLongestPause = 2000;
  lane.look_ns = now + std::min((now - lane.since_ns) / 8, kLongestPause);
}

void Card::collect(std::vector<WhenDone>& done) {
  if (!has_copies() || !lock_.try_lock()) return;
  {
    const std::lock_guard guard(lock_, std::adopt_lock);
    const std::uint64_t now = now_ns();
    const auto is_due = [now](const Lane& lane) { return !lane.entries.empty() && now >= lane.look_ns; };
    if (std::ranges::none_of(lanes_, is_due)) return;
    const Entered entered(driver_, context_);
    check(entered.outcome);
    for (Lane& lane : lanes_) {
      if (!is_due(lane)) continue;
      // As many as the last mark that is reached, or all if the stream is idle.
      while (!lane.entries.empty()) {
        std::size_t marked = 0;
        while (marked < lane.entries.size() && !lane.entries[marked].mark) ++marked;
        bool is_done = false;
        if (marked == lane.entries.size()) {
          check(driver_.is_idle(lane.stream, &is_done));
          if (is_done) marked = lane.entries.size() - 1;
        } else {
          check(driver_.is_reached(lane.entries[marked].mark, &is_done));
        }
        if (!is_done) {
          look_again(lane, now);
          break;
        }
        if (marked == 0) learn(lane, now);
        for (std::size_t i = 0; i <= marked; ++i) finish_first(lane, done);
        if (lane.entries.empty()) break;
        expect_first(lane, now);
        if (now < lane.look_ns) break;
      }
    }
  }
}

void Card::drain() {
  const Entered entered(driver_, context_);
  check(entered.outcome);
  for (const Lane& lane : lanes_) check(driver_.wait(lane.stream));
  const std::lock_guard guard(lock_);
  for (Lane& lane : lanes_) lane.look_ns = 0;
}

}  // namespace aqueduct::device
