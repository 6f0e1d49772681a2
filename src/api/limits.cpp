// Limits that clients ask for to size their buffers, often before they start the library. Then the answer is
// what it will be once they have: the conduit and its limits follow from the environment alone.
#include "api/client_config.hpp"
#include "api/face.hpp"
#include "base/env.hpp"
#include "gasnet.h"
#include "world/world.hpp"

using namespace aqueduct;
using namespace aqueduct::api;

namespace {

// How many ranks the job will have makes no difference to which conduit it gets, or it gets none.
am::Limits limits_to_come(const char* where, const ClientConfig& client) {
  std::string why;
  const conduit::Description* conduit =
      conduit_for(client, world::is_simulated() ? world::current().place() : job::Membership{}, &why);
  if (!conduit) {
    world::current().place();  // so that the job ends with one line, not each rank with its own
    fatal(where, "%s", why.c_str());
  }
  return am::limits_for_clients(conduit->limits(), reaches_everything(client));
}

}  // namespace

namespace aqueduct::api {

const conduit::Description* conduit_for(const ClientConfig& client, const job::Membership& place,
                                        std::string* why) {
  const char* const wanted = env::text({"AQUEDUCT_CONDUIT"});
  if (!wanted && client.conduit && !world::is_simulated() && conduit::is_known(client.conduit, why)) {
    if (const conduit::Description* const conduit = conduit::choose(client.conduit, place, why))
      return conduit;
  }
  return conduit::choose(wanted, place, why);
}

bool reaches_everything(const ClientConfig& client) {
  return client.is_segmentless || env::flag({"AQUEDUCT_SEGMENT_EVERYTHING"}, false);
}

}  // namespace aqueduct::api

extern "C" {

size_t aq_lub_medium_(uint32_t client_config) {
  constexpr const char* kWhere = "gex_AM_LUBRequestMedium";
  if (const core::Rank* rank = core::process_rank()) return rank->limits().max_medium;
  return limits_to_come(kWhere, ClientConfig(client_config)).max_medium;
}

size_t aq_lub_long_(uint32_t client_config) {
  constexpr const char* kWhere = "gex_AM_LUBRequestLong";
  if (const core::Rank* rank = core::process_rank()) return rank->limits().max_long;
  return limits_to_come(kWhere, ClientConfig(client_config)).max_long;
}

uint64_t aq_max_threads_(uint32_t client_config) {
  constexpr int64_t kMost = 65535;
  const core::Rank* const rank = core::process_rank();
  const core::ThreadMode mode = rank ? rank->options().mode : ClientConfig(client_config).mode;
  if (mode == core::ThreadMode::kSeq) return 1;
  return static_cast<uint64_t>(env::integer({"GASNET_MAX_THREADS"}, 2, kMost).value_or(kMost));
}
}
