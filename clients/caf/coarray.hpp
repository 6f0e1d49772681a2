// Coarrays and allocatable components: what a token stands for.
//
// A token belongs to this image. The memory of a coarray lies at the same offset on all images of its team
// (job.hpp); that of a component is this image's own, and others find its address in the object that it
// belongs to.
#pragma once
#include <cstddef>

#include "clients/caf/error.hpp"
#include "clients/caf/interface/gfortran8.hpp"
#include "clients/caf/job.hpp"

namespace aqueduct::caf {

struct Coarray {
  char* memory;        ///< null: a component that is not allocated
  std::size_t offset;  ///< of the memory in the segment
  std::size_t bytes;
  Descriptor* descriptor;  ///< of a coarray: the program's, for its bounds
  bool is_component;
  bool is_critical;  ///< the lock of a critical section
  Coarray* next_free;
};

inline Coarray* coarray_of(void* token) { return static_cast<Coarray*>(token); }
/// What statements that reach another image have a token of: one that is not null.
inline const Coarray& allocated_coarray(void* token, const char* statement) {
  if (!token) [[unlikely]]
    fatal(statement, "the coarray is not allocated");
  return *coarray_of(token);
}

/// Allocates `bytes` for the coarray or component whose token is to lie at `token`, sets the token and the
/// address in the descriptor. A coarray is one of all images of the current team, which make the same call;
/// the statement that allocates it synchronises them afterwards. A component's token lies in a coarray or is
/// of a kind that only components have.
void register_coarray(std::size_t bytes, Registration kind, void** token, Descriptor* descriptor,
                      const Outcome& outcome);

/// Frees the memory; of a coarray when all images of the current team have come.
void deregister_coarray(void** token, Deregistration kind, const Outcome& outcome);

}  // namespace aqueduct::caf
