#include "hosts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "conduit/registry/registry.hpp"
#include "simulated_runs.hpp"
#include "tools/aqueduct/hosts/host_list.hpp"
#include "tools/common/child.hpp"
#include "tools/common/machines.hpp"
#include "tools/common/networks.hpp"

namespace aqueduct::calibrate {
namespace {

constexpr double kTimeoutS = 60;
constexpr std::string_view kSimulated = "simulated:";

std::string layout_of(unsigned hosts) {
  std::string text = "1";
  for (unsigned i = 1; i < hosts; ++i) text += "+1";
  return text;
}

std::vector<std::string> words_of(const Hosts& hosts, const LiveJob& job, const std::string& program) {
  std::vector<std::string> words{program,     "run",       "-n",      std::to_string(job.ranks),
                                 "--conduit", job.conduit, "--no-tag"};
  if (hosts.is_pretended) {
    words.insert(words.end(), {"--layout", layout_of(job.ranks)});
  } else {
    words.insert(words.end(), {"--hosts", hosts.text, "--oversubscribe"});
  }
  // As the ranks of a simulation keep to their cores.
  if (hosts.is_pretended) words.insert(words.end(), {"--bind", job.on_one_core ? "0" : "compact"});
  words.insert(words.end(), {program, "sim", "--live"});
  if (job.parameters.rounds != 0)
    words.insert(words.end(), {"--rounds", std::to_string(job.parameters.rounds)});
  if (job.parameters.bytes != 0) words.insert(words.end(), {"--bytes", std::to_string(job.parameters.bytes)});
  words.emplace_back(job.scenario);
  return words;
}

/// The line of a command that this one has run.
std::string without_name(const std::string& line) {
  constexpr std::string_view kName = "aqueduct: ";
  return line.starts_with(kName) ? line.substr(kName.size()) : line;
}

}  // namespace

Hosts parse_hosts(const std::string& text, const std::string& option) {
  Hosts hosts{.text = text};
  if (text.starts_with(kSimulated)) {
    std::string error;
    hosts.network = networks::load(text.substr(kSimulated.size()), {}, &error);
    if (!hosts.network) throw std::invalid_argument(fmt::format("{} {}: {}", option, text, error));
    hosts.count = 2;
    return hosts;
  }
  hosts.is_pretended = !text.empty() && text.find_first_not_of("1+") == text.npos;
  if (hosts.is_pretended) {
    hosts.count = static_cast<unsigned>(std::ranges::count(text, '1'));
    if (text != layout_of(hosts.count))
      throw std::invalid_argument(
          fmt::format("{} {}: a layout of hosts with one rank each looks like 1+1", option, text));
  } else {
    const job::HostList list = job::parse_hosts(text, option);
    if (!list.error.empty()) throw std::invalid_argument(list.error);
    hosts.count = static_cast<unsigned>(list.hosts.size());
  }
  if (hosts.count < 2)
    throw std::invalid_argument(
        fmt::format("{} {}: a message needs two hosts; 1+1 makes two of this machine", option, text));
  return hosts;
}

std::string command_of(const Hosts& hosts, const LiveJob& job) {
  return fmt::format("{}", fmt::join(words_of(hosts, job, "aqueduct"), " "));
}

std::vector<scenarios::Sample> run_live(const Hosts& hosts, const LiveJob& job) {
  if (hosts.network) {
    return run_simulated(*hosts.network, simulated_twin(job.conduit), *scenarios::find(job.scenario),
                         job.parameters, job.ranks, job.ranks);
  }
  const Ended ended = run_to_end({.words = words_of(hosts, job, this_program()), .timeout_s = kTimeoutS});
  if (ended.timed_out)
    throw std::runtime_error(
        fmt::format("`{}` did not end within {:g} s", command_of(hosts, job), kTimeoutS));
  if (ended.code != 0)
    throw std::runtime_error(ended.said.empty()
                                 ? fmt::format("`{}` ended with code {}", command_of(hosts, job), ended.code)
                                 : without_name(reason_in(ended.said)));
  std::vector<scenarios::Sample> samples = scenarios::samples_in(ended.said);
  if (samples.empty())
    throw std::runtime_error(fmt::format("`{}` has measured nothing", command_of(hosts, job)));
  return samples;
}

std::string simulated_twin(const std::string& conduit) {
  std::string why;
  if (!conduit::is_known(conduit.c_str(), &why))
    throw std::invalid_argument("--conduit " + conduit + ": " + why);
  const bool is_built_in = std::ranges::any_of(
      conduit::built_in(), [&](const conduit::Description* each) { return conduit == each->name; });
  if (!is_built_in) return "wire";
  const sim::MachineKind* const machine = machines::of_conduit(conduit);
  if (!machine)
    throw std::invalid_argument(
        fmt::format("--conduit {}: there is no network below it to calibrate", conduit));
  if (machine != &sim::kFabricMachine)
    throw std::invalid_argument(fmt::format(
        "--conduit {}: its network is simulated as {}, by the numbers of papers", conduit, machine->summary));
  return conduit;
}

}  // namespace aqueduct::calibrate
