// The launcher's side of a job on several hosts, up to the moment at which all ranks run.
#include <algorithm>
#include <cerrno>

#include "hosts/hub.hpp"
#include "job/supervision/limit_advice.hpp"
#include "net/address.hpp"

namespace aqueduct::job {
namespace {

/// The most remote shells without an agent at a time.
constexpr std::size_t kShellsAtOnce = 32;
/// From the start of a remote shell to its agent's Hello.
constexpr std::uint64_t kHelloPatienceNs = 30'000'000'000;
/// Enough to load a program from a slow disk many times.
constexpr std::uint64_t kStartPatienceNs = 60'000'000'000;

/// The address in an interface's text of Hello, if it may be used.
std::string address_in(const std::string& interface, const std::string& wanted) {
  const std::size_t blank = interface.find(' ');
  const std::string name = interface.substr(0, blank);
  const std::string address = blank == interface.npos ? "" : interface.substr(blank + 1);
  const bool is_wanted =
      wanted.empty() || wanted == name || wanted == address || "[" + wanted + "]" == address;
  return is_wanted ? address : "";
}

std::string bracketed(const std::string& address) {
  return address.find(':') != address.npos && address.front() != '[' ? "[" + address + "]" : address;
}

}  // namespace

void Hub::start_shells() {
  while (!has_failed_ && next_shell_ < hosts_.size() && greeting_ < kShellsAtOnce) {
    const std::size_t index = next_shell_++;
    Host& host = hosts_[index];
    if (!host.process.start(
            supervision_.events(), [this, index] { serve_link(hosts_[index]); }, signals_, limit_))
      return fail("cannot start a process for host " + host.name() + ": " + explain_with_advice(errno), 1);
    host.started_ns = clock_ns();
    ++greeting_;
  }
}

void Hub::hear(Host& host, const agent::Hello& hello) {
  if (host.hello) return lose(host, "greets twice");
  if (const std::string why = host.process.why_not_with(hello); !why.empty()) return fail(why, 1);
  host.hello = hello;
  host.heartbeat.emplace(job_.patience_ms, clock_ns());
  host.link().send(agent::Beat{job_.patience_ms});
  --greeting_;
  ++greeted_;
  start_shells();
  if (greeted_ == hosts_.size()) all_have_greeted();
}

void Hub::all_have_greeted() {
  phase_began_ns_ = clock_ns();
  if (hosts_.size() == 1) return start_ranks("");
  phase_ = Phase::kMeeting;
  const bool on_loopback = std::all_of(hosts_.begin(), hosts_.end(), [&](const Host& host) {
    return host.hello->machine == hosts_[0].hello->machine;
  });
  if (on_loopback) {
    addresses_ = {"127.0.0.1"};
  } else {
    addresses_ = candidates();
    if (addresses_.empty()) {
      return fail("host " + hosts_[0].name() + " has no address" +
                      (job_.interface.empty() ? "" : " at the interface " + job_.interface) +
                      " for the other hosts to meet at; choose one with --interface",
                  1);
    }
  }
  hosts_[0].link().send(agent::Meet{key_, static_cast<std::uint32_t>(hosts_.size()), on_loopback});
}

std::vector<std::string> Hub::candidates() const {
  const agent::Hello& first = *hosts_[0].hello;
  std::vector<std::string> found;
  const auto add = [&](const std::string& address) {
    const std::optional<net::Address> parsed = net::Address::parse(bracketed(address) + ":1");
    if (!parsed || parsed->is_loopback()) return;
    if (std::find(found.begin(), found.end(), bracketed(address)) == found.end())
      found.push_back(bracketed(address));
  };
  if (job_.interface.empty()) {
    add(first.reached_at);
    if (hosts_[0].place->is_here) {
      for (const Host& host : hosts_) add(host.hello->seen_from);
    }
  }
  for (const std::string& interface : first.interfaces) {
    if (const std::string address = address_in(interface, job_.interface); !address.empty()) add(address);
  }
  return found;
}

void Hub::hear(Host& host, const agent::Meeting& meeting) {
  if (phase_ != Phase::kMeeting || &host != hosts_.data()) return lose(host, "opens a rendezvous unasked");
  phase_ = Phase::kReaching;
  phase_began_ns_ = clock_ns();
  for (std::string& address : addresses_) address += ":" + std::to_string(meeting.port);
  for (std::size_t i = 1; i < hosts_.size(); ++i) {
    hosts_[i].reached.resize(addresses_.size());
    hosts_[i].link().send(agent::Reach{key_, static_cast<std::uint32_t>(hosts_.size()), addresses_});
  }
}

void Hub::hear(Host& host, const agent::Reached& reached) {
  if (reached.index >= host.reached.size()) return lose(host, "has reached what it was not asked to");
  host.reached[reached.index] = reached.why_not;
  if (phase_ == Phase::kReaching) choose_address();
}

void Hub::choose_address() {
  for (std::size_t index = 0; index < addresses_.size(); ++index) {
    const bool is_common = std::all_of(hosts_.begin() + 1, hosts_.end(), [&](const Host& host) {
      return host.reached[index] && host.reached[index]->empty();
    });
    if (is_common) return start_ranks(addresses_[index]);
  }
  const bool is_open = std::any_of(hosts_.begin() + 1, hosts_.end(), [](const Host& host) {
    return std::any_of(host.reached.begin(), host.reached.end(), [](const auto& why) { return !why; });
  });
  if (is_open) return;
  for (std::size_t i = 1; i < hosts_.size(); ++i) {
    const Host& host = hosts_[i];
    if (std::any_of(host.reached.begin(), host.reached.end(), [](const auto& why) { return why->empty(); }))
      continue;
    std::string tried;
    for (std::size_t index = 0; index < addresses_.size(); ++index)
      tried += (index == 0 ? "" : ", ") + addresses_[index] + " (" + *host.reached[index] + ")";
    return fail("host " + host.name() + " does not reach host " + hosts_[0].name() + " at " + tried +
                    "; let TCP through between the hosts, or choose another interface with --interface",
                1);
  }
  fail("the hosts do not reach host " + hosts_[0].name() +
           " at one address in common; choose an interface that all are connected to with --interface",
       1);
}

void Hub::start_ranks(const std::string& rendezvous) {
  phase_ = Phase::kStarting;
  phase_began_ns_ = clock_ns();
  agent::Start start;
  start.size = job_.placement.layout.size();
  start.machines = job_.placement.layout.text();
  start.command = job_.launch.command;
  start.directory = job_.directory;
  start.environment = job_.environment;
  start.conduit = job_.launch.conduit;
  start.bind = job_.launch.bind;
  start.tag = job_.launch.tag;
  start.key = key_;
  start.rendezvous = rendezvous;
  char host_name[256] = "";
  gethostname(host_name, sizeof host_name - 1);
  start.launcher = "job " + std::to_string(getppid()) + " on " + host_name;
  for (Host& host : hosts_) {
    start.ranks.assign(host.place->ranks.begin(), host.place->ranks.end());
    host.link().send(start);
  }
}

void Hub::hear(Host& host, const agent::Started&) {
  if (phase_ != Phase::kStarting || host.has_started) return lose(host, "starts ranks unasked");
  host.has_started = true;
  if (++started_ < hosts_.size()) return;
  phase_ = Phase::kRunning;
  watch_input();
}

void Hub::judge_start(std::uint64_t now_ns) {
  if (phase_ == Phase::kRunning || phase_ == Phase::kFinishing || has_failed_) return;
  for (Host& host : hosts_) {
    if (!host.process.is_started()) continue;
    if (!host.hello && host.link().is_closed()) {
      lose_closed(host);
      if (has_failed_) return;
    }
    if (!host.hello && now_ns > host.started_ns + kHelloPatienceNs) {
      const std::string words = host.process.complaints();
      return fail("host " + host.name() + " has not answered for " +
                      std::to_string(kHelloPatienceNs / kSecondNs) + " s" +
                      (words.empty() ? "" : " ('" + words + "')") + "; " + host.process.advice(),
                  1);
    }
    if (phase_ == Phase::kStarting && !host.has_started && now_ns > phase_began_ns_ + kStartPatienceNs) {
      return fail("host " + host.name() + " has not started its ranks within " +
                      std::to_string(kStartPatienceNs / kSecondNs) + " s",
                  1);
    }
  }
}

}  // namespace aqueduct::job
