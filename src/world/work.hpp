// Work of the library's software that takes time on a simulated machine.
//
// A live rank pays for what it does by doing it. In a simulation code runs in no time at all. So where the
// work of software is a good part of what a real machine would need (copies, protocols), the code names its
// work, and the network's file gives the cost of that name among its [costs]. Work that the file does not
// name is free.
//
//   const world::Work kSendWork("send");   // once, where the work is done
//   world::spend(kSendWork, bytes);        // live: a load and a branch that is never taken
//
// Any thread. Where a simulated rank calls it, its fiber may give way to others.
#pragma once
#include <array>
#include <cstddef>
#include <span>

#include "base/context.hpp"
#include "world/world.hpp"

namespace aqueduct::world {

/// A kind of work. Made once for each name, when the program starts, and kept for ever: a simulation looks
/// the names up in its network's file once for all ranks.
class Work {
 public:
  explicit Work(const char* name);

  const char* name() const { return names_[number_]; }
  /// Counts the kinds of this program; in no particular order.
  std::size_t number() const { return number_; }
  /// All names, by number.
  static std::span<const char* const> names() { return {names_.data(), count_}; }

 private:
  static constexpr std::size_t kMost = 64;
  static std::array<const char*, kMost> names_;
  static std::size_t count_;

  std::size_t number_;
};

extern const Work kCopy;       ///< memory to memory; and for each byte
extern const Work kAmSend;     ///< an active message made ready for a conduit: envelope, arguments
extern const Work kAmReceive;  ///< one that has come: its envelope read, its handler found

/// For neighbours, through the memory that they share; whoever sends or copies pays, before others see it.
extern const Work kNeighbourMessage;  ///< a message or an arrival at a barrier; and for each byte of payload
extern const Work kNeighbourCopy;     ///< a put, get, atomic or shared collective; and for each byte

inline void spend(const Work& work, std::size_t bytes = 0) {
  if (is_simulated()) [[unlikely]]
    current().spend(work, bytes);
}

}  // namespace aqueduct::world
