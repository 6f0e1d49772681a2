#include "conduit/ofi/atomics.hpp"

#include <cstring>

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

bool ProviderAtomics::has(AtomicType type, AtomicAction action) {
  // Ours compares bits, libfabric's values.
  if (action == AtomicAction::kCompareSwap && is_floating(type)) return false;
  const std::lock_guard guard(endpoint_.lock);
  return !endpoint_.is_closed && endpoint_.network.has(code_of(type, action));
}

Post ProviderAtomics::start(const AtomicRequest& request, Done done, void* operation) {
  const std::lock_guard guard(endpoint_.lock);
  Buffer* const bounce =
      endpoint_.is_closed ? nullptr : endpoint_.sends.small.take(SendBuffers::kSmallForMessages);
  if (!bounce) return am::retry(endpoint_.receiver, observe::Retry::kBuffers);
  const std::size_t element = element_bytes(request.type);
  std::memcpy(bounce->bytes, &request.operand, element);
  std::memcpy(bounce->bytes + element, &request.comparand, element);
  Part& part = parts_.take();
  part.handler = this;
  part.bounce = bounce;
  part.before = request.before;
  part.bytes = element;
  part.done = done;
  part.operation = operation;
  const RemoteMemory remote =
      endpoint_.segments.remote(request.target, reinterpret_cast<std::uintptr_t>(request.address));
  if (endpoint_.network.atomic(request.target, code_of(request.type, request.action),
                               bounce->part(2 * element), bounce->bytes + 2 * element, remote,
                               part) == Post::kDone)
    return Post::kDone;
  bounce->give_back();
  parts_.give_back(part);
  return Post::kRetry;
}

void ProviderAtomics::completed(Operation& operation, const Completion&) {
  auto& part = static_cast<Part&>(operation);
  if (part.before) std::memcpy(part.before, part.bounce->bytes + 2 * part.bytes, part.bytes);
  const Done done = part.done;
  void* const argument = part.operation;
  part.bounce->give_back();
  parts_.give_back(part);
  done(argument);
}

}  // namespace aqueduct::conduit::ofi
