// aqueduct-probe: asks one plug-in whether it can carry a job, or move memory of a device
// (conduit/plugin/probe.hpp). Installed where plug-ins are; ranks start it.
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

constexpr int kArguments = 8;
constexpr int kArgumentsOfDevice = 10;

RankId number(const char* text) {
  RankId value = 1;
  std::from_chars(text, text + std::strlen(text), value);
  return value;
}

/// What the arguments say of the job.
job::Membership membership_of(char** arguments) {
  job::Membership membership;
  membership.size = number(arguments[3]);
  membership.hosts = job::Layout::blocks(membership.size, std::max<RankId>(number(arguments[4]), 1));
  membership.hosts_are_given = number(arguments[5]) != 0;
  membership.hosts_are_machines = number(arguments[6]) != 0;
  membership.rendezvous = net::Address::parse(arguments[7]).value_or(net::Address{});
  return membership;
}

std::string answer_of(const Loaded& loaded, const job::Membership& membership) {
  if (!loaded.description) return "no " + loaded.reason;
  const char* const why_not = loaded.description->why_not ? loaded.description->why_not(membership) : nullptr;
  if (why_not) return std::string("no ") + why_not;
  return "yes " + std::to_string(loaded.description->preference_for(membership));
}

std::string answer_on_device(const Loaded& loaded, const job::Membership& membership, unsigned family,
                             int ordinal) {
  if (!loaded.description) return "no " + loaded.reason;
  if (!loaded.description->try_device || family >= device::kFamilies)
    return "no the conduit does not move memory of devices";
  const std::string why_not =
      loaded.description->try_device(membership, static_cast<device::Family>(family), ordinal);
  return why_not.empty() ? "yes 0" : "no " + why_not;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != kArguments && count != kArgumentsOfDevice) {
    std::fprintf(stderr,
                 "%s asks a plug-in for a job, and is started by its ranks; see docs/conduits.md, Plug-ins\n",
                 kProbeProgram);
    return 2;
  }
  const Loaded loaded = load(arguments[1], arguments[2]);
  const job::Membership membership = membership_of(arguments);
  const std::string answer =
      (count == kArguments ? answer_of(loaded, membership)
                           : answer_on_device(loaded, membership, number(arguments[8]),
                                              static_cast<int>(number(arguments[9])))) +
      '\n';
  const ssize_t written = ::write(kProbeAnswerFd, answer.data(), answer.size());
  // Nobody waits for what libraries do at the end of a process.
  ::_exit(written == static_cast<ssize_t>(answer.size()) ? 0 : 1);
}
