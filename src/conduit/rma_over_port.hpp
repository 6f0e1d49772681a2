// Put and get over the port of a fabric, without active messages: data goes from memory to memory, and is
// copied only if the fabric copies.
//
//   put   a message with the data as its payload, placed in the target's segment; the target answers `done`
//   get   a message that names the data, and the place that is posted for them; the target answers with a
//         message that has them as its payload
//
// The target's client takes no part: any thread that makes progress there answers. Of the operations of one
// thread at most OperationTable::kInShare are under way at a time; beyond that put and get return kRetry.
// Answers wait in a list if there is no room; it is at most as long as the operations of other ranks.
//
// A put whose source is counted (Reuse::unreleased) leaves that to be read until it has been sent. One that
// must release it at return leaves that to the fabric, copies it if that does not and it is small, and
// otherwise waits until it has been sent.
//
// The port reports that a message was sent only where something waits for that: a counted source, a copy. So
// most operations end with their answer.
//
// Threads: any; the port's reports come one at a time. Threads that start operations have no lock in common
// with each other, nor with the one that takes in the answers (operation_table.hpp says why that is enough).
#pragma once
#include <atomic>
#include <deque>
#include <vector>

#include "base/spin_lock.hpp"
#include "conduit/conduit.hpp"
#include "conduit/operation_table.hpp"
#include "fabric/fabric.hpp"

namespace aqueduct::conduit {

class RmaOverPort final : public Rma {
 public:
  /// `name` begins its lines.
  RmaOverPort(const char* name, fabric::Port& port, Receiver& receiver)
      : name_(name), port_(port), receiver_(receiver) {}

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

  /// What an operation awaits: whose answer, to what.
  static constexpr std::uint64_t answer_of(Kind kind, RankId peer) {
    return std::uint64_t{peer} << 8 | static_cast<std::uint8_t>(kind);
  }

  struct Answer {
    RankId peer = 0;
    RmaHeader header;
  };

  /// Starts an operation, which has `holds` from now on: one until the answer has come, and one for each
  /// other reason to keep it. Null if too many are under way.
  PortOperation* begin(Kind kind, RankId peer, void* to, std::size_t bytes, Done done, void* operation,
                       unsigned holds);
  /// It was not sent.
  void give_up(PortOperation& operation, unsigned holds);
  /// The answer has come.
  void finish(PortOperation& operation);
  /// Ends the job.
  [[noreturn]] void broke_off(RankId peer, const char* what) const;
  /// The operation that a message answers; ends the job if there is none.
  PortOperation& answered_by(const fabric::Arrival& arrival, const RmaHeader& header, Kind kind);
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

  OperationTable operations_;

  SpinLock lock_;  // guards what follows: operations of other ranks
  std::deque<Answer> answers_;
  std::deque<Answer> landings_;  // the answers to puts that are landing
  std::vector<std::uint32_t> free_landings_;
};

}  // namespace aqueduct::conduit
