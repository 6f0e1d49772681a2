// Which of the library's reductions an operation on a type is, if it is one.
#ifndef AQUEDUCT_CXX_REDUCTION_HPP_
#define AQUEDUCT_CXX_REDUCTION_HPP_

#include <algorithm>
#include <cstring>
#include <functional>
#include <type_traits>

#include "aqueduct/cxx/config.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

// Operations that <functional> lacks.
struct minimum {
  template <class T>
  constexpr T operator()(const T& a, const T& b) const {
    return std::min(a, b);
  }
};
struct maximum {
  template <class T>
  constexpr T operator()(const T& a, const T& b) const {
    return std::max(a, b);
  }
};

namespace detail {

// The library's name of an arithmetic type; 0 if it has none.
template <class T>
constexpr gex_DT_t library_type() {
  if constexpr (std::is_same_v<T, float>) return GEX_DT_FLT;
  if constexpr (std::is_same_v<T, double>) return GEX_DT_DBL;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) == 4) {
    return std::is_signed_v<T> ? GEX_DT_I32 : GEX_DT_U32;
  }
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) return std::is_signed_v<T> ? GEX_DT_I64 : GEX_DT_U64;
  return 0;
}

template <class Op, template <class> class Standard, class T>
constexpr bool is_standard() {
  return std::is_same_v<Op, Standard<void>> || std::is_same_v<Op, Standard<T>>;
}

// The library's name of an operation on a type; 0 if it has none.
template <class Op, class T>
constexpr gex_OP_t library_operation() {
  if constexpr (library_type<T>() == 0) return 0;
  if constexpr (is_standard<Op, std::plus, T>()) return GEX_OP_ADD;
  if constexpr (is_standard<Op, std::multiplies, T>()) return GEX_OP_MULT;
  if constexpr (std::is_same_v<Op, minimum>) return GEX_OP_MIN;
  if constexpr (std::is_same_v<Op, maximum>) return GEX_OP_MAX;
  if constexpr (std::is_integral_v<T>) {
    if constexpr (is_standard<Op, std::bit_and, T>()) return GEX_OP_AND;
    if constexpr (is_standard<Op, std::bit_or, T>()) return GEX_OP_OR;
    if constexpr (is_standard<Op, std::bit_xor, T>()) return GEX_OP_XOR;
  }
  return 0;
}

// For operations of the program: combines elements that may lie anywhere in memory.
template <class Op, class T>
void combine(const void* left, void* right_and_result, std::size_t count, const void* operation) {
  const Op& op = *static_cast<const Op*>(operation);
  for (std::size_t i = 0; i < count; ++i) {
    T a;
    T b;
    std::memcpy(&a, static_cast<const char*>(left) + i * sizeof(T), sizeof(T));
    std::memcpy(&b, static_cast<char*>(right_and_result) + i * sizeof(T), sizeof(T));
    b = op(a, b);
    std::memcpy(static_cast<char*>(right_and_result) + i * sizeof(T), &b, sizeof(T));
  }
}

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
