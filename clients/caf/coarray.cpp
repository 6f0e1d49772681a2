#include "clients/caf/coarray.hpp"

#include <cstdlib>
#include <cstring>

#include "clients/caf/heap.hpp"
#include "clients/caf/sync.hpp"
#include "clients/caf/transfer.hpp"

namespace aqueduct::caf {
namespace {

constexpr std::size_t kTokenWord =
    sizeof(void*);  // what gfortran gives to each element of lock_type and event_type

Coarray* free_tokens;

Coarray* new_token() {
  if (Coarray* const taken = free_tokens) {
    free_tokens = taken->next_free;
    return taken;
  }
  return static_cast<Coarray*>(std::malloc(sizeof(Coarray)));
}

void delete_token(Coarray* token) {
  token->next_free = free_tokens;
  free_tokens = token;
}

bool counts_elements(Registration kind) {
  switch (kind) {
    case Registration::kLockStatic:
    case Registration::kLockAllocatable:
    case Registration::kCritical:
    case Registration::kEventStatic:
    case Registration::kEventAllocatable:
      return true;
    default:
      return false;
  }
}

}  // namespace

void register_coarray(std::size_t bytes, Registration kind, void** token, Descriptor* descriptor,
                      const Outcome& outcome) {
  if (counts_elements(kind)) bytes *= kTokenWord;
  // An assignment of objects registers the components of the copy as it would a coarray.
  const bool is_component =
      kind == Registration::kComponentToken || kind == Registration::kComponentMemory || is_in_segment(token);
  Coarray* const made = kind == Registration::kComponentMemory ? coarray_of(*token) : new_token();
  if (!made) return outcome.fail(kNoMemory, "ALLOCATE", "no memory for a token");
  *made = {
      nullptr, 0, bytes, is_component ? nullptr : descriptor, is_component, kind == Registration::kCritical,
      nullptr};
  if (kind != Registration::kComponentToken) {
    void* const memory =
        is_component ? local_heap.allocate(bytes) : symmetric_heap.allocate(bytes, job.team->depth);
    if (!memory) {
      if (kind != Registration::kComponentMemory) delete_token(made);
      return outcome.fail(
          kNoMemory, "ALLOCATE",
          "no room for %zu bytes in the segment; GASNET_MAX_SEGSIZE sets its size, half of which is for %s",
          bytes, is_component ? "components" : "coarrays");
    }
    made->memory = static_cast<char*>(memory);
    made->offset = offset_of(memory);
    if (counts_elements(kind)) std::memset(memory, 0, bytes);
    if (descriptor) descriptor->base = memory;
  }
  *token = made;
  outcome.succeed();
}

void deregister_coarray(void** token, Deregistration kind, const Outcome& outcome) {
  Coarray* const coarray = coarray_of(*token);
  if (!coarray) return outcome.fail(kNotAllocated, "DEALLOCATE", "the coarray is not allocated");
  if (coarray->is_component) {
    if (coarray->memory) local_heap.free(coarray->memory);
  } else {
    // Others may still use it.
    sync_all(outcome, "DEALLOCATE");
    symmetric_heap.free(coarray->memory);
  }
  coarray->memory = nullptr;
  if (coarray->is_component && kind == Deregistration::kMemoryOnly) return outcome.succeed();
  delete_token(coarray);
  *token = nullptr;
  if (!coarray->is_component) return;
  outcome.succeed();
}

}  // namespace aqueduct::caf
