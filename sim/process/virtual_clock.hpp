// Virtual time as programs see it.
//
// To look at a clock takes a little time, so that a program that waits for a time by looking gets there; who
// only looks, again and again, pays more and more for it. Time of day begins on the first of January 2020.
#pragma once
#include <time.h>

#include <cstdint>

#include "sim/engine/time.hpp"

namespace aqueduct::sim::process {

inline constexpr std::uint64_t kSecondNs = 1'000'000'000;
inline constexpr std::uint64_t kEpochNs = 1'577'836'800 * kSecondNs;
/// What a look takes at first.
inline constexpr std::uint64_t kLookNs = 20;

/// Lets the time of a look pass, now or with later ones.
void spend_look();
/// Looks at the clock.
std::uint64_t look_ns();
/// By a thread: lets so much time pass; returns what is left of it if a signal was handled before.
std::uint64_t sleep_for(std::uint64_t ns);
/// The virtual time that a clock of the program's shows as that.
Time time_of(clockid_t clock, const timespec& time);
bool is_of_day(clockid_t clock);
std::uint64_t ns_of(const timespec& time);
timespec timespec_of(std::uint64_t ns);

}  // namespace aqueduct::sim::process
