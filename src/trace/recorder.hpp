// Where a rank's records lie: a ring of fixed size, with names, in a file that is mapped or in memory.
//
//   part      PartHeader │ Record │ Record │ ... capacity of them      48 bytes each
//
// Record n is at n % capacity; `written` counts all that were ever made, so that a reader knows how many are
// gone. Writers take a number each and fill its place, the kind last. A reader that looks when all have
// stopped sees whole records, but for those of a writer that was killed while it wrote: their kind is kNone.
//
// Times of live ranks are cycles of the processor where these are steady (tools/cycle_counter.hpp), which are
// read faster than any clock. Anchors say what they are in nanoseconds: the header has the first and the
// last, and whoever reads takes those that lie farthest apart among all ranks of a host.
//
// A slice is recorded when it ends. One that waits for long is kept in the header meanwhile, a place for each
// of the first threads, so that the last wait of a rank that is killed can be seen.
//
// A part is read on the machine that wrote it, or on one that has the same byte order.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "gasnet_tools/cycle_counter.hpp"
#include "trace/timeline.hpp"

namespace aqueduct::trace::timeline {

inline constexpr char kPartMagic[8] = {'A', 'Q', 'T', 'R', 'A', 'C', 'E', '3'};
inline constexpr std::size_t kNames = 512;
inline constexpr std::size_t kNameBytes = 48;
inline constexpr std::size_t kOpenSlices = 64;

/// The same moment in the times of records and in nanoseconds.
struct Anchor {
  std::uint64_t time = 0;
  std::uint64_t ns = 0;
};

struct PartHeader {
  char magic[8] = {};
  std::uint32_t rank = 0;
  std::uint32_t ranks = 0;
  std::uint64_t capacity = 0;
  Anchor first;  ///< when all ranks had met
  Anchor last;
  std::uint64_t host = 0;  ///< the same where clocks are the same
  std::uint32_t is_virtual = 0;
  std::uint32_t names_used = 0;  ///< not exact: entries without text are unused
  char host_name[64] = {};
  std::atomic<std::uint64_t> written{0};
  Record open[kOpenSlices];  ///< by thread; of kind kNone where there is none
  char names[kNames][kNameBytes] = {};
};

/// How many records a ring holds, unless AQUEDUCT_TRACE_EVENTS says otherwise.
inline constexpr std::uint64_t kDefaultCapacity = std::uint64_t{1} << 16;

inline std::size_t part_bytes(std::uint64_t capacity) {
  return sizeof(PartHeader) + capacity * sizeof(Record);
}

/// The file in which a rank of the job leaves its part.
std::string part_name(const std::string& file, std::uint32_t rank);

/// What is known of a thread of the client.
struct Caller {
  Slice* open = nullptr;  ///< the innermost one
  /// It looked and found nothing, again and again, from when and until when.
  bool is_polling = false;
  std::uint64_t polling_since = 0;
  std::uint64_t polling_until = 0;
};

class Recorder {
 public:
  /// `memory`, zeroed, has part_bytes(capacity) and lives as long. Records have the time of the clock, or
  /// cycles.
  Recorder(void* memory, std::uint64_t capacity, std::uint32_t rank, std::uint32_t ranks, Clock& clock,
           bool may_count_cycles);

  /// Any thread.
  void add(Record record);
  void add(const char* name, Record record);
  /// The first: the slice that the calling thread is in has waited for long. The second: it has ended.
  void keep_open(Record record);
  void forget_open();
  /// The time as records have it.
  std::uint64_t now() { return counts_cycles_ ? gasnet_tools::read_cycles() : clock_.now_ns(); }
  /// How many units of that time a microsecond has.
  std::uint64_t microsecond() const { return microsecond_; }
  /// The number of a name that lives for ever.
  std::uint16_t number_of(const char* name);
  /// Sets the last anchor to this moment.
  void drop_anchor();
  PartHeader& header() { return *header_; }
  const void* memory() const { return header_; }

  Caller caller;  ///< of a rank that has one thread: in simulations

 private:
  void measure_microsecond();

  PartHeader* const header_;
  Record* const records_;
  Clock& clock_;
  const bool counts_cycles_;
  std::uint64_t microsecond_ = 1000;
  std::atomic<const char*> names_[kNames] = {};
};

}  // namespace aqueduct::trace::timeline
