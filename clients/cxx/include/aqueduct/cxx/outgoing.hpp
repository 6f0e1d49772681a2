// The side of the rank that calls: packs a function and its arguments and sends them.
#ifndef AQUEDUCT_CXX_OUTGOING_HPP_
#define AQUEDUCT_CXX_OUTGOING_HPP_

#include "aqueduct/cxx/remote.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

template <class T>
struct IsDistributed {
  static constexpr bool value = false;
};
template <class T>
struct IsDistributed<distributed<T>> {
  static constexpr bool value = true;
};

template <>
struct IsDistributed<team> {
  static constexpr bool value = true;
};
template <>
struct IsDistributed<job> {
  static constexpr bool value = true;
};

// How an operation keeps an argument until it begins: small plain values and rvalues by value, others by
// reference.
template <class A, class D = std::decay_t<A>>
using StoredAs = std::conditional_t<
    std::is_trivially_copyable_v<D> && sizeof(D) <= 64, D,
    std::conditional_t<std::is_lvalue_reference_v<A> || IsDistributed<D>::value, const D&, D>>;

// What is written of an argument: itself, or the name of a distributed object.
template <class T>
const T& to_wire(const T& value) {
  return value;
}
template <class T>
ObjectName<T> to_wire(const distributed<T>& object);
ObjectName<team> to_wire(const team& members);
ObjectName<team> to_wire(const job& all);

// Whether a message of these types always has the same size, and which.
template <class D>
inline constexpr bool kFixedSize =
    std::is_trivially_copyable_v<D> && !Range<D> && !HasSerial<D> && !HasFields<D>;

template <class F>
[[gnu::always_inline]] inline void write_function(writer& to, const F& function) {
  if constexpr (!std::is_empty_v<F>) to.bytes(&function, sizeof function);
}

// A message that no Medium can carry: to memory that the peer provides. Sends it when that is known.
void send_large_call(Context& context, rank_t rank, Answer* answer, std::uint32_t number, void* message,
                     std::size_t size);

[[gnu::always_inline]] inline void request_call(Context& here, rank_t rank, Answer* answer,
                                                const Function& function, const void* message,
                                                std::size_t size) {
  const std::uint64_t slot = answer ? slot_of(here, answer) : 0;
  gex_AM_RequestMedium3(here.world, rank, here.handlers[kCall], message, size, GEX_EVENT_NOW, 0,
                        low(function.number), low(slot), high(slot));
}

[[gnu::cold]] inline void check_numbered(const Context& here, const Function& function, rank_t rank) {
  if (rank >= here.size) fatal("a call of rank %u in a job of %u", rank, here.size);
  if (function.number == Function::kUnnumbered) {
    fatal("a call of a function that was loaded after the job had begun");
  }
}

// `answer` is told what comes back; null if nobody waits.
template <class F, class... A>
void send_call(Context& here, rank_t rank, Answer* answer, const F& function, const A&... arguments) {
  const Function& entry = function_entry<F, Wire<A>...>;
  if (rank >= here.size || entry.number == Function::kUnnumbered) [[unlikely]] {
    check_numbered(here, entry, rank);
  }
  if constexpr ((kFixedSize<Wire<A>> && ...)) {
    constexpr std::size_t kSize = (std::is_empty_v<F> ? 0 : sizeof(F)) + (0 + ... + sizeof(Wire<A>));
    if constexpr (kSize <= 512) {
      alignas(16) std::byte message[kSize ? kSize : 1];
      writer to(message);
      write_function(to, function);
      (to(to_wire(arguments)), ...);
      return request_call(here, rank, answer, entry, message, kSize);
    }
  }
  writer count;
  write_function(count, function);
  (count(to_wire(arguments)), ...);
  const std::size_t size = count.size();
  if (size <= here.largest_request) {
    MessageBuffer buffer(size);
    writer to(buffer.data());
    write_function(to, function);
    (to(to_wire(arguments)), ...);
    request_call(here, rank, answer, entry, buffer.data(), size);
  } else {
    void* const message = FramePool::allocate(size);
    writer to(message);
    write_function(to, function);
    (to(to_wire(arguments)), ...);
    send_large_call(here, rank, answer, entry.number, message, size);
  }
}

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
