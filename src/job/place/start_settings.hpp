// The environment's settings of how a job is started, for programs that start their own ranks and for the
// launcher, which reads only those that its command line does not set. A malformed value is fatal
// (base/env.hpp).
#pragma once
#include <optional>
#include <string>

#include "base/types.hpp"
#include "job/place/membership.hpp"

namespace aqueduct::job {

/// AQUEDUCT_RANKS or GASNET_PSHM_NODES.
std::optional<RankId> ranks_from_environment();

/// The layout that `text` makes of this machine for `size` ranks. Nothing, with the reason in `*why`, if it
/// is wrong. `setting`, "--layout" or "AQUEDUCT_LAYOUT", and `joint`, the character before its value, are for
/// that line.
std::optional<Layout> layout_of_machine(const std::string& text, RankId size, const char* setting, char joint,
                                        std::string* why);

/// AQUEDUCT_LAYOUT and GASNET_SUPERNODE_MAXSIZE: fills in the hosts and which ranks share memory.
void read_layout(Membership& membership);
/// The results of read_layout() as texts, equal if the settings are equal: "2+2", or "none".
std::string layout_setting(const Membership& membership);
std::string neighbours_setting(const Membership& membership);

/// AQUEDUCT_BIND, or "auto". plan_binding() judges it.
std::string bind_from_environment();

/// AQUEDUCT_ON_FAILURE: whether the job goes on when a rank dies (job/place/failures.hpp).
bool reports_failures_from_environment();

/// AQUEDUCT_TAG.
bool tag_from_environment();

/// AQUEDUCT_SAME_ADDRESSES: whether ranks of a host have the same addresses
/// (job/supervision/same_addresses.hpp).
inline constexpr char kSameAddresses[] = "AQUEDUCT_SAME_ADDRESSES";
bool same_addresses_from_environment();

}  // namespace aqueduct::job
