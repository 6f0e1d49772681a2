#include "papers/conduit/aries/atomics.hpp"

#include <optional>

namespace aqueduct::conduit::aries {
namespace {

bool is_floating(AtomicType type) { return type == AtomicType::kFloat || type == AtomicType::kDouble; }
bool is_unsigned(AtomicType type) { return type == AtomicType::kU32 || type == AtomicType::kU64; }
std::size_t element_bytes(AtomicType type) {
  return type == AtomicType::kI64 || type == AtomicType::kU64 || type == AtomicType::kDouble ? 8 : 4;
}

// The fetching command of 64 bits; nothing if the interface has none: it adds no doubles, compares no
// unsigned numbers and does not multiply.
std::optional<gni_fma_cmd_type_t> command_of(AtomicType type, AtomicAction action) {
  const bool is_integer = !is_floating(type);
  switch (action) {
    case AtomicAction::kRead:
      return GNI_FMA_ATOMIC2_FOR;  // with no bits
    case AtomicAction::kWrite:
      return GNI_FMA_ATOMIC2_FSWAP;
    case AtomicAction::kCompareSwap:
      return GNI_FMA_ATOMIC2_FCSWAP;
    case AtomicAction::kAdd:
      if (is_integer) return GNI_FMA_ATOMIC2_FIADD;
      if (type == AtomicType::kFloat) return GNI_FMA_ATOMIC2_FFPADD;
      return std::nullopt;
    case AtomicAction::kMin:
      if (is_unsigned(type)) return std::nullopt;
      return is_integer ? GNI_FMA_ATOMIC2_FIMIN : GNI_FMA_ATOMIC2_FFPMIN;
    case AtomicAction::kMax:
      if (is_unsigned(type)) return std::nullopt;
      return is_integer ? GNI_FMA_ATOMIC2_FIMAX : GNI_FMA_ATOMIC2_FFPMAX;
    case AtomicAction::kAnd:
      return is_integer ? std::optional(GNI_FMA_ATOMIC2_FAND) : std::nullopt;
    case AtomicAction::kOr:
      return is_integer ? std::optional(GNI_FMA_ATOMIC2_FOR) : std::nullopt;
    case AtomicAction::kXor:
      return is_integer ? std::optional(GNI_FMA_ATOMIC2_FXOR) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// The variant of 32 bits, or without a result (gni_amo.h has the layout of codes).
gni_fma_cmd_type_t variant(gni_fma_cmd_type_t fetching, bool is_short, bool fetches) {
  unsigned code = fetching;
  if (is_short) code = (code & ~1u) | 0x200;
  if (!fetches) code |= 0x100;
  return static_cast<gni_fma_cmd_type_t>(code);
}
static_assert(((GNI_FMA_ATOMIC2_FSWAP & ~1u) | 0x200) == GNI_FMA_ATOMIC2_FSWAP_S);
static_assert((GNI_FMA_ATOMIC2_FIADD_S | 0x100) == GNI_FMA_ATOMIC2_IADD_S);

}  // namespace

bool NicAtomics::has(AtomicType type, AtomicAction action) { return command_of(type, action).has_value(); }

Post NicAtomics::start(const AtomicRequest& request, Done done, void* operation) {
  const std::lock_guard guard(endpoint_.lock);
  PostDescriptor* const descriptor = transfers_.begin_other(request.target, done, operation);
  if (!descriptor) return am::retry(endpoint_.receiver, observe::Retry::kBuffers);
  const std::size_t bytes = element_bytes(request.type);
  const bool is_read = request.action == AtomicAction::kRead;
  const bool compares = request.action == AtomicAction::kCompareSwap;
  gni_post_descriptor_t& post = descriptor->post;
  post.type = GNI_POST_AMO;
  post.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  post.dlvr_mode = endpoint_.settings.delivery;
  post.amo_cmd = variant(*command_of(request.type, request.action), bytes == 4, request.before || is_read);
  post.first_operand = is_read ? 0 : compares ? request.comparand : request.operand;
  post.second_operand = compares ? request.operand : 0;
  post.remote_addr = reinterpret_cast<std::uint64_t>(request.address);
  post.remote_mem_hndl = endpoint_.segment_of(request.target);
  post.local_addr = reinterpret_cast<std::uint64_t>(endpoint_.take_buffer(*descriptor, bytes));
  post.length = bytes;
  descriptor->copy_to = request.before;
  descriptor->copy_from = descriptor->immediate;
  descriptor->copy_bytes = bytes;
  if (endpoint_.nic.post_fma(*descriptor, "GNI_PostFma") == Post::kDone) return Post::kDone;
  transfers_.withdraw_other(*descriptor);
  return Post::kRetry;
}

}  // namespace aqueduct::conduit::aries
