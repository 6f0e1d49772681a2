// How a run of `aqueduct sim` ends that has failed: its reason, the command that repeats it, its timeline.
#pragma once
#include <stdexcept>
#include <string>

#include "sim/network_model.hpp"
#include "sim/simulation.hpp"
#include "simulate/settings.hpp"
#include "simulate/subject.hpp"

namespace aqueduct::simulate {

/// A file cannot be written after the work: the disk is full.
struct CannotWrite : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The program and the network file of a run; a run with others may differ.
std::string origin_of(const SimOptions& options, const NetworkModel& model);
std::string repeating_command(const SimOptions& options, const Setup& setup, const Subject& subject);

/// From now on this run is under way: fail() tells how to repeat it.
void now_runs(const SimOptions& options, const NetworkModel& model, const Setup& setup,
              const Subject& subject);
/// The ranks' records become a timeline in this file; empty: none is written.
void set_timeline_file(const std::string& file);
/// Writes what ranks have recorded; stops the recording. Returns the reason of a failure in one line.
std::string write_timeline(bool has_failed);
/// Ends the command.
void fail(const char* line);

}  // namespace aqueduct::simulate
