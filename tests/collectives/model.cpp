#include "collectives/model.hpp"

#include <algorithm>

namespace aqueduct::test {
namespace {

template <class T>
Bytes as_bytes(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Whole numbers, so small that sums and products of a few ranks are exact in every type.
template <class T>
Bytes small_numbers(std::uint64_t key, gex_Rank_t rank, std::size_t count, unsigned range) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(1 + key_of(key, rank, i) % range);
  return as_bytes(values);
}

template <class T>
Bytes any_bits(std::uint64_t key, gex_Rank_t rank, std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(key_of(key, rank, i));
  return as_bytes(values);
}

// Elements may lie anywhere: the model reads and writes them byte by byte.
template <class T, class Apply>
Combine on_elements(Apply apply) {
  return [apply](const std::byte* left, std::byte* right, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      T a, b;
      std::memcpy(&a, left + i * sizeof(T), sizeof(T));
      std::memcpy(&b, right + i * sizeof(T), sizeof(T));
      b = static_cast<T>(apply(a, b));
      std::memcpy(right + i * sizeof(T), &b, sizeof(T));
    }
  };
}

template <class T>
void add_type(std::vector<Flavour>& all, const std::string& name, gex_DT_t type) {
  const auto add = [&](const char* operation_name, gex_OP_t operation, unsigned range, auto apply) {
    all.push_back({name + operation_name, type, sizeof(T), operation, nullptr, nullptr,
                   [range](std::uint64_t key, gex_Rank_t rank, std::size_t count) {
                     if constexpr (std::is_integral_v<T>) {
                       if (range == 0) return any_bits<T>(key, rank, count);
                     }
                     return small_numbers<T>(key, rank, count, range == 0 ? 1000 : range);
                   },
                   on_elements<T>(apply)});
  };
  using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
  add("Add", GEX_OP_ADD, 0, [](T a, T b) { return static_cast<Wide>(a) + static_cast<Wide>(b); });
  add("Mult", GEX_OP_MULT, 2, [](T a, T b) { return static_cast<Wide>(a) * static_cast<Wide>(b); });
  add("Min", GEX_OP_MIN, 0, [](T a, T b) { return std::min(a, b); });
  add("Max", GEX_OP_MAX, 0, [](T a, T b) { return std::max(a, b); });
  if constexpr (std::is_integral_v<T>) {
    add("And", GEX_OP_AND, 0, [](T a, T b) { return a & b; });
    add("Or", GEX_OP_OR, 0, [](T a, T b) { return a | b; });
    add("Xor", GEX_OP_XOR, 0, [](T a, T b) { return a ^ b; });
  }
}

// The client's own: elements of any size, added byte by byte. cdata is the size.
void add_bytes(const void* left, void* right, std::size_t count, const void* cdata) {
  const auto* a = static_cast<const unsigned char*>(left);
  auto* b = static_cast<unsigned char*>(right);
  const std::size_t bytes = count * reinterpret_cast<std::size_t>(cdata);
  for (std::size_t i = 0; i < bytes; ++i) b[i] = static_cast<unsigned char>(a[i] + b[i]);
}

void join_intervals(const void* left, void* right, std::size_t count, const void*) {
  const auto* a = static_cast<const Interval*>(left);
  auto* b = static_cast<Interval*>(right);
  for (std::size_t i = 0; i < count; ++i)
    b[i] = a[i].first != kBroken && a[i].end == b[i].first ? Interval{a[i].first, b[i].end}
                                                           : Interval{kBroken, kBroken};
}

// Two by two matrices over the integers modulo 2^32: associative, hardly ever commutative.
struct Matrix {
  std::uint32_t a, b, c, d;
};
void multiply_matrices(const void* left, void* right, std::size_t count, const void*) {
  const auto* l = static_cast<const Matrix*>(left);
  auto* r = static_cast<Matrix*>(right);
  for (std::size_t i = 0; i < count; ++i)
    r[i] = {l[i].a * r[i].a + l[i].b * r[i].c, l[i].a * r[i].b + l[i].b * r[i].d,
            l[i].c * r[i].a + l[i].d * r[i].c, l[i].c * r[i].b + l[i].d * r[i].d};
}

Flavour own(const char* name, std::size_t element_bytes, gex_OP_t operation, gex_Coll_ReduceFn_t function) {
  void* const cdata = reinterpret_cast<void*>(element_bytes);
  return {name,
          GEX_DT_USER,
          element_bytes,
          operation,
          function,
          cdata,
          [element_bytes](std::uint64_t key, gex_Rank_t rank, std::size_t count) {
            return contribution(key, rank, count * element_bytes);
          },
          [function, cdata](const std::byte* left, std::byte* right, std::size_t count) {
            function(left, right, count, cdata);
          }};
}

std::vector<Flavour> make_flavours() {
  std::vector<Flavour> all;
  add_type<std::int32_t>(all, "I32", GEX_DT_I32);
  add_type<std::uint32_t>(all, "U32", GEX_DT_U32);
  add_type<std::int64_t>(all, "I64", GEX_DT_I64);
  add_type<std::uint64_t>(all, "U64", GEX_DT_U64);
  add_type<float>(all, "Flt", GEX_DT_FLT);
  add_type<double>(all, "Dbl", GEX_DT_DBL);
  all.push_back(own("UserBytes1", 1, GEX_OP_USER, add_bytes));
  all.push_back(own("UserBytes3", 3, GEX_OP_USER, add_bytes));
  all.push_back(own("UserBytes100", 100, GEX_OP_USER, add_bytes));
  all.push_back(own("UserBytes40000", 40000, GEX_OP_USER, add_bytes));
  all.push_back(own("UserMatrix", sizeof(Matrix), GEX_OP_USER_NC, multiply_matrices));
  Flavour intervals = own("UserInterval", sizeof(Interval), GEX_OP_USER_NC, join_intervals);
  intervals.source = [](std::uint64_t, gex_Rank_t rank, std::size_t count) {
    return as_bytes(std::vector<Interval>(count, Interval{rank, rank + 1}));
  };
  all.push_back(intervals);
  Flavour on_built_in = own("UserOnU64", 8, GEX_OP_USER, add_bytes);
  on_built_in.type = GEX_DT_U64;
  all.push_back(on_built_in);
  return all;
}

}  // namespace

Bytes contribution(std::uint64_t key, gex_Rank_t rank, std::size_t bytes) {
  Bytes result(bytes);
  for (std::size_t i = 0; i < bytes; i += 8) {
    const std::uint64_t word = key_of(key, rank, i);
    std::memcpy(result.data() + i, &word, std::min<std::size_t>(8, bytes - i));
  }
  return result;
}

Bytes reduced(const std::vector<Bytes>& sources, std::size_t count, const Combine& combine) {
  Bytes result = sources[0];
  for (std::size_t rank = 1; rank < sources.size(); ++rank) {
    Bytes right = sources[rank];
    combine(result.data(), right.data(), count);
    result = std::move(right);
  }
  return result;
}

const std::vector<Flavour>& flavours() {
  static const std::vector<Flavour> all = make_flavours();
  return all;
}

}  // namespace aqueduct::test
