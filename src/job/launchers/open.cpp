#include "job/launchers/open.hpp"

#include <cstdlib>

#include "base/fatal.hpp"
#include "job/launchers/libraries.hpp"
#include "job/launchers/plain.hpp"
#include "job/launchers/pmi1_wire.hpp"

namespace aqueduct::job::launchers {
namespace {

[[noreturn]] void refuse(const Detected& detected, const char* package, const std::string& why_not) {
  fatal("start",
        "%s, but its library is missing: %s; install it (Debian: %s) on all hosts, or set "
        "AQUEDUCT_LAUNCHER=none "
        "to run each process alone",
        detected.because.c_str(), why_not.c_str(), package);
}

std::unique_ptr<LauncherExchange> open_pmi1_any(const Detected& detected) {
  if (std::getenv("PMI_FD") != nullptr) return Pmi1Wire::from_environment();
  if (std::getenv("PMI_PORT") != nullptr) return Pmi1Wire::from_port();
  std::string why_not;
  std::unique_ptr<LauncherExchange> exchange = open_pmi1(&why_not);
  if (exchange) return exchange;
  if (detected.is_forced) refuse(detected, "libpmi0", why_not);
  const char* const first = std::getenv("SLURM_PROCID");
  if (first != nullptr && first[0] == '0')
    warn("start",
         "srun has started several tasks and offers no PMI, so each is a job of its own; use srun --mpi=pmi2 "
         "or "
         "--mpi=pmix, or install %s (Debian: libpmi0)",
         kPmi1Library);
  return nullptr;
}

}  // namespace

std::unique_ptr<LauncherExchange> open_exchange(const Detected& detected) {
  std::string why_not;
  std::unique_ptr<LauncherExchange> exchange;
  switch (detected.launcher) {
    case Launcher::kNone:
      return nullptr;
    case Launcher::kEnvironment:
      return open_plain();
    case Launcher::kPmix:
      exchange = open_pmix(&why_not);
      if (!exchange) refuse(detected, "libpmix2", why_not);
      return exchange;
    case Launcher::kPmi2:
      exchange = open_pmi2(&why_not);
      if (!exchange && detected.is_forced) refuse(detected, "libpmi2-0", why_not);
      // Slurm's server understands PMI 1 as well, which needs no library.
      return exchange ? std::move(exchange) : Pmi1Wire::from_environment();
    case Launcher::kPmi1:
      return open_pmi1_any(detected);
  }
  return nullptr;
}

}  // namespace aqueduct::job::launchers
