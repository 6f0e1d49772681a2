// aqueduct doctor: looks for what breaks jobs in practice, on this host or on several, and says what to do
// about it.
//
// It reads facts on each host, through agents on other hosts, and judges them; then it runs small jobs, which
// show what facts do not: firewalls, launchers, plug-ins that load but do not work.
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "doctor/facts.hpp"
#include "doctor/findings.hpp"
#include "doctor/probe.hpp"
#include "hosts.hpp"
#include "info/report.hpp"
#include "job/place/binding.hpp"
#include "tools/common/arguments.hpp"
#include "tools/common/child.hpp"
#include "tools/common/printed.hpp"

namespace {

using namespace aqueduct;
using doctor::Finding;
using doctor::FindingLevel;

constexpr const char* kProbeTimeout = "30";

struct DoctorTyped {
  std::optional<std::string> ranks;
  hosts::TypedHosts hosts;
};

/// Runs the probe as a job; `options` are those of `aqueduct run`.
Finding try_job(const std::string& subject, std::vector<std::string> options, const std::string& program,
                const std::string& fix) {
  std::vector<std::string> words{this_program(), "run", "--timeout", kProbeTimeout};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {program, doctor::kProbeCommand});
  const Ended ended = run_to_end({.words = words});
  if (ended.code == 0) return {FindingLevel::kOk, subject, ended.said.substr(0, ended.said.find('\n')), ""};
  const std::string reason =
      ended.code == 124 ? fmt::format("a job did not end within {} s", kProbeTimeout) : reason_in(ended.said);
  return {FindingLevel::kProblem, subject, reason, fix};
}

/// Reports libraries that are installed but unused because a plug-in is missing.
void add_missing_plugins(const doctor::Facts& facts, const info::InfoReport& report,
                         std::vector<Finding>& findings) {
  const auto expect = [&](bool is_installed, const std::string& what, const std::string& conduit) {
    const auto is_it = [&](const auto& each) { return each.name == conduit; };
    if (!is_installed || std::any_of(report.conduits.begin(), report.conduits.end(), is_it) ||
        std::any_of(report.plugins.begin(), report.plugins.end(), is_it))
      return;
    findings.push_back({FindingLevel::kNote, conduit, what + " is installed, but there is no plug-in for it",
                        "install aqueduct-conduit-" + conduit + ", or build where the development files of " +
                            what + " are"});
  };
  const auto has_mpi = [&](const char* title) {
    return std::find(facts.mpi_launchers.begin(), facts.mpi_launchers.end(), title) !=
           facts.mpi_launchers.end();
  };
  expect(has_mpi("Open MPI"), "Open MPI", "mpi-openmpi");
  expect(has_mpi("MPICH"), "MPICH", "mpi-mpich");
  expect(facts.has_libfabric, "libfabric", "ofi");
}

/// Tries each conduit that could run between two ranks.
std::vector<Finding> try_conduits(const doctor::Facts& facts) {
  const info::InfoReport report = info::make_report(AQUEDUCT_TOOL_VERSION, job::Layout::one_host(2));
  std::vector<Finding> findings;
  for (const info::PluginFacts& plugin : report.plugins) {
    if (!plugin.reason.empty())
      findings.push_back({FindingLevel::kWarning, plugin.name, plugin.reason,
                          "install what it names, or remove " + plugin.path});
  }
  add_missing_plugins(facts, report, findings);
  for (const info::ConduitFacts& conduit : report.conduits) {
    if (conduit.name == "loopback") continue;
    if (!conduit.is_possible) {
      findings.push_back({FindingLevel::kNote, conduit.name, "not possible here: " + conduit.reason, ""});
      continue;
    }
    std::vector<std::string> options{"-n", "2", "--conduit", conduit.name};
    if (conduit.name != "smp")
      options.insert(options.end(), {"--layout", "1+1"});  // not through shared memory
    findings.push_back(
        try_job(conduit.name, options, this_program(), "see above; AQUEDUCT_CONDUIT chooses another"));
  }
  return findings;
}

int examine_here(RankId ranks) {
  const doctor::Facts facts = doctor::read_facts();
  const std::vector<Finding> findings = doctor::judge_host(facts, ranks);
  fmt::print("{}, for a job of {} ranks (-n says how many)\n{}\nJobs of 2 ranks, tried\n", facts.host, ranks,
             doctor::as_text(findings));
  printed::flush();
  const std::vector<Finding> jobs = try_conduits(facts);
  fmt::print("{}", doctor::as_text(jobs));
  return doctor::has_problem(findings) || doctor::has_problem(jobs) ? 1 : 0;
}

int examine_hosts(const DoctorTyped& typed) {
  const job::Placement placement =
      hosts::place_all(typed.hosts, typed.ranks ? arguments::rank_count(*typed.ranks) : 0);
  const std::vector<job::HostAnswer> answers =
      job::ask_hosts(placement, hosts::agent_source(typed.hosts, AQUEDUCT_TOOL_VERSION));
  std::vector<doctor::Facts> known;
  bool is_bad = false;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const job::HostAnswer& answer = answers[i];
    const std::optional<doctor::Facts> facts =
        answer.error.empty() ? info::system_in(answer.facts) : std::nullopt;
    std::vector<Finding> findings;
    if (facts) {
      findings = doctor::judge_host(*facts, static_cast<RankId>(placement.hosts[i].ranks.size()));
      known.push_back(*facts);
    } else {
      findings.push_back(
          {FindingLevel::kProblem, "agent",
           answer.error.empty() ? "says of itself what cannot be understood" : answer.error,
           "ssh HOST aqueduct --version must work without a question, with the same version as here"});
    }
    fmt::print("{}\n{}\n", answer.name, doctor::as_text(findings));
    is_bad = is_bad || doctor::has_problem(findings);
  }
  std::vector<Finding> together = doctor::judge_hosts(known);
  if (known.size() == answers.size()) {
    together.push_back(try_job(
        "udp", hosts::run_options(typed.hosts, placement.layout.size(), "udp"),
        hosts::program_there(typed.hosts),
        "open TCP and UDP between the hosts in the firewall, or name another interface with --interface"));
  }
  fmt::print("All hosts together\n{}", doctor::as_text(together));
  return is_bad || doctor::has_problem(together) ? 1 : 0;
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("doctor", "Look for what breaks jobs here, or on several hosts, and say the fix");
  command->footer("The exit code is 1 if something will make jobs fail.");
  auto typed = std::make_shared<DoctorTyped>();
  command
      ->add_option("-n,--ranks", typed->ranks,
                   "Ranks of the job that it is for; without it one for each core")
      ->type_name("N");
  add_asking_options(*command, typed->hosts,
                     "Look at these hosts, a,b:4, through ssh, and at what is between them");
  command->callback([typed, &exit_code] {
    if (typed->hosts.names_hosts()) {
      exit_code = examine_hosts(*typed);
    } else {
      exit_code = examine_here(typed->ranks ? arguments::rank_count(*typed->ranks)
                                            : static_cast<RankId>(job::usable_cores().size()));
    }
  });

  CLI::App* probe =
      app.add_subcommand(doctor::kProbeCommand, "A rank of the job that doctor tries; started by it");
  probe->group("");
  probe->callback([&exit_code] { exit_code = doctor::run_probe(); });
}
