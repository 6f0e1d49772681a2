// Programs that come to grief: one that crashes, and one that computes for ever without a call that lets
// others run.
#pragma once

namespace aqueduct::sim::process {

/// From now on a crash of a program's code ends the simulation with one line that names the rank and its
/// stack. A rank that has taken so many seconds of the processor without a call that others could run in is
/// named in one line, and after kMostPatience times as long that ends the simulation as well. Once.
void watch_for_distress(double patience_seconds);

/// Counts the turns of programs' threads: each begins one.
void count_turn();

}  // namespace aqueduct::sim::process
