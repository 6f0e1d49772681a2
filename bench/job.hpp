// A benchmark run: the process that starts the ranks and what each rank does.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "machine.hpp"
#include "parameters.hpp"
#include "result.hpp"

namespace aqueduct::bench {

struct Outcome {
  int exit_code = 0;    ///< of the job; 2 if the run is not possible as asked, 1 for a failed self-check
  std::string error{};  ///< one line for the user, or empty
  std::optional<Result> result{};  ///< if the job has ended normally
  std::string conduit{};
  Machine machine{};
};

/// Fills in defaults (sizes, kind, repetitions) and checks the rest. Returns a one-line complaint, or
/// nothing.
std::optional<std::string> complete(Parameters& parameters);

/// Runs the job of completed parameters: this executable again, once for each rank, as `bench-rank`; or the
/// simulation that they ask for, in this process.
Outcome run_job(const Parameters& parameters);

/// The body of a rank; does not return.
[[noreturn]] void rank_main(const Parameters& parameters);

/// The same for a rank of a job that somebody else has started, of any hosts. On rank 0 `show` is given what
/// has come of it, and answers the job's exit code.
[[noreturn]] void take_part(const Parameters& parameters, const std::function<int(const Outcome&)>& show);

}  // namespace aqueduct::bench
