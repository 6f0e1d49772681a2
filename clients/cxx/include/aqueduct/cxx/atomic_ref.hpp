// atomic_ref<T>: atomic operations on an object in another rank's segment, or in one's own.
//
//   co_await aqueduct::atomic_ref(counter).fetch_add(1)
//
// T: integers of 4 or 8 bytes, float, double; these have no bit operations. An object is accessed either
// through atomic_ref or in other ways, with a barrier in between.
#ifndef AQUEDUCT_CXX_ATOMIC_REF_HPP_
#define AQUEDUCT_CXX_ATOMIC_REF_HPP_

#include <bit>
#include <cstdint>
#include <cstring>

#include "aqueduct/atomic_operation.h"
#include "aqueduct/cxx/event_op.hpp"
#include "aqueduct/cxx/global_ptr.hpp"
#include "aqueduct/cxx/reduction.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

inline constexpr gex_OP_t kArithmetic = GEX_OP_ADD | GEX_OP_SUB | GEX_OP_MULT | GEX_OP_MIN | GEX_OP_MAX |
                                        GEX_OP_INC | GEX_OP_DEC | GEX_OP_SET | GEX_OP_CAS;
inline constexpr gex_OP_t kBits = GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR;
inline constexpr gex_OP_t with_fetching(gex_OP_t operations) {
  return operations | GEX_OP_TO_FETCHING(operations) | GEX_OP_GET;
}

// One domain for each type, with all operations that it has.
inline void create_domains(Context& here) {
  for (int i = 0; i < 6; ++i) {
    const gex_DT_t type = 1u << i;
    const bool is_integer = type != GEX_DT_FLT && type != GEX_DT_DBL;
    gex_AD_Create(&here.domains[i], here.world, type,
                  with_fetching(is_integer ? kArithmetic | kBits : kArithmetic), 0);
  }
}
inline void destroy_domains(Context& here) {
  for (const gex_AD_t domain : here.domains) gex_AD_Destroy(domain);
}

template <class T, gex_OP_t kOperation>
class [[nodiscard]] AtomicOp : public EventOp {
  static constexpr bool kFetches = kOperation >= GEX_OP_FAND;

 public:
  AtomicOp(global_ptr<T> object, T operand1, T operand2)
      : object_(object), operand1_(operand1), operand2_(operand2) {}
  [[gnu::always_inline]] bool await_ready() {
    Context& here = context();
    not_in_handler(here, "an atomic operation");
    constexpr gex_DT_t kType = library_type<T>();
    const gex_AD_t domain = here.domains[std::countr_zero(kType)];
    const rank_t rank = object_.rank();
    T* const target = object_.at_owner();
    if constexpr (kType == GEX_DT_I32) {
      return began(
          gex_AD_OpNB_I32(domain, as<std::int32_t>(), rank, target, kOperation, operand1_, operand2_, 0));
    } else if constexpr (kType == GEX_DT_U32) {
      return began(
          gex_AD_OpNB_U32(domain, as<std::uint32_t>(), rank, target, kOperation, operand1_, operand2_, 0));
    } else if constexpr (kType == GEX_DT_I64) {
      return began(
          gex_AD_OpNB_I64(domain, as<std::int64_t>(), rank, target, kOperation, operand1_, operand2_, 0));
    } else if constexpr (kType == GEX_DT_U64) {
      return began(
          gex_AD_OpNB_U64(domain, as<std::uint64_t>(), rank, target, kOperation, operand1_, operand2_, 0));
    } else if constexpr (kType == GEX_DT_FLT) {
      return began(gex_AD_OpNB_FLT(domain, as<float>(), rank, target, kOperation, operand1_, operand2_, 0));
    } else {
      return began(gex_AD_OpNB_DBL(domain, as<double>(), rank, target, kOperation, operand1_, operand2_, 0));
    }
  }
  [[gnu::always_inline]] auto await_resume() const {
    check_end(object_.rank());
    if constexpr (kFetches) {
      T value;
      std::memcpy(&value, result_, sizeof value);
      return value;
    }
  }

 private:
  // Types of one size and signedness are the same to the library: long and long long.
  template <class As>
  As* as() noexcept {
    return reinterpret_cast<As*>(result_);
  }

  global_ptr<T> object_;
  T operand1_;
  T operand2_;
  alignas(8) unsigned char result_[8];
};

}  // namespace detail

template <class T>
class atomic_ref {
  static_assert(detail::library_type<T>() != 0,
                "atomic operations are of integers of 4 or 8 bytes, float and double");
  template <gex_OP_t kOperation>
  using op = detail::AtomicOp<T, kOperation>;

 public:
  explicit constexpr atomic_ref(global_ptr<T> object) noexcept : object_(object) {}

  op<GEX_OP_GET> load() const { return {object_, {}, {}}; }
  op<GEX_OP_SET> store(T value) const { return {object_, value, {}}; }
  op<GEX_OP_SWAP> exchange(T value) const { return {object_, value, {}}; }
  // What was there before: `desired` was stored if that equals `expected`.
  op<GEX_OP_FCAS> compare_exchange(T expected, T desired) const { return {object_, expected, desired}; }

  // What was there before.
  op<GEX_OP_FADD> fetch_add(T value) const { return {object_, value, {}}; }
  op<GEX_OP_FSUB> fetch_sub(T value) const { return {object_, value, {}}; }
  op<GEX_OP_FMULT> fetch_mul(T value) const { return {object_, value, {}}; }
  op<GEX_OP_FMIN> fetch_min(T value) const { return {object_, value, {}}; }
  op<GEX_OP_FMAX> fetch_max(T value) const { return {object_, value, {}}; }
  op<GEX_OP_FAND> fetch_and(T value) const { return {object_, value, {}}; }
  op<GEX_OP_FOR> fetch_or(T value) const { return {object_, value, {}}; }
  op<GEX_OP_FXOR> fetch_xor(T value) const { return {object_, value, {}}; }

  // The same without an answer.
  op<GEX_OP_ADD> add(T value) const { return {object_, value, {}}; }
  op<GEX_OP_SUB> sub(T value) const { return {object_, value, {}}; }
  op<GEX_OP_MULT> mul(T value) const { return {object_, value, {}}; }
  op<GEX_OP_MIN> min(T value) const { return {object_, value, {}}; }
  op<GEX_OP_MAX> max(T value) const { return {object_, value, {}}; }
  op<GEX_OP_AND> bit_and(T value) const { return {object_, value, {}}; }
  op<GEX_OP_OR> bit_or(T value) const { return {object_, value, {}}; }
  op<GEX_OP_XOR> bit_xor(T value) const { return {object_, value, {}}; }

 private:
  global_ptr<T> object_;
};

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
