#include "job/launchers/detection.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "job/place/variables.hpp"

namespace aqueduct::job::launchers {
namespace {

struct Named {
  Launcher launcher;
  const char* name;
};
constexpr std::array kNames = {Named{Launcher::kNone, "none"}, Named{Launcher::kEnvironment, "env"},
                               Named{Launcher::kPmix, "pmix"}, Named{Launcher::kPmi2, "pmi2"},
                               Named{Launcher::kPmi1, "pmi1"}};

bool is_set(const char* value) { return value != nullptr && *value != '\0'; }

/// The place that PMIx or Slurm gives to this process, in words that are unique to it; empty without one.
std::string lasting_place(const Lookup& lookup) {
  std::string place;
  for (const char* name :
       {"PMIX_NAMESPACE", "PMIX_RANK", "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_PROCID", "SLURMD_NODENAME"}) {
    const char* const value = lookup(name);
    place += is_set(value) ? std::string(value) + "/" : "/";
  }
  return place;
}

std::uint64_t number(const char* text, std::uint64_t otherwise) {
  std::uint64_t value = otherwise;
  if (is_set(text)) std::from_chars(text, text + std::strlen(text), value);
  return value;
}

/// Slurm gives numbers near the largest to the steps that are batch scripts, allocations and the like.
bool is_step_of_tasks(const Lookup& lookup) {
  constexpr std::uint64_t kFirstSpecialStep = 0xffff'fff0;
  return is_set(lookup("SLURM_JOB_ID")) && is_set(lookup("SLURM_PROCID")) &&
         number(lookup("SLURM_STEP_ID"), kFirstSpecialStep) < kFirstSpecialStep;
}

/// Open MPI, when it does not know the launcher, runs a program as a job of one and sets the variables of a
/// PMIx that serves only this process.
bool is_pmix_of_one(const Lookup& lookup) {
  return is_set(lookup("PMI_FD")) && is_set(lookup("PMI_RANK")) && number(lookup("PMI_SIZE"), 0) > 1 &&
         !is_set(lookup("OMPI_COMM_WORLD_SIZE"));
}

Detected choose(const Lookup& lookup) {
  if (is_set(lookup(place::kRank))) return {Launcher::kEnvironment, "AQUEDUCT_RANK is set"};
  if (const char* used = lookup(place::kJoined); is_set(used) && lasting_place(lookup) == used)
    return {Launcher::kNone, "a rank of the launcher's job has started this process (AQUEDUCT_JOINED)"};
  if (is_set(lookup("PMIX_NAMESPACE")) && is_set(lookup("PMIX_RANK")) && !is_pmix_of_one(lookup))
    return {Launcher::kPmix, "PMIX_NAMESPACE and PMIX_RANK are set"};
  const bool in_slurm = is_step_of_tasks(lookup);
  if (is_set(lookup("PMI_FD")) && is_set(lookup("PMI_RANK"))) {
    if (number(lookup("PMI_SIZE"), 0) == 1)
      return {Launcher::kNone, "PMI_SIZE is 1: the launcher has started one process"};
    if (in_slurm) return {Launcher::kPmi2, "PMI_FD and PMI_RANK are set, in a step of Slurm"};
    return {Launcher::kPmi1, "PMI_FD and PMI_RANK are set"};
  }
  if (is_set(lookup("PMI_PORT")) && is_set(lookup("PMI_ID")))
    return {Launcher::kPmi1, "PMI_PORT and PMI_ID are set"};
  if (in_slurm && number(lookup("SLURM_STEP_NUM_TASKS"), 1) > 1)
    return {Launcher::kPmi1, "SLURM_STEP_NUM_TASKS is more than 1"};
  return {Launcher::kNone, "no launcher has left a rank in the environment"};
}

}  // namespace

const char* name_of(Launcher launcher) {
  for (const Named& each : kNames) {
    if (each.launcher == launcher) return each.name;
  }
  return "unknown";
}

Detected detect(const Lookup& lookup) {
  const char* const wanted = lookup("AQUEDUCT_LAUNCHER");
  if (!is_set(wanted)) return choose(lookup);
  for (const Named& each : kNames) {
    if (std::string_view(wanted) == each.name)
      return {each.launcher, std::string("AQUEDUCT_LAUNCHER is ") + wanted, true};
  }
  fatal("environment", "AQUEDUCT_LAUNCHER='%s' is no launcher; use pmix, pmi2, pmi1, env or none", wanted);
}

Detected detect() {
  env::text({"AQUEDUCT_LAUNCHER"});  // read so that GASNET_VERBOSEENV reports it
  return detect([](const char* name) -> const char* { return std::getenv(name); });
}

void forget() {
  const std::string place = lasting_place([](const char* name) -> const char* { return std::getenv(name); });
  if (place.find_first_not_of('/') != place.npos) setenv(place::kJoined, place.c_str(), 1);
  for (const char* name :
       {place::kRank, place::kSize, "AQUEDUCT_ROOT", "PMI_FD", "PMI_RANK", "PMI_SIZE", "PMI_PORT", "PMI_ID"})
    unsetenv(name);
}

}  // namespace aqueduct::job::launchers
