// CUDA's driver as tests use it: the stand-in, or that of the machine. Nothing of a toolkit is needed.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

namespace aqueduct::test {

/// What a test does beside the library, in the device's primary context. Any failure ends the program.
class Cuda {
 public:
  /// Null if there is no driver, or no device.
  static const Cuda* find();

  void* allocate(std::size_t bytes) const;
  /// Of cuMemCreate; null where the driver has none such. Others may map it if it `may_be_exported`.
  void* allocate_by_hand(std::size_t bytes, bool may_be_exported) const;
  void write(void* device, const void* from, std::size_t bytes) const;
  void read(void* to, const void* device, std::size_t bytes) const;
  std::vector<unsigned char> read(const void* device, std::size_t bytes) const;

  /// What is current for this thread.
  void* current() const;
  /// How much of the host's memory the driver keeps in place; nothing if it is not the stand-in.
  std::optional<std::size_t> pinned_bytes() const;
  /// Handles of Level Zero in the same library, where that has them. A device that is not there is null.
  void find_ze(int ordinal, void** device, void** context) const;
  void push(void* context) const;
  void pop() const;
  void* context() const { return context_; }

 private:
  Cuda() = default;
  void* context_ = nullptr;
  void* stream_ = nullptr;
};

}  // namespace aqueduct::test
