// team: an ordered set of ranks, and what its members do together. The job is the team of all.
//
// Collectives are awaited by all members in the same order; several may be under way at once. Types are
// trivially copyable; operations are those of <functional>, minimum and maximum, or any function of two
// elements, which is applied in the order of ranks.
#ifndef AQUEDUCT_CXX_TEAM_HPP_
#define AQUEDUCT_CXX_TEAM_HPP_

#include <exception>

#include "aqueduct/cxx/call.hpp"
#include "aqueduct/cxx/collective.hpp"
#include "aqueduct/cxx/names.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

class team {
 public:
  team(team&& other) noexcept
      : handle_(std::exchange(other.handle_, GEX_TM_INVALID)),
        number_(other.number_),
        rank_(other.rank_),
        size_(other.size_),
        parts_(other.parts_) {
    announce();
  }
  team& operator=(team&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(number_, other.number_);
    std::swap(rank_, other.rank_);
    std::swap(size_, other.size_);
    std::swap(parts_, other.parts_);
    announce();
    other.announce();
    return *this;
  }
  // Collective: by all its members, with nothing under way. A member that an exception takes out of the
  // team's scope does not wait for the others, which may never come: its part of the team is left as it is.
  ~team() {
    if (handle_ == GEX_TM_INVALID) return;
    if (number_ != 0) {
      detail::Context& here = detail::context();
      const std::lock_guard lock(here.objects_lock);
      here.objects.erase(detail::name_in_team(number_, 0));
    }
    if (std::uncaught_exceptions() > exceptions_) return;
    gex_TM_Destroy(handle_, nullptr, 0);
  }

  rank_t rank() const noexcept { return rank_; }
  rank_t size() const noexcept { return size_; }
  // The rank in the job of a member.
  rank_t job_rank(rank_t member) const {
    return number_ == 0 ? member : gex_TM_TranslateRankToJobrank(handle_, member);
  }
  gex_TM_t handle() const noexcept { return handle_; }
  // The same at all members, and another for each team that a rank is in.
  std::uint32_t number() const noexcept { return number_; }

  // When every member has begun it.
  detail::Barrier barrier() const { return detail::Barrier(handle_); }
  // The root's value; the root's elements to everybody's.
  template <class T>
  detail::BroadcastValue<T> broadcast(const T& value, rank_t root) const {
    check_plain<T>();
    return {handle_, value, root};
  }
  template <class T, std::size_t kSize>
  detail::BroadcastRange<T> broadcast(std::span<T, kSize> elements, rank_t root) const {
    check_plain<T>();
    return {handle_, elements, root};
  }
  // All values combined; of ranges, element by element and in place.
  template <class T, class Op>
  detail::ReduceValue<T, Op> reduce_all(const T& value, Op op) const {
    check_plain<T>();
    return {handle_, value, op, GEX_RANK_INVALID};
  }
  template <class T, std::size_t kSize, class Op>
  detail::ReduceRange<T, Op> reduce_all(std::span<T, kSize> elements, Op op) const {
    check_plain<T>();
    return {handle_, elements, op, GEX_RANK_INVALID};
  }
  // The same for the root; what others get means nothing.
  template <class T, class Op>
  detail::ReduceValue<T, Op> reduce_one(const T& value, Op op, rank_t root) const {
    check_plain<T>();
    return {handle_, value, op, root};
  }
  template <class T, std::size_t kSize, class Op>
  detail::ReduceRange<T, Op> reduce_one(std::span<T, kSize> elements, Op op, rank_t root) const {
    check_plain<T>();
    return {handle_, elements, op, root};
  }
  // The values of all members, by rank.
  template <class T>
  task<std::vector<T>> gather_all(T value) const {
    check_plain<T>();
    // Each member has its own part of zeros: `or` puts the parts together.
    std::vector<std::uint64_t> words((size_ * sizeof(T) + 7) / 8);
    char* const bytes = reinterpret_cast<char*>(words.data());
    std::memcpy(bytes + rank_ * sizeof(T), &value, sizeof(T));
    co_await reduce_all(std::span(words), std::bit_or<>());
    std::vector<T> all(size_);
    std::memcpy(all.data(), bytes, size_ * sizeof(T));
    co_return all;
  }

  // As aqueduct::call() and post(), with a rank in this team.
  template <class F, class... A>
  auto call(rank_t member, F function, A&&... arguments) const {
    return aqueduct::call(job_rank(member), function, std::forward<A>(arguments)...);
  }
  template <class F, class... A>
  void post(rank_t member, F function, A&&... arguments) const {
    aqueduct::post(job_rank(member), function, std::forward<A>(arguments)...);
  }

  // Collective: members of equal color (at least 0) become a team, ordered by key and then by rank.
  task<team> split(int color, int key = 0) {
    // Making a team waits in the library, where no task goes on: first everybody comes here.
    co_await barrier();
    gex_TM_t part = GEX_TM_INVALID;
    gex_TM_Split(&part, handle_, color, key, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
    // Members agree on all that this is made of. 0 is the job's.
    std::uint64_t mixed = (std::uint64_t{number_} << 32 | ++parts_) * 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 29 ^ static_cast<std::uint32_t>(color)) * 0xbf58476d1ce4e5b9;
    co_return team(part, static_cast<std::uint32_t>(mixed >> 32) | 1);
  }

 protected:
  friend class job;
  team() = default;
  // The handle stays, but is no longer this object's to destroy.
  void leave() noexcept { handle_ = GEX_TM_INVALID; }
  team(gex_TM_t handle, std::uint32_t number)
      : handle_(handle), number_(number), rank_(gex_TM_QueryRank(handle)), size_(gex_TM_QuerySize(handle)) {
    announce();
  }

 private:
  // Messages that name this team find it here. The job does that itself.
  void announce() {
    if (handle_ == GEX_TM_INVALID || number_ == 0) return;
    detail::Context& here = detail::context();
    const std::lock_guard lock(here.objects_lock);
    detail::announce(here, detail::name_in_team(number_, 0), this);
  }

  template <class T>
  static constexpr void check_plain() {
    static_assert(std::is_trivially_copyable_v<T>, "collectives are of types that can be copied as bytes");
  }

  gex_TM_t handle_ = GEX_TM_INVALID;
  std::uint32_t number_ = 0;
  rank_t rank_ = 0;
  rank_t size_ = 0;
  std::uint32_t parts_ = 0;
  int exceptions_ = std::uncaught_exceptions();
};

namespace detail {

inline ObjectName<team> to_wire(const team& members) { return {name_in_team(members.number(), 0)}; }

}  // namespace detail

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
