// What a function must be to run at another rank, and how its arguments are handed to it.
#ifndef AQUEDUCT_CXX_REMOTABLE_HPP_
#define AQUEDUCT_CXX_REMOTABLE_HPP_

#include <array>
#include <bit>

#include "aqueduct/cxx/pack_std.hpp"
#include "aqueduct/cxx/task.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

template <class T>
class distributed;
class team;
class job;

namespace detail {

// Whether an F is bytes and nothing else. The compiler refuses to make one from bytes in a constant
// expression if it has a reference or a pointer inside, as a lambda has that captures by reference, `this`,
// or a pointer.
template <class F>
concept BytesOnly = std::is_empty_v<F> || requires {
  typename std::bool_constant<(std::bit_cast<F>(std::array<unsigned char, sizeof(F)>{}), true)>;
};

template <class F>
constexpr void check_function() {
  static_assert(
      !std::is_pointer_v<F>,
      "an address of a function means nothing to another rank: write call<function>(rank, arguments...)");
  static_assert(
      std::is_trivially_copyable_v<F>,
      "a function that is sent may capture only what can be copied as bytes: pass strings and containers as "
      "arguments");
  static_assert(
      !std::is_trivially_copyable_v<F> || std::is_pointer_v<F> || BytesOnly<F>,
      "a function that is sent captures a reference or a pointer, which means nothing to another rank: "
      "capture by value, or pass an argument");
}

// Stands for a distributed object, or a team, in a message.
template <class T>
struct ObjectName {
  std::uint64_t number;
};

// What an argument travels as.
template <class D>
struct WireOf {
  using type = D;
};
template <class T>
struct WireOf<distributed<T>> {
  using type = ObjectName<T>;
};
template <>
struct WireOf<team> {
  using type = ObjectName<team>;
};
template <>
struct WireOf<job> {
  using type = ObjectName<team>;
};
template <class A>
using Wire = typename WireOf<std::decay_t<A>>::type;

// Sees an argument in a message, either as a view or as an object of its own, whatever the function asks for.
template <class D>
struct EitherWay {
  typename RangeOf<D>::view view;
  operator typename RangeOf<D>::view() const { return view; }
  operator typename RangeOf<D>::owner() const { return typename RangeOf<D>::owner(view.begin(), view.end()); }
};

// The type by which a function gets an argument D: a view of the message if it can take that, otherwise
// either way.
template <class D>
struct AsView {
  using type = D;
};
template <Range D>
struct AsView<D> {
  using type = typename RangeOf<D>::view;
};
template <class T>
struct AsView<ObjectName<T>> {
  using type = T&;
};
template <class D>
struct AsEither : AsView<D> {};
template <Range D>
struct AsEither<D> {
  using type = EitherWay<D>;
};

template <class F, class... D>
inline constexpr bool kTakesViews = std::is_invocable_v<F&, typename AsView<D>::type...>;
template <class F, class... D>
inline constexpr bool kTakesEither = std::is_invocable_v<F&, typename AsEither<D>::type...>;

template <class F, class D, class... All>
using Given = typename std::conditional_t<kTakesViews<F, All...>, AsView<D>, AsEither<D>>::type;

template <class F, class... D>
struct ResultOf {
  static_assert(
      kTakesViews<F, D...> || kTakesEither<F, D...>,
      "the function does not take these arguments (a string arrives as std::string or std::string_view, a "
      "vector or span as std::vector or std::span of constant elements, a distributed<T> as T&)");
  using type = std::invoke_result_t<F&, Given<F, D, D...>...>;
};

template <class R>
concept Operation = requires(R& r) {
  r.await_ready();
  r.await_resume();
};

// What the caller of an F gets: a task's result, an object of its own for a view or a reference.
template <class R>
struct AnswerOf {
  static_assert(
      !Operation<R>,
      "the function returns an operation, and nobody would await it at that rank: let it return a task "
      "that awaits it");
  using type = R;
};
template <Range R>
struct AnswerOf<R> {
  using type = typename RangeOf<R>::owner;
};
template <class F, class... D>
using Returned = std::remove_cvref_t<typename ResultOf<F, D...>::type>;
template <class F, class... D>
using AnswerType = typename AnswerOf<std::remove_cvref_t<typename IsTask<Returned<F, D...>>::Result>>::type;

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
