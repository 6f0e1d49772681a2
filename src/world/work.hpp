// Work of the library's software that takes time on a simulated machine.
//
// A live rank pays for what it does by doing it. In a simulation code runs in no time at all, so where the
// work of software is a good part of what a real machine would need (copies, the protocols of an MPI) it says
// so, and the network's file says what it costs, under the same name, among its [costs]; work that the file
// does not name is free there.
//
//   world::spend(world::Work::kCopy, bytes);   // live: a load and a branch that is never taken
//
// Any thread. Where a simulated rank calls it, its fiber may give way to others.
#pragma once
#include <array>
#include <cstddef>

#include "base/context.hpp"
#include "world/world.hpp"

namespace aqueduct::world {

enum class Work : std::uint8_t {
  kCopy,           ///< memory to memory; and for each byte
  kAmSend,         ///< an active message made ready for a conduit: envelope, arguments
  kAmReceive,      ///< one that has come: its envelope read, its handler found
  kMpiSend,        ///< a send of an MPI: checks, request, protocol
  kMpiReceive,     ///< a receive posted
  kMpiArrival,     ///< a message that has come to a posted receive: request completed
  kMpiUnexpected,  ///< one that had come before its receive: looked for among the others
  kCount
};

/// As they are called in a network's file.
inline constexpr std::array<const char*, static_cast<std::size_t>(Work::kCount)> kWorkNames = {
    "copy", "am_send", "am_receive", "mpi_send", "mpi_receive", "mpi_arrival", "mpi_unexpected"};

inline void spend(Work work, std::size_t bytes = 0) {
  if (is_simulated()) [[unlikely]]
    current().spend(work, bytes);
}

}  // namespace aqueduct::world
