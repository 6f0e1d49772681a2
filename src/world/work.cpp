#include "world/work.hpp"

#include "base/fatal.hpp"

namespace aqueduct::world {

constinit std::array<const char*, Work::kMost> Work::names_{};
constinit std::size_t Work::count_ = 0;

Work::Work(const char* name) : number_(count_++) {
  if (number_ == kMost) fatal("simulation", "more than %zu kinds of work are named", kMost);
  names_[number_] = name;
}

const Work kCopy("copy");
const Work kAmSend("am_send");
const Work kAmReceive("am_receive");
const Work kNeighbourMessage("neighbour_message");
const Work kNeighbourCopy("neighbour_copy");

}  // namespace aqueduct::world
