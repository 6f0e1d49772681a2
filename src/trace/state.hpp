// What the trace and the client's calls to it share; nothing for others.
#pragma once
#include <atomic>
#include <cstdarg>

#include "trace/journal.hpp"
#include "trace/statistics.hpp"

namespace aqueduct::trace {

/// The trace, or the statistics: a file and the categories that go to it.
struct Stream {
  Journal journal;
  std::atomic<Mask> mask{0};
  char mask_text[kMaskTextBytes] = "";

  bool takes(Category category) const { return (mask.load(std::memory_order_relaxed) & bit(category)) != 0; }
};

struct State {
  Stream trace;
  Stream counts;
  Statistics statistics;
  Journal heap_report;  ///< written at the end
  std::atomic<bool> traces_local{true};
  std::uint32_t rank = 0;
  std::uint64_t start_ns = 0;
};

/// The one of this process. It is never destroyed: threads may pass hooks until the very end.
State& state();

/// Where in the client's source this thread is, as the client said.
struct SourceLine {
  const char* file = nullptr;
  unsigned line = 0;
  bool is_frozen = false;
};
SourceLine& source_line();

/// Sets the categories of a stream; nothing happens if its file is not open.
void set_mask(Stream& stream, Mask mask);

/// Writes a line into a stream, with who, when and where before it.
void write_line(Stream& stream, Category category, const char* name, const char* format, va_list arguments);

void write_statistics(bool reset);

}  // namespace aqueduct::trace
