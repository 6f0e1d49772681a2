// Trace and statistics: what a program asked the library to do, written as it happens (GASNET_TRACEFILE) and
// summed up at the end (GASNET_STATSFILE).
//
// A hook is one line where something happens:
//
//   if (trace::on(Category::kPut)) [[unlikely]]
//     trace::note(Category::kPut, "gex_RMA_PutNB", bytes, "to rank %u at %p", rank, address);
//
// When neither is asked for, that is a load and a branch. What the headers do inline has no hook; so that
// puts and gets are seen all the same, the library then keeps the inline code out (`is_watching`), as it does
// for the reference implementation.
//
// State is one for the process, as for the environment that switches it on. Hooks may be passed by any
// thread, also in handlers; they allocate nothing.
#pragma once
#include <cstddef>
#include <cstdint>

#include "aqueduct/tools/trace.h"
#include "trace/category.hpp"
#include "trace/timeline.hpp"

namespace aqueduct::trace {

/// Whether the category is traced or counted at the moment.
inline bool on(Category category) {
  return (__atomic_load_n(&aq_trace_watched_, __ATOMIC_RELAXED) & bit(category)) != 0;
}

/// Counts an event under its name and writes it into the trace, as the masks say. `amount` is bytes for what
/// moves them, nanoseconds for what waits, and of no interest otherwise. `name` must live for ever: a
/// literal.
void note(Category category, const char* name, std::uint64_t amount, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

/// The same for transfers with `target`, which GASNET_TRACELOCAL=0 leaves out of the trace if it is this
/// rank. `direction`: kGet or kPut.
void note_transfer(Category direction, const char* name, std::uint32_t target, const void* to,
                   const void* from, std::size_t bytes);

/// Notes, when it goes out of scope, that `name` took so long; also in the timeline (trace/timeline.hpp).
class Timed {
 public:
  Timed(Category category, const char* name, timeline::Kind kind = timeline::Kind::kWait)
      : category_(category), name_(name), start_ns_(on(category) ? now_ns() : 0), slice_(name, kind) {}
  ~Timed() {
    if (start_ns_ != 0) [[unlikely]]
      note_end();
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  static std::uint64_t now_ns();
  void note_end() const;
  Category category_;
  const char* name_;
  std::uint64_t start_ns_;
  timeline::Slice slice_;
};

/// A dump of up to 64 bytes, under the last event of this thread, if details are on.
void detail(const char* what, const void* data, std::size_t bytes);

/// Whether this process writes a trace or statistics, whatever the masks say at the moment.
bool is_watching();

/// Reads the settings and opens the files, once this process knows its rank. All ranks may share a file: it
/// is emptied by rank 0, so the others must open it later than that one. A file that cannot be opened is
/// fatal.
void open(std::uint32_t rank);

/// Times in the trace count from now: all ranks have met.
void start_clock();

/// Writes the statistics and all that has not been written. Called at every ordinary end of the process;
/// harmless when called again.
void finish();

}  // namespace aqueduct::trace
