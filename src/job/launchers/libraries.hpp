// Exchanges over the libraries of launchers: PMIx's, and Slurm's for PMI 2 and PMI 1. Each is loaded on
// demand. We declare the few functions that we use, as their standards and manuals give them, so that
// building needs none of their headers.
#pragma once
#include "job/launchers/exchange.hpp"

namespace aqueduct::job::launchers {

inline constexpr char kPmixLibrary[] = "libpmix.so.2";
inline constexpr char kPmi2Library[] = "libpmi2.so.0";
inline constexpr char kPmi1Library[] = "libpmi.so.0";

/// Null with the reason in `*why_not` if the library is not installed; later failures are fatal.
std::unique_ptr<LauncherExchange> open_pmix(std::string* why_not);
std::unique_ptr<LauncherExchange> open_pmi2(std::string* why_not);
std::unique_ptr<LauncherExchange> open_pmi1(std::string* why_not);

}  // namespace aqueduct::job::launchers
