// Put and get over the port of a fabric, without active messages: data goes from memory to memory, with no
// copy of ours where the fabric makes none.
//
//   put   a message whose payload is the data; the target lands it in its segment and answers `done`
//   get   a message that names the data; the target answers with a message whose payload it is
//
// The target's client takes no part: whoever makes progress there answers. At most kMostOperations are under
// way at a time, then kRetry. Answers that there is no room for wait in a list, which is as long as the
// operations of others.
//
// A put that must give its source back at once is copied if it is not too large, and otherwise waited for.
//
// Threads: any; the PortClient whose calls are passed on has them one at a time.
#pragma once
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

  Post put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
           void* operation) override;
  Post get(RankId target, void* to, const void* from, std::size_t bytes, Done done, void* operation) override;

  /// This rank's segment.
  void set_segment(const SegmentBounds& segment) { segment_ = segment; }

  /// Whether a message is one of these, by its header; and a cookie, one that was given here.
  static bool is_ours(const fabric::Arrival& arrival) {
    return !arrival.header.empty() && static_cast<std::uint8_t>(arrival.header[0]) == kMark;
  }
  static bool is_ours(std::uint64_t cookie) { return (cookie & 1) != 0; }

  // What the port reports of them.
  void arrived(const fabric::Arrival& arrival);
  void landed(std::uint64_t cookie, fabric::Outcome outcome);
  void sent(std::uint64_t cookie);

  /// Sends answers that there was no room for. Cheap if there are none.
  void poll() {
    if (has_answers_.load(std::memory_order_relaxed)) send_answers();
  }

 private:
  static constexpr std::uint8_t kMark = 0xf5;  // no version of an active message (parts/am_codec.hpp)
  enum class Kind : std::uint8_t { kPut = 1, kPutDone, kGet, kGetData };

  struct RmaHeader {
    std::uint8_t mark = kMark;
    Kind kind = Kind::kPut;
    std::uint16_t spare = 0;
    std::uint32_t operation = 0;  // of whoever asked
    std::uint64_t address = 0;    // of the data, at the target
    std::uint64_t bytes = 0;
  };
  static_assert(sizeof(RmaHeader) == 24);

  /// Of ours. Its number stays in use while somebody holds it: the answer that is awaited, the port that has
  /// not said sent(), a put that waits for that.
  struct Operation {
    unsigned holds = 0;
    std::atomic<bool> is_sent{false};
    Kind kind = Kind::kPut;
    RankId peer = 0;
    void* to = nullptr;
    std::size_t bytes = 0;
    Done done = nullptr;
    void* operation = nullptr;
    std::vector<std::byte> copy;  // of a source that was given back
  };
  struct Answer {
    RankId peer = 0;
    RmaHeader header;
  };

  /// Null: too many are under way.
  Operation* begin(Kind kind, RankId peer, void* to, std::size_t bytes, Done done, void* operation,
                   unsigned holds, std::uint32_t* number);
  Operation& at(std::uint32_t number);
  void release(std::uint32_t number, unsigned holds = 1);
  /// The answer has come.
  void finish(std::uint32_t number);
  /// Ends the job.
  [[noreturn]] void broke_off(RankId peer, const char* what) const;
  /// The operation of ours that a message answers; ends the job if there is none.
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

  SpinLock lock_;                     // of what follows
  std::deque<Operation> operations_;  // by number
  std::vector<std::uint32_t> free_;
  unsigned under_way_ = 0;
  std::deque<Answer> answers_;
  std::deque<Answer> landings_;  // of puts: what to answer
  std::vector<std::uint32_t> free_landings_;
};

}  // namespace aqueduct::conduit
