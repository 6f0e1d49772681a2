// Put and get: co_await rput(value, to), co_await rget(from), and of ranges. Complete when the data is in
// place.
//
// What a range refers to must stay until the operation is complete; a single value is copied into the
// operation.
#ifndef AQUEDUCT_CXX_RMA_HPP_
#define AQUEDUCT_CXX_RMA_HPP_

#include "aqueduct/cxx/event_op.hpp"
#include "aqueduct/cxx/global_ptr.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

template <class T>
concept Transferable = std::is_trivially_copyable_v<T>;

template <class T>
class [[nodiscard]] PutValue : public EventOp {
 public:
  PutValue(const T& value, global_ptr<T> to) : value_(value), to_(to) {}
  [[gnu::always_inline]] bool await_ready() {
    Context& here = context();
    not_in_handler(here, "rput()");
    return began(
        gex_RMA_PutNB(here.world, to_.rank(), to_.at_owner(), &value_, sizeof(T), GEX_EVENT_DEFER, 0));
  }
  [[gnu::always_inline]] void await_resume() const { check_end(to_.rank()); }

 private:
  T value_;
  global_ptr<T> to_;
};

template <class T>
class [[nodiscard]] PutRange : public EventOp {
 public:
  PutRange(std::span<const T> from, global_ptr<T> to) : from_(from), to_(to) {}
  bool await_ready() {
    Context& here = context();
    not_in_handler(here, "rput()");
    return began(gex_RMA_PutNB(here.world, to_.rank(), to_.at_owner(), from_.data(), from_.size_bytes(),
                               GEX_EVENT_DEFER, 0));
  }
  void await_resume() const { check_end(to_.rank()); }

 private:
  std::span<const T> from_;
  global_ptr<T> to_;
};

template <class T>
class [[nodiscard]] GetValue : public EventOp {
 public:
  explicit GetValue(global_ptr<const T> from) : from_(from) {}
  [[gnu::always_inline]] bool await_ready() {
    Context& here = context();
    not_in_handler(here, "rget()");
    return began(
        gex_RMA_GetNB(here.world, &value_, from_.rank(), const_cast<T*>(from_.at_owner()), sizeof(T), 0));
  }
  [[gnu::always_inline]] T await_resume() const {
    check_end(from_.rank());
    return value_;
  }

 private:
  T value_;
  global_ptr<const T> from_;
};

template <class T>
class [[nodiscard]] GetRange : public EventOp {
 public:
  GetRange(global_ptr<const T> from, std::span<T> to) : from_(from), to_(to) {}
  bool await_ready() {
    Context& here = context();
    not_in_handler(here, "rget()");
    return began(gex_RMA_GetNB(here.world, to_.data(), from_.rank(), const_cast<T*>(from_.at_owner()),
                               to_.size_bytes(), 0));
  }
  void await_resume() const { check_end(from_.rank()); }

 private:
  global_ptr<const T> from_;
  std::span<T> to_;
};

}  // namespace detail

template <detail::Transferable T>
detail::PutValue<T> rput(const std::type_identity_t<T>& value, global_ptr<T> to) {
  return {value, to};
}
// As many elements as `from` has.
template <detail::Transferable T>
detail::PutRange<T> rput(std::span<const std::type_identity_t<T>> from, global_ptr<T> to) {
  return {from, to};
}
template <detail::Transferable T>
detail::PutRange<T> rput(std::span<const std::type_identity_t<T>> from, global_span<T> to) {
  if (from.size() > to.size()) detail::fatal("rput() of %zu elements to %zu", from.size(), to.size());
  return {from, to.data()};
}

template <detail::Transferable T>
detail::GetValue<std::remove_const_t<T>> rget(global_ptr<T> from) {
  return detail::GetValue<std::remove_const_t<T>>(from);
}
// As many elements as `to` has.
template <detail::Transferable T>
detail::GetRange<std::remove_const_t<T>> rget(global_ptr<T> from,
                                              std::span<std::type_identity_t<std::remove_const_t<T>>> to) {
  return {from, to};
}
template <detail::Transferable T>
detail::GetRange<std::remove_const_t<T>> rget(global_span<T> from,
                                              std::span<std::type_identity_t<std::remove_const_t<T>>> to) {
  if (to.size() > from.size()) detail::fatal("rget() of %zu elements from %zu", to.size(), from.size());
  return {from.data(), to};
}

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
