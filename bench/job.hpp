// A benchmark run: the process that starts the ranks and what each rank does.
#pragma once
#include <optional>
#include <string>

#include "machine.hpp"
#include "parameters.hpp"
#include "result.hpp"

namespace aqueduct::bench {

struct Outcome {
  int exit_code = 0;    ///< of the job; 2 where the run cannot be done as asked, 1 for a failed self-check
  std::string error{};  ///< one line for the user, where this process has something to say
  std::optional<Result> result{};  ///< where the job came to its end
  std::string conduit{};
  Machine machine{};
};

/// Fills in what was left open (sizes, kind, repetitions) and checks the rest. Returns a one-line complaint,
/// or nothing.
std::optional<std::string> complete(Parameters& parameters);

/// Runs the job of completed parameters: this executable again, once for each rank, as `bench-rank`; or the
/// simulation that they ask for, in this process.
Outcome run_job(const Parameters& parameters);

/// The body of a rank; does not return.
[[noreturn]] void rank_main(const Parameters& parameters);

}  // namespace aqueduct::bench
