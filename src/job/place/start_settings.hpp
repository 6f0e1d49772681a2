// What the environment says about how a job is started: the same for a program that starts its own ranks and
// for the launcher, which asks only for what was not typed. A malformed value is fatal (base/env.hpp).
#pragma once
#include <optional>
#include <string>

#include "base/types.hpp"
#include "job/place/membership.hpp"

namespace aqueduct::job {

/// AQUEDUCT_RANKS or GASNET_PSHM_NODES.
std::optional<RankId> ranks_from_environment();

/// The layout that `text` makes of this machine for `size` ranks. Empty with the reason in `*why`, one line
/// that says where the text is from: `setting` is "--layout" or "AQUEDUCT_LAYOUT", `joint` what stands
/// between that and its value.
std::optional<Layout> layout_of_machine(const std::string& text, RankId size, const char* setting, char joint,
                                        std::string* why);

/// AQUEDUCT_LAYOUT and GASNET_SUPERNODE_MAXSIZE: fills in which hosts there are and who shares memory.
void read_layout(Membership& membership);
/// What that has found, in words that are equal where the settings are: "2+2", or "none".
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
