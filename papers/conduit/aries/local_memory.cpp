// Local memory of posts: registered, or copied through a buffer that is.
#include <cstring>

#include "base/fatal.hpp"
#include "papers/conduit/aries/aries_conduit.hpp"

namespace aqueduct::conduit::aries {

gni_mem_handle_t AriesConduit::segment_of(RankId rank) const {
  if (rank == self_) return segment_memory_;
  const job::Bytes key = keys_[rank];
  gni_mem_handle_t handle{};
  if (key.size() != sizeof handle) fatal(kName, "rank %u has not said how its segment is reached", rank);
  std::memcpy(&handle, key.data(), sizeof handle);
  return handle;
}

bool AriesConduit::hold(std::uintptr_t address, bool is_whole, Descriptor& descriptor, std::size_t* bytes) {
  if (!local_.hold(address, is_whole, descriptor.held, bytes)) return false;
  descriptor.post.local_mem_hndl = descriptor.held.handle;
  return true;
}

std::byte* AriesConduit::take_buffer(Descriptor& descriptor, std::size_t bytes) {
  if (bytes <= Settings::kImmediateBytes) {
    descriptor.post.local_mem_hndl = area_memory_;
    return descriptor.immediate;
  }
  std::byte* const buffer = local_.take_bounce(descriptor.held);
  descriptor.post.local_mem_hndl = descriptor.held.handle;
  return buffer;
}

// In whole words, which a target that reads it fetches. False: the table is full.
bool AriesConduit::register_memory(std::uintptr_t address, std::size_t bytes, gni_mem_handle_t* handle) {
  const std::uintptr_t begin = address & ~(kWord - 1);
  const gni_return_t code =
      GNI_MemRegister(nic_.handle(), begin, round_up(address + bytes, kWord) - begin, nullptr,
                      GNI_MEM_READWRITE, static_cast<std::uint32_t>(-1), handle);
  if (code == GNI_RC_ERROR_RESOURCE) return false;
  check(code, "GNI_MemRegister");
  return true;
}

void AriesConduit::deregister_memory(gni_mem_handle_t& handle) {
  check(GNI_MemDeregister(nic_.handle(), &handle), "GNI_MemDeregister");
}

}  // namespace aqueduct::conduit::aries
