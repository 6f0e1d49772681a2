// Atomic memory operations: decodes a command of gni_amo.h and applies it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

namespace aqueduct::ugni {

struct AmoCommand {
  enum class Operation : std::uint8_t {
    kAdd,
    kAnd,
    kOr,
    kXor,
    kSwap,
    kAndXor,
    kCompareSwap,
    kMin,
    kMax,
    kFloatMin,
    kFloatMax,
    kFloatAdd,
  };
  Operation operation = Operation::kAdd;
  bool fetches = false;
  bool is_cached = false;
  std::size_t bytes = 8;  ///< of an operand: 4 or 8

  /// Nothing: there is no such command.
  static std::optional<AmoCommand> decode(std::uint32_t command);
};

/// Applies the command atomically, also with respect to processors, and returns the old value. `place` is
/// aligned to its operand.
std::uint64_t apply_amo(const AmoCommand& command, void* place, std::uint64_t first, std::uint64_t second);

}  // namespace aqueduct::ugni
