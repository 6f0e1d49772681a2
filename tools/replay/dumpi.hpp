// MPI jobs that DUMPI (of SST) has traced, from the text that dumpi2ascii makes of its files: a directory
// with one file for each rank, whose name ends in -RANK.txt (any extension); others are left alone.
//
// Messages and collectives become those of Aqueduct. A send is complete at once, however large it is, and a
// receive waits for the message that it got: the n-th receive of a source and tag gets the n-th message. What
// else moves data, or other communicators than MPI_COMM_WORLD and its duplicates, is refused by its name.
// Clocks of ranks count from the end of MPI_Init.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "tools/replay/program.hpp"

namespace aqueduct::replay {

/// Nothing, with one line in `*why` that says what to do, if it cannot be replayed.
std::optional<Program> read_dumpi(const std::string& directory, std::string* why);

/// The same from texts, one for each rank.
std::optional<Program> program_of_dumpi(std::span<const std::string> texts, std::string* why);

}  // namespace aqueduct::replay
