// One line of a trace (GASNET_TRACEFILE), taken apart.
//
//   3(4711) 0.001234s> [hello.c:12] (P) gex_RMA_PutBlocking: to rank 1, 64 bytes
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace aqueduct::trace_report {

/// The texts are parts of the line that was given, and live as long as it.
struct TraceLine {
  std::uint32_t rank;
  std::uint32_t thread;
  double seconds;          ///< since the ranks met
  std::string_view where;  ///< file:line, or empty
  char category;
  std::string_view call;        ///< empty where a client wrote the line
  std::optional<double> bytes;  ///< that it moved
  std::optional<double> ns;     ///< that it took
};

/// Nothing if the text, without its newline, is no line of a trace.
std::optional<TraceLine> parse(std::string_view text);

}  // namespace aqueduct::trace_report
