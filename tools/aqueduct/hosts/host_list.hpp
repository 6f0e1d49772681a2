// Parses the hosts of a job as users write them, and decides how many ranks each gets.
//
//   --hosts a,b:4          names; ":4": so many slots
//   --hostfile F           one host a line: "b", "b:4" or "b slots=4"; "#" begins a comment
//
// A name may have a user (me@b) and may be an address ([2001:db8::1]:4).
//
// Slots    If no host has slots, ranks are divided evenly: blocks of consecutive ranks in the order of the
//          hosts, the first ones one larger if needed. If one host has slots, a host without has 1; hosts are
//          filled in their order, and a job without a number of ranks fills them all. More ranks than slots
//          are refused unless the user allows it; then the rest is divided evenly.
// Repeats  A host that is listed N times without slots has N slots (batch systems write such files). Any
//          other repetition is refused.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "job/place/layout.hpp"

namespace aqueduct::job {

struct ListedHost {
  std::string name;   ///< for the remote shell
  RankId slots = 0;   ///< 0: not given
  std::string where;  ///< "--hosts", or "FILE:3": for messages
};

/// The hosts, or one line why there are none.
struct HostList {
  std::vector<ListedHost> hosts;
  std::string error;
};
/// `source` is where the text is from: "--hosts".
HostList parse_hosts(std::string_view text, const std::string& source);
/// The same for the text of a file called `source`.
HostList parse_hostfile(std::string_view text, const std::string& source);
HostList read_hostfile(const std::string& path);

/// How many ranks each host gets.
struct Placement {
  struct Host {
    std::string name;
    std::vector<RankId> ranks;  ///< consecutive
    bool is_here = false;       ///< this machine: no remote shell is needed
  };
  std::vector<Host> hosts;  ///< the hosts with ranks
  Layout layout;
  std::string error;  ///< if not empty: why there is no placement, in one line
};
/// `ranks` 0: one per slot.
Placement place_ranks(const std::vector<ListedHost>& hosts, RankId ranks, bool may_oversubscribe);

/// Whether a name means this machine: localhost, a loopback address or its own name.
bool is_this_machine(const std::string& name);

/// "0-3", "5", "0-1,4-5".
std::string describe_ranks(const std::vector<RankId>& ranks);

}  // namespace aqueduct::job
