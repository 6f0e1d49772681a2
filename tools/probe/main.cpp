// aqueduct-probe: asks one plug-in whether it can carry a job (conduit/plugin/probe.hpp). Installed where
// plug-ins are; ranks start it.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/types.hpp"
#include "conduit/plugin/announcement.hpp"
#include "conduit/plugin/loader.hpp"
#include "conduit/plugin/probe.hpp"
#include "job/place/membership.hpp"

// Ranks check by this note that it was built with their library.
[[gnu::section(".note.aqueduct"), gnu::used,
  gnu::aligned(4)]] constinit const aqueduct::conduit::plugin::AnnouncementNote aqueduct_announcement_note =
    aqueduct::conduit::plugin::announce({});

namespace {

using namespace aqueduct;
using namespace aqueduct::conduit::plugin;

/// What the arguments say of the job.
job::Membership membership_of(char** arguments) {
  const auto number = [&](int at) {
    RankId value = 1;
    std::from_chars(arguments[at], arguments[at] + std::strlen(arguments[at]), value);
    return value;
  };
  job::Membership membership;
  membership.size = number(3);
  membership.hosts = job::Layout::blocks(membership.size, std::max<RankId>(number(4), 1));
  membership.hosts_are_given = number(5) != 0;
  membership.hosts_are_machines = number(6) != 0;
  membership.rendezvous = net::Address::parse(arguments[7]).value_or(net::Address{});
  return membership;
}

std::string answer_of(const Loaded& loaded, const job::Membership& membership) {
  if (!loaded.description) return "no " + loaded.reason;
  const char* const why_not = loaded.description->why_not ? loaded.description->why_not(membership) : nullptr;
  if (why_not) return std::string("no ") + why_not;
  return "yes " + std::to_string(loaded.description->preference_for(membership));
}

}  // namespace

int main(int count, char** arguments) {
  constexpr int kArguments = 8;
  if (count != kArguments) {
    std::fprintf(stderr,
                 "%s asks a plug-in for a job, and is started by its ranks; see docs/conduits.md, Plug-ins\n",
                 kProbeProgram);
    return 2;
  }
  const std::string answer = answer_of(load(arguments[1], arguments[2]), membership_of(arguments)) + '\n';
  const ssize_t written = ::write(kProbeAnswerFd, answer.data(), answer.size());
  // Nobody waits for what libraries do at the end of a process.
  ::_exit(written == static_cast<ssize_t>(answer.size()) ? 0 : 1);
}
