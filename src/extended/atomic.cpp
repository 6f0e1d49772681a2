#include "extended/atomic.hpp"

#include <cstring>

#include "core/segment.hpp"
#include "extended/native.hpp"
#include "extended/native_atomic.hpp"
#include "extended/reference_atomic.hpp"
#include "world/work.hpp"

namespace aqueduct::extended {
namespace {

template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
std::uint64_t to_bits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

// Whatever endpoint names it: one location is reached in one way.
bool is_in_attached_segment(Rank& rank, const Atomic& atomic, std::size_t bytes) {
  const core::Objects& objects = rank.objects();
  return objects.attached &&
         objects.bounds[atomic.target].contains(reinterpret_cast<std::uintptr_t>(atomic.address), bytes);
}

}  // namespace

std::uint64_t apply(void* element, gex_DT_t type, gex_OP_t operation, std::uint64_t first,
                    std::uint64_t second) {
  switch (type) {
    case GEX_DT_I32:
      return to_bits(
          aq_apply_I32_(element, operation, from_bits<std::int32_t>(first), from_bits<std::int32_t>(second)));
    case GEX_DT_U32:
      return to_bits(aq_apply_U32_(element, operation, from_bits<std::uint32_t>(first),
                                   from_bits<std::uint32_t>(second)));
    case GEX_DT_I64:
      return to_bits(
          aq_apply_I64_(element, operation, from_bits<std::int64_t>(first), from_bits<std::int64_t>(second)));
    case GEX_DT_U64:
      return aq_apply_U64_(element, operation, first, second);
    case GEX_DT_FLT:
      return to_bits(aq_apply_FLT_(element, operation, from_bits<float>(first), from_bits<float>(second)));
    default:
      return to_bits(aq_apply_DBL_(element, operation, from_bits<double>(first), from_bits<double>(second)));
  }
}

void apply_here(void* element, const Atomic& atomic) {
  const std::uint64_t before = apply(element, atomic.type, atomic.operation, atomic.first, atomic.second);
  if (AQ_OP_FETCHES_(atomic.operation)) std::memcpy(atomic.result, &before, element_bytes(atomic.type));
}

Started start_atomic(const char* where, Thread& thread, const Atomic& atomic, Pending& pending,
                     gex_Flags_t flags) {
  const std::size_t bytes = element_bytes(atomic.type);
  check_target(where, thread, atomic.target, atomic.address, bytes, atomic.endpoint);
  if (atomic.endpoint != 0 && thread.rank.objects().is_on_device(atomic.target, atomic.endpoint)) [[unlikely]]
    fatal(where, "the segment of endpoint %u of rank %u lies on a device, where no atomic can be done",
          atomic.endpoint, atomic.target);
  thread.with(atomic.target).atomics.add();
  thread.last_transfer = atomic.target;
  Rank& rank = thread.rank;
  if (atomic.native && is_in_attached_segment(rank, atomic, bytes)) {
    const conduit::AtomicRequest request = request_of(atomic);
    return start_native(thread, atomic.target, observe::TransferKind::kAtomic, pending, flags,
                        [&](conduit::Atomics::Done done, void* operation) {
                          return atomic.native->start(request, done, operation);
                        });
  }
  if (!rank.options().reference_only) {
    if (void* here = core::reach(rank.objects(), atomic.target, atomic.address, bytes, atomic.endpoint)) {
      world::spend(world::kNeighbourCopy, bytes);
      apply_here(here, atomic);
      return Started::kDone;
    }
  }
  return reference_atomic(where, thread, atomic, pending, flags) == GASNET_OK ? Started::kStarted
                                                                              : Started::kNotNow;
}

}  // namespace aqueduct::extended
