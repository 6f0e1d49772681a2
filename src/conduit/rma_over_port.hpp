// Put and get over the port of a fabric, without active messages: data goes from memory to memory, and is
// copied only if the fabric copies.
//
//   put   a message with the data as its payload, placed in the target's segment; the target answers `done`
//   get   a message that names the data, and the place that is posted for them; the target answers with a
//         message that has them as its payload
//
// The target's client takes no part: any thread that makes progress there answers. At most kMostOperations
// are under way at a time; beyond that put and get return kRetry. Answers wait in a list if there is no room;
// it is at most as long as the operations of other ranks.
//
// A put whose source is counted (Reuse::unreleased) leaves that to be read until it has been sent. One that
// must release it at return leaves that to the fabric, copies it if that does not and it is small, and
// otherwise waits until it has been sent.
//
// Threads: any; the port's reports come one at a time.
#pragma once
#include <array>
#include <atomic>
#include <deque>
#include <vector>

#include "base/spin_lock.hpp"
#include "conduit/conduit.hpp"
#include "fabric/fabric.hpp"

namespace aqueduct::conduit {

class RmaOverPort final : public Rma {
 public:
  static constexpr unsigned kMostOperations = 256;

  /// `name` begins its lines.
  RmaOverPort(const char* name, fabric::Port& port, Receiver& receiver)
      : name_(name), port_(port), receiver_(receiver) {}
  ~RmaOverPort();

  Post put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
           void* operation) override;
  Post get(RankId target, void* to, const void* from, std::size_t bytes, Done done, void* operation) override;

  /// This rank's segment.
  void set_segment(const SegmentBounds& segment) { segment_ = segment; }

  /// Whether a message, by its header, or a cookie belongs to this object.
  static bool is_ours(const fabric::Arrival& arrival) {
    return !arrival.header.empty() && static_cast<std::uint8_t>(arrival.header[0]) == kMark;
  }
  static bool is_ours(std::uint64_t cookie) { return (cookie & 1) != 0; }

  // The port's reports about them.
  void arrived(const fabric::Arrival& arrival);
  void landed(std::uint64_t cookie, fabric::Outcome outcome);
  void sent(std::uint64_t cookie);

  void count_resources(observe::ResourceCounts& counts);

  /// Sends answers that wait for room. Cheap if there are none.
  void poll() {
    if (has_answers_.load(std::memory_order_relaxed)) send_answers();
  }

 private:
  static constexpr std::uint8_t kMark = 0xf5;  // not the first byte of an active message (parts/am_codec.hpp)
  enum class Kind : std::uint8_t { kPut = 1, kPutDone, kGet, kGetData };

  struct RmaHeader {
    std::uint8_t mark = kMark;
    Kind kind = Kind::kPut;
    std::uint16_t spare = 0;
    std::uint32_t operation = 0;  // its number at the rank that started it
    std::uint64_t address = 0;    // of the data, at the target
    std::uint64_t bytes = 0;
    std::uint64_t place = 0;  ///< of a get's data, where it is posted; else 0
  };
  static_assert(sizeof(RmaHeader) == 32);

  /// An operation of this rank. Its number stays in use while something holds it: the awaited answer, the
  /// port until it reports sent(), a put that waits for that.
  struct Operation {
    unsigned holds = 0;
    std::atomic<bool> is_sent{false};
    Kind kind = Kind::kPut;
    RankId peer = 0;
    void* to = nullptr;
    std::size_t bytes = 0;
    Done done = nullptr;
    void* operation = nullptr;
    am::Unreleased* unreleased = nullptr;  // counts the source of a put until it is sent
    std::vector<std::byte> copy;           // of a source that was released
  };
  struct Answer {
    RankId peer = 0;
    RmaHeader header;
  };
  /// Operations stay where they are, so that whoever knows a number needs no lock to find its operation.
  static constexpr unsigned kInChunk = 32;
  using Chunk = std::array<Operation, kInChunk>;

  /// Starts an operation; null if too many are under way.
  Operation* begin(Kind kind, RankId peer, void* to, std::size_t bytes, Done done, void* operation,
                   unsigned holds, std::uint32_t* number);
  Operation& at(std::uint32_t number) {
    return (*chunks_[number / kInChunk].load(std::memory_order_acquire))[number % kInChunk];
  }
  void release(std::uint32_t number, unsigned holds = 1);
  /// The answer has come.
  void finish(std::uint32_t number);
  /// Ends the job.
  [[noreturn]] void broke_off(RankId peer, const char* what) const;
  /// The operation that a message answers; ends the job if there is none.
  std::uint32_t answered_by(const fabric::Arrival& arrival, const RmaHeader& header, Kind kind);
  void take_put(const fabric::Arrival& arrival, const RmaHeader& header);
  void answer(RankId peer, const RmaHeader& header);
  bool send_answer(const Answer& answer);
  void send_answers();
  [[noreturn]] void refuse(RankId source, const char* why) const;

  const char* name_;
  fabric::Port& port_;
  Receiver& receiver_;
  SegmentBounds segment_;
  std::atomic<bool> has_answers_{false};

  // Of operations that have begun, by number. Written with the lock; a chunk is made once.
  std::array<std::atomic<Chunk*>, kMostOperations / kInChunk> chunks_{};
  // Written with the lock. Threads that wait for others' operations look at it without, because the thread
  // that takes the answers needs the lock.
  std::atomic<unsigned> under_way_{0};

  SpinLock lock_;                 // guards what follows, and `holds` of operations
  std::uint32_t operations_ = 0;  // numbers that were ever in use
  std::vector<std::uint32_t> free_;
  std::deque<Answer> answers_;
  std::deque<Answer> landings_;  // the answers to puts that are landing
  std::vector<std::uint32_t> free_landings_;
};

}  // namespace aqueduct::conduit
