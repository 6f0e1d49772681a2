// A frame of a rank's stack, as reports have it.
//
// Whoever looks at the rank names the function and says which file the code is in. Lines of source are added
// where a report is written for a person, by a process that may run other programs (the command's
// watch/source_lines.hpp): supervisors reap every child as a rank of theirs and must have no other.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace aqueduct::observe {

/// A program or library that has line numbers (compiled with -g).
struct CodeFile {
  std::string path;      ///< as the rank's process calls it
  std::string identity;  ///< tells whether a file of another host, or a later one, is the same
  bool operator==(const CodeFile&) const = default;
  auto operator<=>(const CodeFile&) const = default;
};

struct Frame {
  static constexpr std::uint32_t kNoFile = ~std::uint32_t{0};

  std::string text;              ///< "main+0x12 in program 0x1234"
  std::uint32_t file = kNoFile;  ///< among the files of its rank; none if that has no line numbers
  std::uint64_t address = 0;     ///< in that file, of the call or of what is executed

  // Known only after somebody has looked them up, and not carried between hosts.
  std::string source{};                ///< "program.c:17"
  std::vector<std::string> inlined{};  ///< functions that the compiler has put here, "get at wait.h:5"
  bool operator==(const Frame&) const = default;
};

}  // namespace aqueduct::observe
