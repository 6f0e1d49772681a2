// Atomics that the provider does.
#include <cstring>

#include "conduit/ofi/ofi_conduit.hpp"

namespace aqueduct::conduit::ofi {
namespace {

constexpr fi_datatype kTypes[] = {FI_INT32, FI_UINT32, FI_INT64, FI_UINT64, FI_FLOAT, FI_DOUBLE};
constexpr fi_op kOperations[] = {FI_ATOMIC_READ, FI_ATOMIC_WRITE, FI_CSWAP, FI_SUM, FI_PROD,
                                 FI_MIN,         FI_MAX,          FI_BAND,  FI_BOR, FI_BXOR};
static_assert(static_cast<unsigned>(AtomicType::kDouble) + 1 == std::size(kTypes));
static_assert(static_cast<unsigned>(AtomicAction::kXor) + 1 == std::size(kOperations));

AtomicCode code_of(AtomicType type, AtomicAction action) {
  return {kTypes[static_cast<unsigned>(type)], kOperations[static_cast<unsigned>(action)]};
}

bool is_floating(AtomicType type) { return type == AtomicType::kFloat || type == AtomicType::kDouble; }

std::size_t element_bytes(AtomicType type) {
  return type == AtomicType::kI64 || type == AtomicType::kU64 || type == AtomicType::kDouble ? 8 : 4;
}

}  // namespace

bool OfiConduit::has(AtomicType type, AtomicAction action) {
  // Ours compares bits, libfabric's values.
  if (action == AtomicAction::kCompareSwap && is_floating(type)) return false;
  const std::lock_guard guard(lock_);
  return !is_closed_ && network_.has(code_of(type, action));
}

Post OfiConduit::start(const AtomicRequest& request, Atomics::Done done, void* operation) {
  const std::lock_guard guard(lock_);
  Buffer* const bounce = is_closed_ ? nullptr : small_.take(kSmallForMessages);
  if (!bounce) return am::retry(receiver_, observe::Retry::kBuffers);
  const std::size_t element = element_bytes(request.type);
  std::memcpy(bounce->bytes, &request.operand, element);
  std::memcpy(bounce->bytes + element, &request.comparand, element);
  AtomicPart* const part = &atomics_.take();
  part->bounce = bounce;
  part->before = request.before;
  part->bytes = element;
  part->done = done;
  part->operation = operation;
  const RemoteMemory remote =
      segments_.remote(request.target, reinterpret_cast<std::uintptr_t>(request.address));
  const Post post = network_.atomic(request.target, code_of(request.type, request.action),
                                    bounce->part(2 * element), bounce->bytes + 2 * element, remote, *part);
  if (post == Post::kDone) return Post::kDone;
  small_.give_back(bounce);
  atomics_.give_back(*part);
  return Post::kRetry;
}

void OfiConduit::atomic_is_done(AtomicPart& part) {
  if (part.before) std::memcpy(part.before, part.bounce->bytes + 2 * part.bytes, part.bytes);
  const Atomics::Done done = part.done;
  void* const operation = part.operation;
  small_.give_back(part.bounce);
  atomics_.give_back(part);
  done(operation);
}

}  // namespace aqueduct::conduit::ofi
