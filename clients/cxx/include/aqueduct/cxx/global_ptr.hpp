// global_ptr<T>: where an object is, in the segment of whichever rank; global_span<T>: several of them.
// Memory for them comes from this rank's segment, by allocate().
#ifndef AQUEDUCT_CXX_GLOBAL_PTR_HPP_
#define AQUEDUCT_CXX_GLOBAL_PTR_HPP_

#include <compare>
#include <concepts>
#include <functional>
#include <memory>
#include <new>
#include <span>

#include "aqueduct/cxx/context.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

template <class T>
class global_ptr {
 public:
  using element_type = T;

  constexpr global_ptr() noexcept = default;
  constexpr global_ptr(std::nullptr_t) noexcept {}
  // An object that is in the segment of `rank`, a rank in the job, at an address of that rank's own.
  constexpr global_ptr(rank_t rank, std::uint64_t address) noexcept : address_(address), rank_(rank) {}
  template <class U>
  requires std::convertible_to<U*, T*>
  constexpr global_ptr(const global_ptr<U>& other) noexcept
      : address_(other.address()), rank_(other.rank()) {}

  constexpr rank_t rank() const noexcept { return rank_; }
  constexpr std::uint64_t address() const noexcept { return address_; }
  constexpr explicit operator bool() const noexcept { return address_ != 0; }
  // The address as its owner has it; of use to the owner alone.
  T* at_owner() const noexcept { return reinterpret_cast<T*>(address_); }

  // Where this process can read and write it directly, which it can if it is this rank's or a neighbour's;
  // else null.
  T* local() const {
    detail::Context& here = detail::context();
    if (!address_ || rank_ == here.rank) return at_owner();
    void* begin;
    void* mapped;
    uintptr_t size;
    const gex_Event_t event =
        gex_EP_QueryBoundSegmentNB(here.world, rank_, &begin, &mapped, &size, GEX_FLAG_IMMEDIATE);
    if (event == GEX_EVENT_NO_OP || !mapped) return nullptr;
    return reinterpret_cast<T*>(address_ - reinterpret_cast<uintptr_t>(begin) +
                                reinterpret_cast<uintptr_t>(mapped));
  }

  constexpr global_ptr& operator+=(std::ptrdiff_t n) noexcept {
    address_ += static_cast<std::uint64_t>(n) * sizeof(T);
    return *this;
  }
  constexpr global_ptr& operator-=(std::ptrdiff_t n) noexcept { return *this += -n; }
  constexpr global_ptr& operator++() noexcept { return *this += 1; }
  constexpr global_ptr& operator--() noexcept { return *this += -1; }
  friend constexpr global_ptr operator+(global_ptr p, std::ptrdiff_t n) noexcept { return p += n; }
  friend constexpr global_ptr operator-(global_ptr p, std::ptrdiff_t n) noexcept { return p -= n; }
  friend constexpr std::ptrdiff_t operator-(global_ptr a, global_ptr b) noexcept {
    return static_cast<std::ptrdiff_t>(a.address_ - b.address_) / static_cast<std::ptrdiff_t>(sizeof(T));
  }
  constexpr bool operator==(const global_ptr&) const noexcept = default;
  constexpr auto operator<=>(const global_ptr& other) const noexcept {
    return rank_ == other.rank_ ? address_ <=> other.address_ : std::strong_ordering(rank_ <=> other.rank_);
  }

 private:
  std::uint64_t address_ = 0;
  rank_t rank_ = 0;
};

// Elements one after the other, all at one rank.
template <class T>
class global_span {
 public:
  constexpr global_span() noexcept = default;
  constexpr global_span(global_ptr<T> first, std::size_t size) noexcept : first_(first), size_(size) {}
  constexpr global_ptr<T> data() const noexcept { return first_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr rank_t rank() const noexcept { return first_.rank(); }
  constexpr global_ptr<T> operator[](std::size_t i) const noexcept {
    return first_ + static_cast<std::ptrdiff_t>(i);
  }
  constexpr global_span subspan(std::size_t begin, std::size_t count) const noexcept {
    return {(*this)[begin], count};
  }
  // As global_ptr::local(): empty if they cannot be reached from here.
  std::span<T> local() const {
    T* const here = first_.local();
    return here ? std::span<T>(here, size_) : std::span<T>();
  }

 private:
  global_ptr<T> first_;
  std::size_t size_ = 0;
};

// The global pointer to an object in this rank's segment.
template <class T>
global_ptr<T> to_global(T* local) {
  return {detail::context().rank, reinterpret_cast<std::uintptr_t>(local)};
}

// Elements in this rank's segment, each made as T{}. std::bad_alloc if there is no room
// (job_options::segment).
template <class T>
global_span<T> allocate(std::size_t count) {
  static_assert(alignof(T) <= detail::SharedHeap::kStep);
  detail::Context& here = detail::context();
  void* const memory = here.heap.allocate(count * sizeof(T));
  if (!memory) throw std::bad_alloc();
  T* const first = static_cast<T*>(memory);
  std::uninitialized_value_construct_n(first, count);
  return {to_global(first), count};
}

// One object, made of the arguments.
template <class T, class... Arguments>
global_ptr<T> make_global(Arguments&&... arguments) {
  void* const memory = detail::context().heap.allocate(sizeof(T));
  if (!memory) throw std::bad_alloc();
  return to_global(new (memory) T(std::forward<Arguments>(arguments)...));
}

// Gives back what this rank has allocated.
template <class T>
void deallocate(global_span<T> elements) {
  if (elements.data().rank() != detail::context().rank)
    detail::fatal("deallocate() of memory of another rank");
  std::destroy_n(elements.data().at_owner(), elements.size());
  detail::context().heap.release(elements.data().at_owner());
}
template <class T>
void deallocate(global_ptr<T> object) {
  if (object) deallocate(global_span<T>(object, 1));
}

}  // namespace AQ_CXX_
}  // namespace aqueduct

template <class T>
struct std::hash<aqueduct::global_ptr<T>> {
  std::size_t operator()(const aqueduct::global_ptr<T>& p) const noexcept {
    return (p.address() ^ p.address() >> 32 ^ static_cast<std::uint64_t>(p.rank()) << 40) *
           0x9e3779b97f4a7c15;
  }
};

#endif
