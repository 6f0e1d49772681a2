// Parts of coarrays that only their owner can find: components that are allocatable or pointers, named by a
// chain of references.
//
// The chain is followed in the memory of the image that has the object; descriptors and pointers on the way
// are read from there. What it names in the end is a section of that image's segment, because a rank above 0
// comes from one step alone, and nothing behind that is allocatable.
#pragma once
#include "clients/caf/coarray.hpp"
#include "clients/caf/section.hpp"

namespace aqueduct::caf {

struct RemotePart {
  std::size_t offset;  ///< in the segment; what the section counts from
  Section section;     ///< its type is that of the last step, with code and kind as they were passed
  int rank;            ///< dimensions of the section, those of extent 1 among them
  std::size_t extents[kMaxRank];
};

/// Follows the chain. False, without a word, if something on the way is not allocated.
bool find_part(const Coarray& coarray, gex_Rank_t rank, const Reference* references, TypeCode code, int kind,
               Scratch& scratch, RemotePart& part);

}  // namespace aqueduct::caf
