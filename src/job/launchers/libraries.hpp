// Exchanges over the libraries that launchers bring: PMIx's, and Slurm's for PMI 2 and PMI 1. Each is loaded
// when it is asked for. Only the few functions that are used are declared, as their standards and manuals
// give them, so that building needs no headers of theirs.
#pragma once
#include "job/launchers/exchange.hpp"

namespace aqueduct::job::launchers {

inline constexpr char kPmixLibrary[] = "libpmix.so.2";
inline constexpr char kPmi2Library[] = "libpmi2.so.0";
inline constexpr char kPmi1Library[] = "libpmi.so.0";

/// Null with the reason in `*why_not` where the library is not installed; what fails afterwards is fatal.
std::unique_ptr<Exchange> open_pmix(std::string* why_not);
std::unique_ptr<Exchange> open_pmi2(std::string* why_not);
std::unique_ptr<Exchange> open_pmi1(std::string* why_not);

}  // namespace aqueduct::job::launchers
