#include "job/place/start_settings.hpp"

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "job/place/membership.hpp"
#include "job/place/shared_memory.hpp"

namespace aqueduct::job {

std::optional<RankId> ranks_from_environment() {
  const auto count = env::integer({"AQUEDUCT_RANKS", "GASNET_PSHM_NODES"}, 1, kMaxRanks);
  if (!count) return std::nullopt;
  return static_cast<RankId>(*count);
}

std::optional<Layout> layout_of_machine(const std::string& text, RankId size, const char* setting, char joint,
                                        std::string* why) {
  std::string malformed;
  std::optional<Layout> layout = Layout::parse(text, size, &malformed);
  if (!layout) {
    *why = std::string(setting) + joint + "'" + text + "' is no layout of " + std::to_string(size) +
           " ranks: " + malformed;
  } else if (layout->hosts() > kMostHosts) {
    *why = std::string(setting) + " has " + std::to_string(layout->hosts()) +
           " hosts; one machine counts as at most " + std::to_string(kMostHosts);
    layout.reset();
  }
  return layout;
}

void read_layout(Membership& membership) {
  membership.hosts = Layout::one_host(membership.size);
  if (const char* const text = env::text({"AQUEDUCT_LAYOUT"})) {
    std::string why;
    const std::optional<Layout> layout =
        layout_of_machine(text, membership.size, "AQUEDUCT_LAYOUT", '=', &why);
    if (!layout) fatal("environment", "%s", why.c_str());
    membership.hosts = *layout;
    membership.hosts_are_given = true;
  }
  if (const auto most = env::integer({"GASNET_SUPERNODE_MAXSIZE"}, 0, kMaxRanks))
    membership.most_neighbours = static_cast<RankId>(*most);
}

std::string layout_setting(const Membership& membership) {
  return membership.hosts_are_given ? membership.hosts.text() : "none";
}

std::string neighbours_setting(const Membership& membership) {
  return membership.most_neighbours ? std::to_string(*membership.most_neighbours) : "none";
}

std::string bind_from_environment() { return env::text({"AQUEDUCT_BIND"}, "auto"); }

bool reports_failures_from_environment() {
  const std::string what = env::text({"AQUEDUCT_ON_FAILURE"}, "end");
  if (what != "end" && what != "report")
    fatal("environment", "AQUEDUCT_ON_FAILURE='%s'; it may be end or report", what.c_str());
  return what == "report";
}

bool tag_from_environment() { return env::flag({"AQUEDUCT_TAG"}, false); }

bool same_addresses_from_environment() { return env::flag({kSameAddresses}, false); }

}  // namespace aqueduct::job
