#include "job/start_settings.hpp"

#include "base/env.hpp"
#include "job/membership.hpp"

namespace aqueduct::job {

std::optional<RankId> ranks_from_environment() {
  const auto count = env::integer({"AQUEDUCT_RANKS", "GASNET_PSHM_NODES"}, 1, kMaxRanks);
  if (!count) return std::nullopt;
  return static_cast<RankId>(*count);
}

std::string bind_from_environment() { return env::text({"AQUEDUCT_BIND"}, "auto"); }

bool tag_from_environment() { return env::flag({"AQUEDUCT_TAG"}, false); }

}  // namespace aqueduct::job
