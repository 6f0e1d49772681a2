// A device that this process has opened: its context, the copies under way on it, and pinned memory for
// those.
//
// Copies are started on streams of the card's own, two for each direction, and are asynchronous: whoever
// starts one says what is to be called when it is done, and collect() finds out; it asks the driver when a
// copy of that size is nearly due. Copies on one card may end in any order. The caller's current context is
// the same after every call.
//
// Host memory that is pinned is copied at full speed, and only then asynchronously. Of a segment, the parts
// that are used are pinned for good when they are first used, in windows (PinnedWindows); a copy that crosses
// a window's end is two for the driver. Chunks of pinned memory (ChunkRoom) are there for what comes in
// messages.
//
// An error of the driver in here ends the job with one line that names rank and device: a card that has
// fallen out answers every call with one.
//
// Threads: any. One lock for the streams, one for each room; nothing is called back with one held.
#pragma once
#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/spin_lock.hpp"
#include "base/types.hpp"
#include "device/driver.hpp"

namespace aqueduct::device {

/// What is called when a copy is done. Plain data; nothing is called if `call` is null.
struct WhenDone {
  void (*call)(void* subject, std::uint64_t detail) = nullptr;
  void* subject = nullptr;
  std::uint64_t detail = 0;
};

enum class Direction : std::uint8_t { kToDevice, kFromDevice, kOnDevice };

/// Host memory that may be pinned: a segment as it lies here. Empty: none.
struct HostRange {
  std::byte* base = nullptr;
  std::size_t bytes = 0;

  bool contains(const void* address, std::size_t length) const {
    const std::size_t offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base);
    return offset < bytes && length <= bytes - offset;
  }
};

/// Which windows of host memory are pinned. One for each family of drivers, since what is pinned is pinned
/// for all its devices.
class PinnedWindows {
 public:
  static constexpr std::size_t kWindowBytes = std::size_t{16} << 20;

  explicit PinnedWindows(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// How much of [address, address + bytes), which lies in `range`, is in one window; that is pinned when it
  /// returns, unless the system refuses or as much is pinned as may be. In a context.
  std::size_t cover(Driver& driver, const HostRange& range, const void* address, std::size_t bytes);
  /// Nothing of the range will be used any more. In a context.
  void forget(Driver& driver, const HostRange& range);

  std::size_t pinned_bytes() const { return pinned_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Window {
    std::size_t bytes = 0;
    bool is_pinned = false;
  };

  const std::size_t most_bytes_;
  SpinLock lock_;
  std::map<const std::byte*, Window> windows_;
  std::atomic<std::size_t> pinned_bytes_{0};
};

/// Chunks of pinned memory, all of one size; made when the first is taken.
class ChunkRoom {
 public:
  ChunkRoom(std::size_t chunk_bytes, unsigned chunks) : chunk_bytes_(chunk_bytes), chunks_(chunks) {}

  std::size_t chunk_bytes() const { return chunk_bytes_; }
  /// Null if all are in use, or there is no memory for any. In a context.
  std::byte* take(Driver& driver);
  void give_back(std::byte* chunk);
  /// In a context.
  void close(Driver& driver);

 private:
  const std::size_t chunk_bytes_;
  const unsigned chunks_;
  SpinLock lock_;
  std::byte* memory_ = nullptr;
  bool is_refused_ = false;
  std::vector<std::byte*> free_;
};

class Card {
 public:
  /// Null, with the reason in `*why`, if the device cannot be opened. `rank` is for error lines.
  static std::unique_ptr<Card> open(Family family, Driver& driver, const DeviceChoice& choice, RankId rank,
                                    PinnedWindows& windows, std::string* why);
  ~Card();
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  Family family() const { return family_; }
  Driver& driver() { return driver_; }
  int ordinal() const { return choice_.ordinal; }
  const DeviceChoice& choice() const { return choice_; }
  Context context() const { return context_; }
  const DeviceId& id() const { return id_; }
  /// "device 0 (NVIDIA H200)"
  const std::string& title() const { return title_; }
  /// What an outcome means, for an error line.
  std::string words(const Outcome& outcome);
  /// Ends the job if `outcome` is an error.
  void check(const Outcome& outcome) {
    if (outcome.failed()) [[unlikely]]
      fail(outcome);
  }

  /// Starts a copy. `host`: where the host's side lies, if it may be pinned.
  void copy(void* to, const void* from, std::size_t bytes, Direction direction, const HostRange& host,
            WhenDone when_done);
  /// Copies, and waits for it: for what may not stay where it is.
  void copy_and_wait(void* to, const void* from, std::size_t bytes);
  bool has_copies() const { return under_way_.load(std::memory_order_relaxed) != 0; }
  /// Adds what is to be called for copies that are done. Nothing if another thread looks already.
  void collect(std::vector<WhenDone>& done);
  /// Waits until everything that has been started is done on the device; collect() reports it afterwards.
  void drain();

  ChunkRoom in{std::size_t{64} << 10, 128};  ///< for what has come in messages

 private:
  struct Entry {
    Mark mark;  ///< null: reached when the stream is idle, or a later mark is reached
    WhenDone when_done;
    std::size_t bytes = 0;
  };
  struct Lane {
    Stream stream = nullptr;
    std::deque<Entry> entries;
    std::uint64_t since_ns = 0;  ///< the first of them is under way, as far as is known
    std::uint64_t look_ns = 0;   ///< the driver is not asked before
  };

  Card(Family family, Driver& driver, const DeviceChoice& choice, RankId rank, PinnedWindows& windows)
      : family_(family), driver_(driver), choice_(choice), rank_(rank), windows_(windows) {}
  [[noreturn, gnu::cold]] void fail(const Outcome& outcome);
  Lane& lane_for(Direction direction);
  void finish_first(Lane& lane, std::vector<WhenDone>& done);
  std::uint64_t& learned_for(const Lane& lane, std::size_t bytes);
  void learn(const Lane& lane, std::uint64_t now_ns);
  void expect_first(Lane& lane, std::uint64_t now_ns);
  void look_again(Lane& lane, std::uint64_t now_ns);

  const Family family_;
  Driver& driver_;
  const DeviceChoice choice_;
  const RankId rank_;
  PinnedWindows& windows_;
  Context context_ = nullptr;
  DeviceId id_{};
  std::string title_;
  std::atomic<unsigned> under_way_{0};
  SpinLock lock_;
  std::array<Lane, 6> lanes_;
  /// The shortest time that a copy of such a size (its number of bits) and direction has taken lately; 0:
  /// none has.
  std::array<std::array<std::uint64_t, 65>, 3> learned_ns_{};
  SpinLock urgent_lock_;
  Stream urgent_ = nullptr;
  unsigned turn_ = 0;
  std::vector<Mark> marks_;
};

}  // namespace aqueduct::device
