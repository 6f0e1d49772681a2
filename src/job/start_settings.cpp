#include "job/start_settings.hpp"

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "job/membership.hpp"
#include "job/shared_memory.hpp"

namespace aqueduct::job {

std::optional<RankId> ranks_from_environment() {
  const auto count = env::integer({"AQUEDUCT_RANKS", "GASNET_PSHM_NODES"}, 1, kMaxRanks);
  if (!count) return std::nullopt;
  return static_cast<RankId>(*count);
}

void read_layout(Membership& membership) {
  membership.hosts = Layout::one_host(membership.size);
  if (const char* const text = env::text({"AQUEDUCT_LAYOUT"})) {
    std::string why;
    const std::optional<Layout> layout = Layout::parse(text, membership.size, &why);
    if (!layout)
      fatal("environment", "AQUEDUCT_LAYOUT='%s' is no layout of %u ranks: %s", text, membership.size,
            why.c_str());
    if (layout->hosts() > kMostHosts)
      fatal("environment", "AQUEDUCT_LAYOUT has %u hosts; one machine counts as at most %u", layout->hosts(),
            kMostHosts);
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

}  // namespace aqueduct::job
