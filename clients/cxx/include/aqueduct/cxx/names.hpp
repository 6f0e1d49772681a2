// Objects that members of a team know by the same number: distributed objects and the teams themselves. A
// call that names one which this rank has not got yet waits for it.
#ifndef AQUEDUCT_CXX_NAMES_HPP_
#define AQUEDUCT_CXX_NAMES_HPP_

#include "aqueduct/cxx/incoming.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

// A team's own number, and those of the objects made in it, from 1 on.
inline std::uint64_t name_in_team(std::uint32_t team, std::uint32_t place) noexcept {
  return std::uint64_t{team} << 32 | place;
}

// With objects_lock held.
inline void announce(Context& context, std::uint64_t number, void* object) {
  context.objects_made.try_emplace(static_cast<std::uint32_t>(number >> 32), 0);
  context.objects[number] = object;
  const auto early = context.early_calls.find(number);
  if (early == context.early_calls.end()) return;
  for (Deferred* call : early->second) this_loop(context).push(call);
  context.early_calls.erase(early);
}

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
