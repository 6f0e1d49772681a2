// How pairs, tuples, optionals and containers of the standard library travel: element by element.
#ifndef AQUEDUCT_CXX_PACK_STD_HPP_
#define AQUEDUCT_CXX_PACK_STD_HPP_

#include <optional>
#include <tuple>
#include <utility>

#include "aqueduct/cxx/pack.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

template <class A, class B>
requires(detail::Sendable<A>&& detail::Sendable<B>) struct serial<std::pair<A, B>> {
  static void write(writer& to, const std::pair<A, B>& value) {
    to(value.first);
    to(value.second);
  }
  static std::pair<A, B> read(reader& from) { return std::pair<A, B>{from.read<A>(), from.read<B>()}; }
};

template <class... T>
requires(detail::Sendable<T>&&...) struct serial<std::tuple<T...>> {
  static void write(writer& to, const std::tuple<T...>& value) {
    std::apply([&](const T&... element) { (to(element), ...); }, value);
  }
  static std::tuple<T...> read(reader& from) { return std::tuple<T...>{from.read<T>()...}; }
};

template <detail::Sendable T>
struct serial<std::optional<T>> {
  static void write(writer& to, const std::optional<T>& value) {
    to(value.has_value());
    if (value) to(*value);
  }
  static std::optional<T> read(reader& from) {
    if (!from.read<bool>()) return std::nullopt;
    return from.read<T>();
  }
};

namespace detail {

// What has a beginning, an end and a number of elements, and takes new ones at its end or wherever they
// belong.
template <class C>
concept Container = !Range<C> && !std::is_trivially_copyable_v<C> && !HasFields<C> &&
                    requires(C & container, typename C::value_type value) {
  container.insert(container.end(), std::move(value));
  container.size();
};

// Keys of maps are constant in the map, and not while they travel.
template <class V>
struct Element {
  using type = V;
};
template <class K, class V>
struct Element<std::pair<const K, V>> {
  using type = std::pair<K, V>;
};

}  // namespace detail

template <detail::Container C>
struct serial<C> {
  using element = typename detail::Element<typename C::value_type>::type;
  static void write(writer& to, const C& container) {
    to(std::uint64_t{container.size()});
    for (const auto& value : container) {
      if constexpr (std::is_same_v<element, typename C::value_type>) {
        to(static_cast<const element&>(value));
      } else {
        to(value.first);
        to(value.second);
      }
    }
  }
  static C read(reader& from) {
    C container;
    for (auto left = from.read<std::uint64_t>(); left; --left)
      container.insert(container.end(), from.read<element>());
    return container;
  }
};

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
