// The pattern with which the checking allocator fills memory: a byte, or a repeated number of 64 bits.
#pragma once
#include <cstddef>
#include <cstdint>

namespace aqueduct::gasnet_tools {

class HeapFill {
 public:
  /// Reads the variable: 0 to 255 (a byte), another number, NAN or sNAN (signalling), qNAN (quiet). NAN if it
  /// is not set; fatal if it is malformed.
  static HeapFill from_environment(const char* variable);

  explicit HeapFill(std::uint64_t pattern) : pattern_(pattern) {}
  void write(void* memory, std::size_t bytes) const;
  /// The first byte that write() has not left so; `bytes` if there is none.
  std::size_t find_change(const void* memory, std::size_t bytes) const;

 private:
  std::uint64_t pattern_;
};

}  // namespace aqueduct::gasnet_tools
