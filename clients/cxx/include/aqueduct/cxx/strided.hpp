// Arrays of several dimensions whose elements are not one after the other: rput and rget of a part of a
// matrix.
//
//   aqueduct::global_array<double, 2> theirs{pointer, {rows, columns}};
//   double halo[64];
//   co_await aqueduct::rget(theirs.part({0, columns - 1}, {64, 1}), aqueduct::local_array<double, 2>(halo, {64, 1}));
//
// The last index is that of neighbours in memory, unless strides say otherwise; strides count elements and
// may be negative. What has the shape of a std::mdspan, with data_handle(), extent() and stride(), is a local
// array.
#ifndef AQUEDUCT_CXX_STRIDED_HPP_
#define AQUEDUCT_CXX_STRIDED_HPP_

#include <array>

#include "aqueduct/cxx/rma.hpp"
#include "gasnet_vis.h"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

// P: a pointer, local or global.
template <class P, std::size_t kRank>
class StridedArray {
  static_assert(kRank > 0);

 public:
  using extents_type = std::array<std::size_t, kRank>;
  using strides_type = std::array<std::ptrdiff_t, kRank>;

  constexpr StridedArray(P first, const extents_type& extents) noexcept
      : StridedArray(first, extents, dense(extents)) {}
  constexpr StridedArray(P first, const extents_type& extents, const strides_type& strides) noexcept
      : first_(first), extents_(extents), strides_(strides) {}
  template <class M>
  requires requires(const M& m) {
    { m.data_handle() } -> std::convertible_to<P>;
    m.extent(0);
    m.stride(0);
    requires M::rank()
    == kRank;
  }
  StridedArray(const M& m) : first_(m.data_handle()) {
    for (std::size_t k = 0; k < kRank; ++k) {
      extents_[k] = static_cast<std::size_t>(m.extent(k));
      strides_[k] = static_cast<std::ptrdiff_t>(m.stride(k));
    }
  }

  constexpr P data() const noexcept { return first_; }
  constexpr const extents_type& extents() const noexcept { return extents_; }
  constexpr const strides_type& strides() const noexcept { return strides_; }
  template <class... I>
  constexpr P at(I... index) const noexcept {
    static_assert(sizeof...(I) == kRank, "an index for each dimension");
    std::size_t dimension = 0;
    std::ptrdiff_t offset = 0;
    ((offset += static_cast<std::ptrdiff_t>(index) * strides_[dimension++]), ...);
    return first_ + offset;
  }
  // From `begin` on, so many elements in each dimension.
  constexpr StridedArray part(const extents_type& begin, const extents_type& extents) const {
    std::ptrdiff_t offset = 0;
    for (std::size_t k = 0; k < kRank; ++k) {
      if (begin[k] > extents_[k] || extents[k] > extents_[k] - begin[k])
        fatal("a part of %zu elements from %zu on, of %zu", extents[k], begin[k], extents_[k]);
      offset += static_cast<std::ptrdiff_t>(begin[k]) * strides_[k];
    }
    return {first_ + offset, extents, strides_};
  }

 private:
  static constexpr strides_type dense(const extents_type& extents) noexcept {
    strides_type strides{};
    std::size_t next = 1;
    for (std::size_t k = kRank; k-- > 0; next *= extents[k]) strides[k] = static_cast<std::ptrdiff_t>(next);
    return strides;
  }

  P first_;
  extents_type extents_{};
  strides_type strides_{};
};

}  // namespace detail

template <class T, std::size_t kRank>
using global_array = detail::StridedArray<global_ptr<T>, kRank>;
template <class T, std::size_t kRank>
using local_array = detail::StridedArray<T*, kRank>;

namespace detail {

// As the library wants them: bytes, and the first level varies fastest.
template <class T, std::size_t kRank>
struct Levels {
  explicit Levels(const std::array<std::ptrdiff_t, kRank>& strides) {
    for (std::size_t k = 0; k < kRank; ++k)
      bytes[kRank - 1 - k] = strides[k] * static_cast<std::ptrdiff_t>(sizeof(T));
  }
  std::ptrdiff_t bytes[kRank];
};

template <class T, std::size_t kRank, bool kPut>
class [[nodiscard]] StridedOp : public EventOp {
 public:
  using Local = std::conditional_t<kPut, const T, T>;
  StridedOp(local_array<Local, kRank> local, global_array<T, kRank> remote) : local_(local), remote_(remote) {
    for (std::size_t k = 0; k < kRank; ++k) {
      if (local.extents()[k] != remote.extents()[k])
        fatal("%s of arrays of %zu and %zu elements in dimension %zu", kPut ? "rput()" : "rget()",
              local.extents()[k], remote.extents()[k], k);
    }
  }
  bool await_ready() {
    Context& here = context();
    not_in_handler(here, kPut ? "rput()" : "rget()");
    const Levels<T, kRank> near(local_.strides()), far(remote_.strides());
    std::size_t count[kRank];
    for (std::size_t k = 0; k < kRank; ++k) count[kRank - 1 - k] = local_.extents()[k];
    const rank_t rank = remote_.data().rank();
    T* const there = remote_.data().at_owner();
    T* const data = const_cast<T*>(local_.data());
    if constexpr (kPut) {
      return began(gex_VIS_StridedPutNB(here.world, rank, there, far.bytes, data, near.bytes, sizeof(T),
                                        count, kRank, 0));
    } else {
      return began(gex_VIS_StridedGetNB(here.world, data, near.bytes, rank, there, far.bytes, sizeof(T),
                                        count, kRank, 0));
    }
  }
  void await_resume() const { check_end(remote_.data().rank()); }

 private:
  local_array<Local, kRank> local_;
  global_array<T, kRank> remote_;
};

}  // namespace detail

// Of equal extents. The local elements stay until the operation is complete.
template <detail::Transferable T, std::size_t kRank>
detail::StridedOp<T, kRank, true> rput(std::type_identity_t<local_array<const T, kRank>> from,
                                       global_array<T, kRank> to) {
  return {from, to};
}
template <detail::Transferable T, std::size_t kRank>
detail::StridedOp<T, kRank, true> rput(local_array<T, kRank> from, global_array<T, kRank> to) {
  return {{from.data(), from.extents(), from.strides()}, to};
}
template <detail::Transferable T, std::size_t kRank>
detail::StridedOp<T, kRank, false> rget(global_array<T, kRank> from,
                                        std::type_identity_t<local_array<T, kRank>> to) {
  return {to, from};
}

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
