#include "extended/collectives/agreement.hpp"

#include <utility>

#include "base/fatal.hpp"

namespace aqueduct::extended::collectives {
namespace {

const char* name_of(std::uint32_t kind) {
  switch (static_cast<Kind>(kind)) {
    case Kind::kBroadcast:
      return "a broadcast";
    case Kind::kReduceToOne:
      return "a reduction to one";
    case Kind::kReduceToAll:
      return "a reduction to all";
    case Kind::kScatter:
      return "a scatter";
    case Kind::kGather:
      return "a gather";
    case Kind::kGatherAll:
      return "a gather to all";
    case Kind::kExchange:
      return "an exchange";
    case Kind::kBarrier:
      return "a barrier";
    case Kind::kSplit:
      return "gex_TM_Split";
    case Kind::kCreate:
      return "gex_TM_Create";
    case Kind::kDestroy:
      return "gex_TM_Destroy";
  }
  return "another call";
}

}  // namespace

Arguments Arguments::of(const Request& request) {
  return {.bytes = request.bytes,
          .count = request.count,
          .kind = static_cast<std::uint32_t>(request.kind),
          .root = request.has_root() ? request.root : 0,
          .type = request.type,
          .operation = request.operation,
          .element_bytes = static_cast<std::uint32_t>(request.combiner.element_bytes),
          .synchronisation = request.enter_together + 2u * request.leave_together};
}

void require_agreement(const Request& mine, gex_Rank_t other, const Arguments& theirs) {
  const Arguments here = Arguments::of(mine);
  // Should it come to a message, it names the call that does not match, not the one in which that was found.
  const CallSite found_in = std::exchange(current_call_site(), mine.site);
  if (here.kind != theirs.kind) {
    fatal(mine.where, "mismatched collectives: %s here, but %s on rank %u of the team", name_of(here.kind),
          name_of(theirs.kind), other);
  }
  struct {
    const char* name;
    std::uint64_t here, there;
  } const arguments[] = {
      {"root", here.root, theirs.root},
      {"dt", here.type, theirs.type},
      {"dt_sz", here.element_bytes, theirs.element_bytes},
      {"dt_cnt", here.count, theirs.count},
      {"op", here.operation, theirs.operation},
      {"nbytes", here.bytes, theirs.bytes},
      {"flags", here.synchronisation, theirs.synchronisation},
  };
  for (const auto& argument : arguments) {
    if (argument.here == argument.there) continue;
    fatal(mine.where, "mismatched collectives: %s is %llu here, but %llu on rank %u of the team",
          argument.name, static_cast<unsigned long long>(argument.here),
          static_cast<unsigned long long>(argument.there), other);
  }
  current_call_site() = found_in;
}

}  // namespace aqueduct::extended::collectives
