// A run of `aqueduct sim` with one seed, and what is printed of one or several.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "sim/faults.hpp"
#include "sim/network_model.hpp"
#include "sim/simulation.hpp"
#include "sim/topology.hpp"
#include "simulate/settings.hpp"
#include "simulate/subject.hpp"

namespace aqueduct::simulate {

struct Totals {
  std::uint64_t events = 0, messages = 0, payload_bytes = 0, tries = 0;
  std::uint64_t hash = 0;        // of all runs
  std::uint64_t trace_hash = 0;  // of the last one
  Time virtual_time = 0;
  double seconds = 0;
  std::uint32_t ranks = 0;  // of each run; 0 if bare ports run
  long kib_before = 0;      // peak memory before the first run
  long page_table_kib = 0;  // the most at the end of a run
  std::string links;        // their loads in the last run of ranks
  std::array<std::uint64_t, static_cast<std::size_t>(FaultProbe::kCount)> probes{};
};

/// What a run with one seed begins with.
struct Start {
  Setup setup;
  scenarios::Parameters parameters;
  bool has_ranks = false;
};

Start prepare(const NetworkModel& model, const SimOptions& options, const Subject& subject,
              std::uint64_t seed);
/// Adds to `totals`; fail()s if something went wrong.
void run_once(const NetworkModel& model, const SimOptions& options, const Subject& subject,
              std::uint64_t seed, Totals& totals, bool print);

long peak_kib();
void print_heading(const NetworkModel& model, const SimOptions& options, const Setup& setup,
                   const Topology& topology, const std::string& seeds);
void print_totals(const Totals& totals, std::uint64_t runs, const Subject& subject);

}  // namespace aqueduct::simulate
