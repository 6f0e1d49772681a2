#include "job.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "conduit/registry/registry.hpp"
#include "job/place/membership.hpp"
#include "job/supervision/supervisor.hpp"
#include "json_text.hpp"
#include "registry.hpp"

namespace aqueduct::bench {
namespace {

/// An anonymous file that the ranks inherit; rank 0 writes its result to it.
class ResultFile {
 public:
  ResultFile() : fd_(memfd_create("aqueduct-bench-result", 0)) {}
  ~ResultFile() {
    if (fd_ >= 0) close(fd_);
  }
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  int fd() const { return fd_; }

  std::string text() const {
    std::string text;
    std::array<char, 4096> part;
    for (off_t at = 0;;) {
      const ssize_t got = pread(fd_, part.data(), part.size(), at);
      if (got <= 0) return text;
      text.append(part.data(), static_cast<std::size_t>(got));
      at += got;
    }
  }

 private:
  int fd_;
};

void leave_answer(int fd, const Answer& answer) {
  const std::string text = to_text(answer);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(fd, text.data() + at, text.size() - at);
    if (written <= 0) gasnet_exit(1);
    at += static_cast<std::size_t>(written);
  }
}

std::string list_of(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

/// What a rank finds out.
Answer measure(const Parameters& parameters) {
  const Bench* const bench = find_bench(parameters.bench);
  Answer answer;
  try {
    Session session(parameters, bench->data_bytes(parameters));
    if (session.size() != parameters.ranks)
      throw Unsuitable(fmt::format("the job has {} ranks, and -n says {}", session.size(), parameters.ranks));
    answer.result = bench->run(session, parameters);
  } catch (const Unsuitable& unsuitable) {
    answer.unsuitable = unsuitable.what();
  }
  return answer;
}

void take(Answer answer, Outcome* outcome) {
  outcome->exit_code = 2;
  outcome->error = answer.unsuitable;
  if (!answer.result) return;
  outcome->result = std::move(answer.result);
  outcome->exit_code = outcome->result->failure.empty() ? 0 : 1;
  outcome->error = outcome->result->failure;
}

/// Ranks leave together, because one that leaves long before the others seems to have failed.
[[noreturn]] void leave_together(int exit_code) {
  gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_exit(exit_code);
}

}  // namespace

std::optional<std::string> complete(Parameters& parameters) {
  const Bench* const bench = find_bench(parameters.bench);
  if (bench == nullptr) {
    return fmt::format("unknown benchmark '{}' (see aqueduct bench --list)", parameters.bench);
  }
  if (parameters.ranks < bench->least_ranks) {
    return fmt::format("{} needs at least {} ranks, not {}", bench->name, bench->least_ranks,
                       parameters.ranks);
  }
  if (parameters.ranks > job::kMaxRanks) {
    return fmt::format("-n: at most {} ranks, not {}", job::kMaxRanks, parameters.ranks);
  }
  if (!parameters.kind.empty() && std::ranges::find(bench->kinds, parameters.kind) == bench->kinds.end()) {
    return bench->kinds.empty() ? fmt::format("{} has no --kind", bench->name)
                                : fmt::format("{}: {} knows {}, not '{}'", bench->kind_option, bench->name,
                                              list_of(bench->kinds), parameters.kind);
  }
  if (parameters.look_ahead != Parameters{}.look_ahead && parameters.bench != "random-access")
    return fmt::format("{} has no --look-ahead", bench->name);
  if (parameters.kind.empty() && !bench->kinds.empty()) parameters.kind = bench->kinds.front();
  if (!parameters.sizes.empty() && (!bench->takes_sizes || parameters.kind == "short")) {
    return fmt::format("{} has no --sizes{}", bench->name, bench->takes_sizes ? " with --kind short" : "");
  }
  if (parameters.threads > 1 && !bench->takes_threads) return fmt::format("{} has no --threads", bench->name);
  if (parameters.threads > 1 && !parameters.par()) return "--threads: more than one thread needs --mode par";
  if (parameters.inject_error && parameters.bench != "random-access") {
    return fmt::format("{} has no --inject-error", bench->name);
  }
  for (const auto& [option, where] : {std::pair("--local-memory", &parameters.local_memory),
                                      std::pair("--remote-memory", &parameters.remote_memory)}) {
    if (*where != "host" && *where != "device")
      return fmt::format("{}: host or device, not '{}'", option, *where);
  }
  if (parameters.uses_devices() &&
      (!bench->takes_memory || !parameters.against.empty() || !parameters.simulate.empty()))
    return fmt::format("{}{} has no --local-memory and --remote-memory", bench->name,
                       bench->takes_memory ? " with --against or --sim" : "");
  const std::string& device_class = parameters.device_class;
  if (!device_class.empty() && device_class != "cuda" && device_class != "hip" && device_class != "ze")
    return fmt::format("--device-class: cuda, hip or ze, not '{}'", device_class);
  if (!device_class.empty() && !parameters.uses_devices())
    return "--device-class: needs --local-memory device or --remote-memory device";
  if (parameters.window != 0 && (!bench->takes_memory || !parameters.against.empty()))
    return fmt::format("{}{} has no --window", bench->name, bench->takes_memory ? " with --against" : "");
  if (!parameters.against.empty() && parameters.against != "raw") {
    return fmt::format("--against: only raw, not '{}'", parameters.against);
  }
  if (!parameters.against.empty() && !bench->takes_raw)
    return fmt::format("{} has no --against", bench->name);
  if (!parameters.against.empty() && parameters.threads > 1 && !bench->takes_peers)
    return "--against: with one thread only";
  if (parameters.peers > 1 && !bench->takes_peers) return fmt::format("{} has no --peers", bench->name);
  if (bench->takes_peers && parameters.peers >= parameters.ranks)
    return fmt::format("--peers: {} need -n {} at least", parameters.peers, parameters.peers + 1);
  if (!parameters.simulate.empty()) {
    if (bench->simulate == nullptr) return fmt::format("{} has no --sim", bench->name);
    if (parameters.ranks != 2)
      return fmt::format("-n: with --sim {} is between two ranks, not {}", bench->name, parameters.ranks);
    if (parameters.repetitions > 1) return "--repetitions: with --sim every one is like the first";
    parameters.repetitions = 1;
  }
  if (parameters.sizes.empty()) parameters.sizes = bench->default_sizes(parameters);
  if (parameters.repetitions == 0) parameters.repetitions = bench->default_repetitions;
  if (bench->complaint != nullptr) {
    if (std::string complaint = bench->complaint(parameters); !complaint.empty()) return complaint;
  }
  return {};
}

Outcome run_simulated(const Parameters& parameters) {
  Outcome outcome{.conduit = "simulated", .machine = describe_machine(parameters)};
  // The load of this machine does not change a simulated result.
  outcome.machine.load = 0;
  outcome.machine.oversubscribed = false;
  try {
    outcome.result = find_bench(parameters.bench)->simulate(parameters);
  } catch (const Unsuitable& unsuitable) {
    outcome.exit_code = 2;
    outcome.error = unsuitable.what();
  }
  return outcome;
}

Outcome run_job(const Parameters& asked) {
  if (!asked.simulate.empty()) return run_simulated(asked);
  Outcome outcome{.machine = describe_machine(asked)};
  job::Membership membership;
  membership.size = asked.ranks;
  std::string why;
  const char* const wanted = asked.conduit.empty() ? std::getenv("AQUEDUCT_CONDUIT") : asked.conduit.c_str();
  const conduit::Description* const chosen = conduit::choose(wanted, membership, &why);
  if (chosen == nullptr) return {.exit_code = 2, .error = why};
  outcome.conduit = chosen->name;

  const ResultFile file;
  Parameters parameters = asked;
  parameters.result_fd = file.fd();
  parameters.conduit = chosen->name;
  parameters.crowded = asked.ranks > outcome.machine.cores;
  const job::Launch launch{.ranks = asked.ranks,
                           .command = {"/proc/self/exe", "bench-rank", to_text(parameters)},
                           .conduit = asked.conduit,
                           .bind = asked.bind,
                           .tag = false};
  outcome.exit_code = job::supervise(launch).exit_code;
  if (outcome.exit_code != 0) return outcome;
  std::optional<Answer> answer = answer_from_text(file.text());
  if (!answer) return {.exit_code = 1, .error = "the ranks ended without a result"};
  take(std::move(*answer), &outcome);
  return outcome;
}

void rank_main(const Parameters& parameters) {
  // All ranks find the run unsuitable; they exit with 0 so that the launcher stays silent and the user gets
  // one line.
  const Answer answer = measure(parameters);
  if (gex_System_QueryJobRank() == 0) leave_answer(parameters.result_fd, answer);
  leave_together(0);
}

void take_part(const Parameters& asked, const std::function<int(const Outcome&)>& show) {
  Parameters parameters = asked;
  Outcome outcome{.machine = describe_machine(parameters)};
  // The launcher gives it to all ranks.
  const char* const conduit = std::getenv("AQUEDUCT_CONDUIT");
  outcome.conduit = parameters.conduit = conduit ? conduit : "default";
  take(measure(parameters), &outcome);
  int exit_code = outcome.exit_code;
  if (gex_System_QueryJobRank() == 0) {
    exit_code = show(outcome);
    std::fflush(stdout);
  }
  leave_together(exit_code);
}

}  // namespace aqueduct::bench
