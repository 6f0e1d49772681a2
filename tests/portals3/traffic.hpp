// Random traffic between processes that know only the Portals interface: what each operation should do, and
// what was seen of it on both sides.
//
// A process opens windows for the others: one that is written at given offsets, one that is read, buffers
// that fill up and are replaced, and a word that is swapped. Every operation has a number, which travels in
// its match bits, and a place of its own, so that both sides can say what became of it.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "portals3.h"
#include "support/random.hpp"

namespace aqueduct::test {

/// How a run is to be.
struct TrafficPlan {
  unsigned processes = 2;
  unsigned operations = 12;  ///< by each process
  unsigned queue_events = 1024;
  bool provokes_failures = false;  ///< with PtlFailNid
  bool impatient = false;          ///< unlinks descriptors while answers may still come
  bool strays = false;             ///< sends to processes that are not there
  std::uint64_t end_ns = 100'000'000;
};

enum class Deed : std::uint8_t { kWrite, kRead, kAppend, kSwap };

struct Operation {
  Deed deed = Deed::kWrite;
  unsigned origin = 0, target = 0;
  std::uint32_t place = 0;  ///< among those of its origin
  std::size_t bytes = 0;
  bool ack_wanted = false;
  bool begun = false;      ///< false: it was refused, and is none
  bool stray = false;      ///< to nobody
  bool abandoned = false;  ///< its descriptor was unlinked
  std::vector<std::byte> local;
  std::vector<std::byte> swapped;  ///< what a swap sends
  // At its origin.
  unsigned send_starts = 0, send_ends = 0, send_failures = 0, acks = 0, ack_failures = 0, replies = 0,
           reply_failures = 0;
  std::uint64_t acknowledged = 0;  ///< bytes
  // At its target.
  unsigned starts = 0, ends = 0, end_failures = 0;
};

class Traffic;

/// One process. main() runs where the Ptl functions are its own, and may wait in them.
class Correspondent {
 public:
  Correspondent(Traffic& traffic, unsigned number, std::uint64_t seed);
  void main();

  ptl_process_id_t id{};
  bool ready = false, finished = false;
  unsigned lost_reports = 0;  ///< PTL_EQ_DROPPED
  std::uint64_t counters[PTL_SR_COUNT] = {};
  std::vector<std::byte> window;     ///< a place for each operation of each process
  std::vector<std::byte> word;       ///< that is swapped
  std::vector<std::uint32_t> order;  ///< operations in the order of their START events here

 private:
  struct Buffer {
    std::vector<std::byte> bytes;
  };

  void open();
  void offer(ptl_match_bits_t selector, std::vector<std::byte>& memory, unsigned options,
             std::uint64_t max_size, ptl_unlink_t unlink_op);
  void hang_buffer(Buffer& buffer);
  void begin(Operation& operation, std::uint32_t number);
  /// Works off events; waits for them for up to so many milliseconds.
  void attend(ptl_time_t milliseconds);
  void at_origin(const ptl_event_t& event, Operation& operation);
  void at_target(const ptl_event_t& event, Operation& operation, std::uint32_t number);
  std::uint64_t pick(std::uint64_t choices) { return random_() % choices; }

  Traffic& traffic_;
  unsigned number_;
  Random random_;
  ptl_handle_ni_t ni_ = 0;
  ptl_handle_eq_t queues_[2] = {};  ///< what others do here, what we do
  ptl_handle_md_t pool_ = 0;        ///< over all our operations' memory
  std::vector<std::byte> readable_;
  std::vector<std::byte> pool_bytes_;
  std::deque<Buffer> buffers_;
  std::uint64_t next_sequence_[2] = {1, 1};
};

class Traffic {
 public:
  Traffic(TrafficPlan plan, std::uint64_t seed, std::function<std::uint64_t()> now_ns);

  Correspondent& process(unsigned number) { return *processes_[number]; }
  const Correspondent& process(unsigned number) const { return *processes_[number]; }
  /// What went wrong, if anything. `crashes`: some processes may have gone without a word. `loses`: messages
  /// may have been lost for good.
  std::string verdict(bool crashes, bool loses);

  void complain(std::string what) {
    if (wrong.empty()) wrong = std::move(what);
  }

  static constexpr std::size_t kPlaceBytes = 2048;

  TrafficPlan plan;
  std::function<std::uint64_t()> now_ns;
  std::deque<Operation> operations;  ///< by number
  std::string wrong;
  std::uint64_t digest = 0;

 private:
  friend class Correspondent;
  std::string check(const Operation& operation, std::uint32_t number, bool crashes, bool loses,
                    bool loses_events);
  std::string check_counters();
  std::vector<std::unique_ptr<Correspondent>> processes_;
};

/// The bytes of operation `number`, and those that process `owner` lets others read.
std::byte written_byte(std::uint32_t number, std::size_t offset);
std::byte readable_byte(unsigned owner, std::size_t offset);

}  // namespace aqueduct::test
