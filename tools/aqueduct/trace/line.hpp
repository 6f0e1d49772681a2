// The parts of one line of a trace (GASNET_TRACEFILE).
//
//   3(4711) 0.001234s> [hello.c:12] (P) gex_RMA_PutBlocking: to rank 1, 64 bytes
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace aqueduct::trace_report {

/// The texts are parts of the given line, and live as long as it.
struct TraceLine {
  std::uint32_t rank;
  std::uint32_t thread;
  double seconds;          ///< since the ranks met
  std::string_view where;  ///< file:line, or empty
  char category;
  std::string_view call;        ///< empty if a client wrote the line
  std::optional<double> bytes;  ///< the bytes that the call moved
  std::optional<double> ns;     ///< the time that the call took
};

/// Nothing if the text, which has no newline, is not a line of a trace.
std::optional<TraceLine> parse(std::string_view text);

}  // namespace aqueduct::trace_report
