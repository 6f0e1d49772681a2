// Barriers, broadcasts and reductions as operations to await. team.hpp says what they do.
#ifndef AQUEDUCT_CXX_COLLECTIVE_HPP_
#define AQUEDUCT_CXX_COLLECTIVE_HPP_

#include <span>

#include "aqueduct/collectives.h"
#include "aqueduct/cxx/event_op.hpp"
#include "aqueduct/cxx/reduction.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

// Collectives of a team with a dead member are over at once, and mean nothing.
inline void check_team(gex_TM_t team) {
  if (!context().reports_failures) [[likely]] {
    return;
  }
  rank_t dead;
  if (aqueduct_failed_ranks(team, &dead, 1)) throw peer_failed(gex_TM_TranslateRankToJobrank(team, dead));
}

class [[nodiscard]] Barrier : public EventOp {
 public:
  explicit Barrier(gex_TM_t team) : team_(team) {}
  bool await_ready() {
    not_in_handler(context(), "barrier()");
    return began(gex_Coll_BarrierNB(team_, 0));
  }
  void await_resume() const { check_team(team_); }

 private:
  gex_TM_t team_;
};

template <class T>
class [[nodiscard]] BroadcastRange : public EventOp {
 public:
  BroadcastRange(gex_TM_t team, std::span<T> elements, rank_t root)
      : team_(team), elements_(elements), root_(root) {}
  bool await_ready() {
    not_in_handler(context(), "broadcast()");
    return began(
        gex_Coll_BroadcastNB(team_, root_, elements_.data(), elements_.data(), elements_.size_bytes(), 0));
  }
  void await_resume() const { check_team(team_); }

 private:
  gex_TM_t team_;
  std::span<T> elements_;
  rank_t root_;
};

template <class T>
class [[nodiscard]] BroadcastValue : public EventOp {
 public:
  BroadcastValue(gex_TM_t team, const T& value, rank_t root) : team_(team), value_(value), root_(root) {}
  bool await_ready() {
    not_in_handler(context(), "broadcast()");
    return began(gex_Coll_BroadcastNB(team_, root_, &value_, &value_, sizeof value_, 0));
  }
  T await_resume() const {
    check_team(team_);
    return value_;
  }

 private:
  gex_TM_t team_;
  T value_;
  rank_t root_;
};

// To every member, or to the root alone if there is one.
template <class T, class Op>
gex_Event_t start_reduction(gex_TM_t team, T* elements, std::size_t count, const Op& op, rank_t root) {
  not_in_handler(context(), "a reduction");
  constexpr gex_OP_t kOwn = library_operation<Op, T>();
  constexpr gex_DT_t kType = kOwn ? library_type<T>() : GEX_DT_USER;
  constexpr gex_OP_t kOperation = kOwn ? kOwn : GEX_OP_USER_NC;
  const gex_Coll_ReduceFn_t function = kOwn ? nullptr : combine<Op, T>;
  void* const data = kOwn ? nullptr : const_cast<void*>(static_cast<const void*>(&op));
  if (root == GEX_RANK_INVALID) {
    return gex_Coll_ReduceToAllNB(team, elements, elements, kType, sizeof(T), count, kOperation, function,
                                  data, 0);
  }
  return gex_Coll_ReduceToOneNB(team, root, elements, elements, kType, sizeof(T), count, kOperation, function,
                                data, 0);
}

template <class T, class Op>
class [[nodiscard]] ReduceRange : public EventOp {
 public:
  ReduceRange(gex_TM_t team, std::span<T> elements, Op op, rank_t root)
      : team_(team), elements_(elements), op_(op), root_(root) {}
  bool await_ready() { return began(start_reduction(team_, elements_.data(), elements_.size(), op_, root_)); }
  void await_resume() const { check_team(team_); }

 private:
  gex_TM_t team_;
  std::span<T> elements_;
  [[no_unique_address]] Op op_;
  rank_t root_;
};

template <class T, class Op>
class [[nodiscard]] ReduceValue : public EventOp {
 public:
  ReduceValue(gex_TM_t team, const T& value, Op op, rank_t root)
      : team_(team), value_(value), op_(op), root_(root) {}
  bool await_ready() { return began(start_reduction(team_, &value_, 1, op_, root_)); }
  T await_resume() const {
    check_team(team_);
    return value_;
  }

 private:
  gex_TM_t team_;
  T value_;
  [[no_unique_address]] Op op_;
  rank_t root_;
};

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
