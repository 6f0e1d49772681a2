// Memory of GPUs. Not part of aqueduct.hpp: include it where it is wanted.
//
//   aqueduct::device_memory gpu{job, aqueduct::device_class::cuda, 0, 64 << 20};   // device 0 of each rank
//   const auto field = gpu.allocate<double>(n);
//   const auto everyones = co_await job.gather_all(field);
//   co_await aqueduct::rput(std::span<const double>(host), field);                 // this process's memory to a device
//   co_await gpu.put(field, everyones[next], n);                                   // from device to device
//   co_await aqueduct::rget(everyones[next], std::span<double>(host));
//
// A device_memory is made by all ranks of a job together, in the same order, and lasts until the job's end.
// Kernels and the program order what they do with each other themselves.
#ifndef AQUEDUCT_CXX_DEVICE_HPP_
#define AQUEDUCT_CXX_DEVICE_HPP_

#include "aqueduct/cxx/job.hpp"
#include "aqueduct/cxx/rma.hpp"
#include "gasnet_mk.h"

namespace aqueduct {
inline namespace AQ_CXX_ {

enum class device_class { cuda, hip };

// Where an object is in the memory of a rank's device. address() is the driver's, for kernels of that rank.
template <class T>
class device_ptr {
 public:
  using element_type = T;
  constexpr device_ptr() noexcept = default;
  constexpr device_ptr(rank_t rank, gex_EP_Index_t endpoint, std::uint64_t address) noexcept
      : address_(address), rank_(rank), endpoint_(endpoint) {}
  constexpr rank_t rank() const noexcept { return rank_; }
  constexpr gex_EP_Index_t endpoint() const noexcept { return endpoint_; }
  T* address() const noexcept { return reinterpret_cast<T*>(address_); }
  constexpr explicit operator bool() const noexcept { return address_ != 0; }
  friend constexpr device_ptr operator+(device_ptr p, std::ptrdiff_t n) noexcept {
    p.address_ += static_cast<std::uint64_t>(n) * sizeof(T);
    return p;
  }
  constexpr bool operator==(const device_ptr&) const noexcept = default;

 private:
  std::uint64_t address_ = 0;
  rank_t rank_ = 0;
  gex_EP_Index_t endpoint_ = 0;
};

namespace detail {

// Bytes from or to a device of `rank`. `near` is the endpoint whose memory this rank's side is.
class [[nodiscard]] DeviceOp : public EventOp {
 public:
  DeviceOp(bool is_put, gex_EP_t near, const void* here, rank_t rank, gex_EP_Index_t endpoint, void* there,
           std::size_t bytes)
      : is_put_(is_put),
        near_(near),
        here_(const_cast<void*>(here)),
        rank_(rank),
        endpoint_(endpoint),
        there_(there),
        bytes_(bytes) {}
  bool await_ready() {
    not_in_handler(context(), is_put_ ? "rput()" : "rget()");
    const gex_TM_t pair = gex_TM_Pair(near_, endpoint_);
    return began(is_put_ ? gex_RMA_PutNB(pair, rank_, there_, here_, bytes_, GEX_EVENT_DEFER, 0)
                         : gex_RMA_GetNB(pair, here_, rank_, there_, bytes_, 0));
  }
  void await_resume() const { check_end(rank_); }

 private:
  bool is_put_;
  gex_EP_t near_;
  void* here_;
  rank_t rank_;
  gex_EP_Index_t endpoint_;
  void* there_;
  std::size_t bytes_;
};

}  // namespace detail

class device_memory {
 public:
  // Collective. Throws std::runtime_error where there is no such device; then at all ranks.
  device_memory(job& all, device_class kind, int ordinal, std::size_t bytes) {
    detail::Context& here = detail::context();
    gex_MK_Create_args_t wanted = {};
    if (kind == device_class::cuda) {
      wanted.gex_class = GEX_MK_CLASS_CUDA_UVA;
      wanted.gex_args.gex_class_cuda_uva.gex_CUdevice = ordinal;
    } else {
      wanted.gex_class = GEX_MK_CLASS_HIP;
      wanted.gex_args.gex_class_hip.gex_hipDevice = ordinal;
    }
    gex_MK_t made = GEX_MK_INVALID;
    gex_Segment_t segment = GEX_SEGMENT_INVALID;
    const bool is_there = gex_MK_Create(&made, here.client, &wanted, 0) == GASNET_OK &&
                          gex_Segment_Create(&segment, here.client, nullptr, bytes, made, 0) == GASNET_OK;
    // Everybody has one, or nobody.
    if (everybody(all, is_there) &&
        gex_EP_Create(&endpoint_, here.client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK) {
      gex_EP_BindSegment(endpoint_, segment, 0);
      gex_EP_PublishBoundSegment(here.world, &endpoint_, 1, 0);
      next_ = reinterpret_cast<std::uintptr_t>(gex_Segment_QueryAddr(segment));
      end_ = next_ + gex_Segment_QuerySize(segment);
      return;
    }
    if (segment != GEX_SEGMENT_INVALID) gex_Segment_Destroy(segment, 0);
    if (made != GEX_MK_INVALID) gex_MK_Destroy(made, 0);
    throw std::runtime_error("a rank has no such device, or not that much memory on it");
  }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;

  // Elements of this rank's device, as they are there; kept until the end. std::bad_alloc if there is no
  // room.
  template <class T>
  device_ptr<T> allocate(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    constexpr std::uintptr_t kAlignment = 256;
    const std::uintptr_t first = (next_ + kAlignment - 1) / kAlignment * kAlignment;
    if (first > end_ || count > (end_ - first) / sizeof(T)) throw std::bad_alloc();
    next_ = first + count * sizeof(T);
    return {detail::context().rank, gex_EP_QueryIndex(endpoint_), first};
  }

  // From elements of this rank's device, which are of this memory, to any rank's device or segment, and back.
  template <detail::Transferable T>
  detail::DeviceOp put(device_ptr<T> mine, device_ptr<T> to, std::size_t count) const {
    return {true, endpoint_, mine.address(), to.rank(), to.endpoint(), to.address(), count * sizeof(T)};
  }
  template <detail::Transferable T>
  detail::DeviceOp put(device_ptr<T> mine, global_ptr<T> to, std::size_t count) const {
    return {true, endpoint_, mine.address(), to.rank(), 0, to.at_owner(), count * sizeof(T)};
  }
  template <detail::Transferable T>
  detail::DeviceOp get(device_ptr<T> from, device_ptr<T> mine, std::size_t count) const {
    return {false,           endpoint_,      mine.address(),   from.rank(),
            from.endpoint(), from.address(), count * sizeof(T)};
  }
  template <detail::Transferable T>
  detail::DeviceOp get(global_ptr<T> from, device_ptr<T> mine, std::size_t count) const {
    return {false, endpoint_, mine.address(), from.rank(), 0, from.at_owner(), count * sizeof(T)};
  }

 private:
  static bool everybody(job& all, bool has_it) {
    int least = has_it ? 1 : 0;
    gex_Event_Wait(gex_Coll_ReduceToAllNB(all.handle(), &least, &least, GEX_DT_I32, sizeof least, 1,
                                          GEX_OP_MIN, nullptr, nullptr, 0));
    return least == 1;
  }

  gex_EP_t endpoint_ = GEX_EP_INVALID;
  std::uintptr_t next_ = 0;
  std::uintptr_t end_ = 0;
};

// Between this process's memory and a device, of any rank.
template <detail::Transferable T>
detail::DeviceOp rput(std::span<const std::type_identity_t<T>> from, device_ptr<T> to) {
  return {true, detail::context().ep, from.data(), to.rank(), to.endpoint(), to.address(), from.size_bytes()};
}
template <detail::Transferable T>
detail::DeviceOp rget(device_ptr<T> from, std::span<std::type_identity_t<T>> to) {
  return {false,           detail::context().ep, to.data(),      from.rank(),
          from.endpoint(), from.address(),       to.size_bytes()};
}

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
