// Programs that come to grief: one that crashes, and one that computes for ever without a call that lets
// others run.
#pragma once

namespace aqueduct::sim::process {

/// From now on a crash of a program's code ends the simulation with one line that names the rank and its
/// stack, and a rank that has run for ten seconds of real time without a call that others could run in is
/// named in one line, and again after twice as long. Any number of times.
void watch_for_distress();

/// Counts the turns of programs' threads: each begins one.
void count_turn();

}  // namespace aqueduct::sim::process
