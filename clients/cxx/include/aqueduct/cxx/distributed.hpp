// distributed<T>: one T at each member of a team, which others reach through calls.
//
//   aqueduct::distributed<std::vector<int>> rows{job, 100};                     // each member's own, made of the rest
//   int first = co_await rows.at(rank, [](std::vector<int>& row) { return row[0]; });
//
// Members make their objects in the same order. A call that comes before its object waits for it. An object
// is destroyed when no more calls can come to it, for instance after a barrier.
#ifndef AQUEDUCT_CXX_DISTRIBUTED_HPP_
#define AQUEDUCT_CXX_DISTRIBUTED_HPP_

#include "aqueduct/cxx/team.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

// A number that all members of a team give the same object, and the object by this number.
class NamedObject {
 public:
  NamedObject(const team& members, void* object) : context_(context()) {
    const std::lock_guard lock(context_.objects_lock);
    const std::uint32_t place = ++context_.objects_made[members.number()];
    number_ = name_in_team(members.number(), place);
    announce(context_, number_, object);
  }
  ~NamedObject() {
    const std::lock_guard lock(context_.objects_lock);
    context_.objects.erase(number_);
    for (auto& recent : context_.recent_objects) {
      if (recent.number == number_) recent = {};
    }
  }
  NamedObject(const NamedObject&) = delete;
  NamedObject& operator=(const NamedObject&) = delete;

  std::uint64_t number() const noexcept { return number_; }

 private:
  Context& context_;
  std::uint64_t number_;
};

}  // namespace detail

template <class T>
class distributed {
 public:
  template <class... Arguments>
  explicit distributed(team& members, Arguments&&... arguments)
      : team_(members), local_(std::forward<Arguments>(arguments)...), name_(members, &local_) {}

  T& operator*() noexcept { return local_; }
  T* operator->() noexcept { return &local_; }
  const T& operator*() const noexcept { return local_; }
  const T* operator->() const noexcept { return &local_; }
  team& members() const noexcept { return team_; }

  // Calls f(the member's T, arguments...) at a member of the team.
  template <class F, class... A>
  auto at(rank_t member, F function, A&&... arguments) const {
    return aqueduct::call(team_.job_rank(member), function, *this, std::forward<A>(arguments)...);
  }
  template <class F, class... A>
  void post(rank_t member, F function, A&&... arguments) const {
    aqueduct::post(team_.job_rank(member), function, *this, std::forward<A>(arguments)...);
  }
  // A copy of a member's T.
  auto fetch(rank_t member) const {
    return at(member, [](T& object) -> const T& { return object; });
  }

  std::uint64_t number() const noexcept { return name_.number(); }

 private:
  team& team_;
  T local_;
  detail::NamedObject name_;
};

namespace detail {

template <class T>
ObjectName<T> to_wire(const distributed<T>& object) {
  return {object.number()};
}

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
