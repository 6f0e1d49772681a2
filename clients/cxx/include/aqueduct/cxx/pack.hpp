// Values as bytes: Writer and Reader, and serial<T>, which says how a T travels.
//
// Trivially copyable types are copied as they are. Strings, vectors and spans of such types travel as a
// length and their elements, and are read as views of the message where the function that receives them takes
// views. A type of one's own has one of these:
//
//   auto fields() { return std::tie(name, scores); }             // a member; for types that can be made without arguments
//   template <> struct aqueduct::serial<T> {                     // a specialisation
//     static void write(aqueduct::writer& to, const T& value);   // called twice: to count, and to write
//     static T read(aqueduct::reader& from);
//   };
//
// aqueduct/cxx/cereal.hpp takes whatever cereal can serialise. pack_std.hpp has pairs, tuples and containers.
#ifndef AQUEDUCT_CXX_PACK_HPP_
#define AQUEDUCT_CXX_PACK_HPP_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "aqueduct/cxx/error.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

// Writes to memory, or counts what would be written.
class writer {
 public:
  explicit writer(void* to = nullptr) noexcept : to_(static_cast<std::byte*>(to)) {}
  void bytes(const void* from, std::size_t size) noexcept {
    if (to_ && size) std::memcpy(to_ + written_, from, size);
    written_ += size;
  }
  void align(std::size_t alignment) noexcept {
    const std::size_t gap = -written_ & (alignment - 1);
    if (to_) std::memset(to_ + written_, 0, gap);
    written_ += gap;
  }
  // Any type that can travel.
  template <class T>
  void operator()(const T& value);
  std::size_t size() const noexcept { return written_; }

 private:
  std::byte* to_;
  std::size_t written_ = 0;
};

// Reads what a writer has written, from memory that is aligned to 8 bytes.
class reader {
 public:
  reader(const void* from, std::size_t size) noexcept
      : begin_(static_cast<const std::byte*>(from)), at_(begin_), end_(begin_ + size) {}
  const std::byte* bytes(std::size_t size) {
    if (size > static_cast<std::size_t>(end_ - at_)) [[unlikely]] {
      throw std::out_of_range("a message ends before what is read from it");
    }
    const std::byte* const here = at_;
    at_ += size;
    return here;
  }
  void align(std::size_t alignment) noexcept {
    at_ += -static_cast<std::size_t>(at_ - begin_) & (alignment - 1);
  }
  template <class T>
  T read();
  std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

 private:
  const std::byte* begin_;
  const std::byte* at_;
  const std::byte* end_;
};

// Specialise it for a type of your own.
template <class T>
struct serial;

namespace detail {

template <class T>
concept HasFields = requires(T& value) {
  value.fields();
};

template <class T>
concept HasSerial = requires(writer& to, reader& from, const T& value) {
  serial<T>::write(to, value);
  { serial<T>::read(from) } -> std::convertible_to<T>;
};

template <class T>
concept Pointer = std::is_pointer_v<T> || std::is_member_pointer_v<T>;

// Elements of a range that travels as one piece.
template <class T>
concept Plain = std::is_trivially_copyable_v<T> && !Pointer<T> && !HasSerial<T>;

// What T travels as: a piece of Elements, itself, or nothing that is known here.
template <class T>
struct RangeOf {
  static constexpr bool value = false;
};
template <class Element, class View, class Owner>
struct PlainRange {
  static constexpr bool value = true;
  using element = Element;
  using view = View;
  using owner = Owner;
};
template <class C, class A>
struct RangeOf<std::basic_string<C, std::char_traits<C>, A>>
    : PlainRange<C, std::basic_string_view<C>, std::basic_string<C>> {};
template <class C>
struct RangeOf<std::basic_string_view<C>> : PlainRange<C, std::basic_string_view<C>, std::basic_string<C>> {};
template <class C>
requires std::same_as < std::remove_const_t<C>,
char > struct RangeOf<C*> : PlainRange<char, std::string_view, std::string> {};
template <Plain E, class A>
requires(!std::same_as<E, bool>) struct RangeOf<std::vector<E, A>>
    : PlainRange<E, std::span<const E>, std::vector<E>> {
};
template <class E>
requires Plain<std::remove_const_t<E>>
struct RangeOf<std::span<E>> : PlainRange<std::remove_const_t<E>, std::span<const std::remove_const_t<E>>,
                                          std::vector<std::remove_const_t<E>>> {
};

template <class T>
concept Range = RangeOf<T>::value;

template <class T>
concept Sendable = HasSerial<T> || Range<T> || HasFields<T> ||
    (std::is_trivially_copyable_v<T> && !Pointer<T>);

template <class T>
constexpr void check_sendable() {
  static_assert(
      Sendable<T>,
      "this type cannot be sent: give it a member fields() or a specialisation of aqueduct::serial (a "
      "pointer means nothing to another rank: send an aqueduct::global_ptr)");
}

template <Range T>
auto view_of(const T& value) {
  return typename RangeOf<T>::view(value);
}

template <Range T>
typename RangeOf<T>::view read_view(reader& from) {
  using E = typename RangeOf<T>::element;
  std::uint64_t count;
  std::memcpy(&count, from.bytes(sizeof count), sizeof count);
  from.align(alignof(E));
  const std::byte* const here = from.bytes(count * sizeof(E));
  return {reinterpret_cast<const E*>(here), static_cast<std::size_t>(count)};
}

}  // namespace detail

template <class T>
void writer::operator()(const T& value) {
  detail::check_sendable<T>();
  if constexpr (detail::HasSerial<T>) {
    serial<T>::write(*this, value);
  } else if constexpr (detail::Range<T>) {
    using E = typename detail::RangeOf<T>::element;
    const auto view = detail::view_of(value);
    const std::uint64_t count = view.size();
    bytes(&count, sizeof count);
    align(alignof(E));
    bytes(view.data(), view.size() * sizeof(E));
  } else if constexpr (detail::HasFields<T>) {
    std::apply([this](const auto&... field) { ((*this)(field), ...); }, const_cast<T&>(value).fields());
  } else {
    bytes(&value, sizeof value);
  }
}

template <class T>
T reader::read() {
  if constexpr (detail::HasSerial<T>) {
    return serial<T>::read(*this);
  } else if constexpr (detail::Range<T>) {
    const auto view = detail::read_view<T>(*this);
    return T(view.begin(), view.end());
  } else if constexpr (detail::HasFields<T>) {
    T value{};
    std::apply(
        [this](auto&... field) {
          ((field = this->template read<std::remove_reference_t<decltype(field)>>()), ...);
        },
        value.fields());
    return value;
  } else {
    static_assert(detail::Sendable<T>);
    alignas(T) std::byte memory[sizeof(T)];
    std::memcpy(memory, bytes(sizeof(T)), sizeof(T));
    return *std::launder(reinterpret_cast<T*>(memory));
  }
}

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
