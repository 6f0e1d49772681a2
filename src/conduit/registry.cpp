#include "conduit/registry.hpp"

#include <array>
#include <cstring>

#include "conduit/loopback/loopback.hpp"
#include "conduit/mpi/mpi.hpp"
#include "conduit/portals/portals.hpp"
#include "conduit/smp/smp.hpp"
#include "conduit/wire/wire.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit {
namespace {

const std::array<const Description*, 5> kConduits = {&smp::kDescription, &loopback::kDescription,
                                                     &wire::kDescription, &portals::kDescription,
                                                     &mpi::kDescription};

// Why `conduit` cannot carry the job; empty if it can.
std::string objection(const Description& conduit, const job::Membership& membership) {
  // How many ranks a conduit carries is said of live ones; a simulation has its own limits.
  if (!world::is_simulated() && membership.size > conduit.max_ranks) {
    return "it carries at most " + std::to_string(conduit.max_ranks) +
           (conduit.max_ranks == 1 ? " rank" : " ranks") + " and the job has " +
           std::to_string(membership.size);
  }
  const char* reason = conduit.why_not(membership);
  return reason ? reason : "";
}

}  // namespace

std::span<const Description* const> all() { return kConduits; }

const Description* find(const char* name) {
  for (const Description* conduit : kConduits) {
    if (std::strcmp(conduit->name, name) == 0) return conduit;
  }
  return nullptr;
}

const Description* choose(const char* wanted, const job::Membership& membership, std::string* why) {
  if (wanted && *wanted) {
    const Description* conduit = find(wanted);
    if (!conduit) {
      *why = std::string("there is no conduit '") + wanted + "'; this library has:";
      for (const Description* known : kConduits) *why += std::string(" ") + known->name;
      return nullptr;
    }
    const std::string reason = objection(*conduit, membership);
    if (!reason.empty()) {
      *why = std::string("conduit '") + wanted + "' cannot be used: " + reason;
      return nullptr;
    }
    return conduit;
  }
  const Description* best = nullptr;
  for (const Description* conduit : kConduits) {
    if (objection(*conduit, membership).empty() && (!best || conduit->preference > best->preference))
      best = conduit;
  }
  if (!best) *why = "no conduit can carry a job of " + std::to_string(membership.size) + " ranks";
  return best;
}

}  // namespace aqueduct::conduit
