#include "extended/collectives/combiner.hpp"

#include <cstdint>
#include <type_traits>

namespace aqueduct::extended::collectives {
namespace {

// Overflow of signed integers wraps around, as it does in the atomics: the arithmetic is unsigned.
template <class T, class Apply>
T in_unsigned(T left, T right, Apply apply) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(apply(static_cast<Unsigned>(left), static_cast<Unsigned>(right)));
  } else {
    return apply(left, right);
  }
}

struct Add {
  template <class T>
  static T apply(T left, T right) {
    return in_unsigned(left, right, [](auto a, auto b) { return a + b; });
  }
};
struct Multiply {
  template <class T>
  static T apply(T left, T right) {
    return in_unsigned(left, right, [](auto a, auto b) { return a * b; });
  }
};
struct Least {
  template <class T>
  static T apply(T left, T right) {
    return left < right ? left : right;
  }
};
struct Most {
  template <class T>
  static T apply(T left, T right) {
    return left > right ? left : right;
  }
};
struct And {
  template <class T>
  static T apply(T left, T right) {
    return left & right;
  }
};
struct Or {
  template <class T>
  static T apply(T left, T right) {
    return left | right;
  }
};
struct Xor {
  template <class T>
  static T apply(T left, T right) {
    return left ^ right;
  }
};

// A loop of known length over memory that does not overlap: -O2 makes vector instructions of it.
template <class T, class Operation, std::size_t kCount>
void some(const T* __restrict left, T* __restrict right) {
  for (std::size_t i = 0; i < kCount; ++i) right[i] = Operation::apply(left[i], right[i]);
}

template <class T, class Operation>
void each(const void* left, void* right, std::size_t count, const void*) {
  constexpr std::size_t kTogether = 128 / sizeof(T);
  const T* a = static_cast<const T*>(left);
  T* b = static_cast<T*>(right);
  for (; count >= kTogether; count -= kTogether, a += kTogether, b += kTogether)
    some<T, Operation, kTogether>(a, b);
  for (std::size_t i = 0; i < count; ++i) b[i] = Operation::apply(a[i], b[i]);
}

template <class T>
gex_Coll_ReduceFn_t operation_on(gex_OP_t operation) {
  switch (operation) {
    case GEX_OP_ADD:
      return each<T, Add>;
    case GEX_OP_MULT:
      return each<T, Multiply>;
    case GEX_OP_MIN:
      return each<T, Least>;
    case GEX_OP_MAX:
      return each<T, Most>;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
      case GEX_OP_AND:
        return each<T, And>;
      case GEX_OP_OR:
        return each<T, Or>;
      case GEX_OP_XOR:
        return each<T, Xor>;
      default:
        break;
    }
  }
  return nullptr;
}

}  // namespace

gex_Coll_ReduceFn_t built_in_operation(gex_DT_t type, gex_OP_t operation) {
  switch (type) {
    case GEX_DT_I32:
      return operation_on<std::int32_t>(operation);
    case GEX_DT_U32:
      return operation_on<std::uint32_t>(operation);
    case GEX_DT_I64:
      return operation_on<std::int64_t>(operation);
    case GEX_DT_U64:
      return operation_on<std::uint64_t>(operation);
    case GEX_DT_FLT:
      return operation_on<float>(operation);
    case GEX_DT_DBL:
      return operation_on<double>(operation);
    default:
      return nullptr;
  }
}

std::size_t built_in_bytes(gex_DT_t type) {
  switch (type) {
    case GEX_DT_I32:
    case GEX_DT_U32:
    case GEX_DT_FLT:
      return 4;
    case GEX_DT_I64:
    case GEX_DT_U64:
    case GEX_DT_DBL:
      return 8;
    default:
      return 0;
  }
}

}  // namespace aqueduct::extended::collectives
