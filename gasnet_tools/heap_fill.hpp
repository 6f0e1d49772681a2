// What the checking allocator fills memory with: a byte, or a number of 64 bits repeated.
#pragma once
#include <cstddef>
#include <cstdint>

namespace aqueduct::gasnet_tools {

class HeapFill {
 public:
  /// As the variable says: 0 to 255 (a byte), another number, NAN or sNAN (signalling), qNAN (quiet). NAN if
  /// it is not set; fatal if it is malformed.
  static HeapFill from_environment(const char* variable);

  explicit HeapFill(std::uint64_t pattern) : pattern_(pattern) {}
  void write(void* memory, std::size_t bytes) const;
  /// The first byte that is not as write() left it; `bytes` if there is none.
  std::size_t find_change(const void* memory, std::size_t bytes) const;

 private:
  std::uint64_t pattern_;
};

}  // namespace aqueduct::gasnet_tools
