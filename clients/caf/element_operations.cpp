#include "clients/caf/element_operations.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace aqueduct::caf {
namespace {

template <class T, Reduction kReduction>
void combine(const void* left, void* right_and_result, std::size_t count, const void*) {
  const auto* in = static_cast<const char*>(left);
  auto* out = static_cast<char*>(right_and_result);
  for (std::size_t i = 0; i < count; ++i, in += sizeof(T), out += sizeof(T)) {
    T a, b;
    std::memcpy(&a, in, sizeof a);
    std::memcpy(&b, out, sizeof b);
    if constexpr (kReduction == Reduction::kSum)
      b = static_cast<T>(a + b);
    else if constexpr (kReduction == Reduction::kMin)
      b = a < b ? a : b;
    else
      b = a > b ? a : b;
    std::memcpy(out, &b, sizeof b);
  }
}

template <class T>
gex_Coll_ReduceFn_t function_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
      return combine<T, Reduction::kSum>;
    case Reduction::kMin:
      return combine<T, Reduction::kMin>;
    default:
      return combine<T, Reduction::kMax>;
  }
}

/// What a text's comparison must know.
struct Text {
  static std::size_t bytes(const void* context) {
    return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(context));
  }
};

template <Reduction kReduction>
void combine_text(const void* left, void* right_and_result, std::size_t count, const void* context) {
  const std::size_t bytes = Text::bytes(context);
  const auto* in = static_cast<const char*>(left);
  auto* out = static_cast<char*>(right_and_result);
  for (std::size_t i = 0; i < count; ++i, in += bytes, out += bytes) {
    const int order = std::memcmp(in, out, bytes);
    if (kReduction == Reduction::kMin ? order < 0 : order > 0) std::memcpy(out, in, bytes);
  }
}

bool find_integer(Reduction reduction, std::size_t bytes, ElementOperation& operation) {
  switch (bytes) {
    case 1:
      operation.function = function_of<std::int8_t>(reduction);
      return true;
    case 2:
      operation.function = function_of<std::int16_t>(reduction);
      return true;
    case 4:
      operation.type = GEX_DT_I32;
      return true;
    case 8:
      operation.type = GEX_DT_I64;
      return true;
    case 16:
      operation.function = function_of<__int128>(reduction);
      return true;
    default:
      return false;
  }
}

// Kinds 10 and 16 both have 16 bytes on x86-64, and a descriptor does not tell them apart: neither is taken.
bool find_real(std::size_t bytes, ElementOperation& operation) {
  switch (bytes) {
    case 4:
      operation.type = GEX_DT_FLT;
      return true;
    case 8:
      operation.type = GEX_DT_DBL;
      return true;
    default:
      return false;
  }
}

}  // namespace

bool find_operation(Reduction reduction, const Descriptor& array, ElementOperation& operation) {
  constexpr gex_OP_t kOps[] = {GEX_OP_ADD, GEX_OP_MIN, GEX_OP_MAX};
  operation.op = kOps[static_cast<int>(reduction)];
  const std::size_t bytes = array.dtype.element_bytes;
  switch (array.dtype.type) {
    case TypeCode::kInteger:
      return find_integer(reduction, bytes, operation);
    case TypeCode::kReal:
      return find_real(bytes, operation);
    case TypeCode::kComplex:
      operation.parts = 2;
      return reduction == Reduction::kSum && find_real(bytes / 2, operation);
    case TypeCode::kCharacter:
      operation.function =
          reduction == Reduction::kMin ? combine_text<Reduction::kMin> : combine_text<Reduction::kMax>;
      operation.context = reinterpret_cast<void*>(bytes);
      return reduction != Reduction::kSum;
    default:
      return false;
  }
}

}  // namespace aqueduct::caf
