// Local memory of posts: registered, or copied through a buffer that is.
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/fatal.hpp"
#include "conduit/aries/aries_conduit.hpp"

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
  gni_mem_handle_t& handle = descriptor.post.local_mem_hndl;
  if (segment_.contains(address, *bytes)) {
    handle = segment_memory_;
    return true;
  }
  if (address - reinterpret_cast<std::uintptr_t>(area_.base()) < area_.bytes()) {
    handle = area_memory_;
    return true;
  }
  if (registrations_) {
    const auto pin = [&] {
      return is_whole ? registrations_->pin(address, *bytes, &descriptor.pin)
                      : registrations_->pin_some(address, *bytes, &descriptor.pin, bytes);
    };
    auto pinned = pin();
    if (pinned == parts::Firehose::Pin::kFailed) {
      // The interface has room for less than the cache: what is idle gives way.
      registrations_->forget(0, SIZE_MAX);
      pinned = pin();
    }
    if (pinned == parts::Firehose::Pin::kPinned) {
      handle = cached_[descriptor.pin.region->handle];
      return true;
    }
    descriptor.pin.region = nullptr;
    return false;
  }
  if (!register_memory(address, *bytes, &handle)) return false;
  descriptor.registered = handle;
  return true;
}

std::byte* AriesConduit::take_buffer(Descriptor& descriptor, std::size_t bytes) {
  if (bytes <= Settings::kImmediateBytes) {
    descriptor.post.local_mem_hndl = area_memory_;
    return descriptor.immediate;
  }
  descriptor.bounce = bounce_.take();
  if (descriptor.bounce == parts::ChunkPool::kNone) return nullptr;
  descriptor.post.local_mem_hndl = bounce_memory_;
  return bounce_.at(descriptor.bounce);
}

void AriesConduit::release_local(Descriptor& descriptor) {
  if (descriptor.bounce != parts::ChunkPool::kNone)
    bounce_.give_back(std::exchange(descriptor.bounce, parts::ChunkPool::kNone));
  if (descriptor.pin.region) registrations_->release(&descriptor.pin);
  descriptor.pin.region = nullptr;
  if (descriptor.registered.qword1 != 0 || descriptor.registered.qword2 != 0)
    check(GNI_MemDeregister(nic_.handle(), &descriptor.registered), "GNI_MemDeregister");
  descriptor.registered = {};
}

// False: the table is full.
bool AriesConduit::register_memory(std::uintptr_t address, std::size_t bytes, gni_mem_handle_t* handle) {
  const gni_return_t code = GNI_MemRegister(nic_.handle(), address, bytes, nullptr, GNI_MEM_READWRITE,
                                            static_cast<std::uint32_t>(-1), handle);
  if (code == GNI_RC_ERROR_RESOURCE) return false;
  check(code, "GNI_MemRegister");
  return true;
}

parts::Firehose::Moved AriesConduit::move(std::span<parts::Firehose::Region> unpinned,
                                          parts::Firehose::Region& pin) {
  unpin(unpinned);
  gni_mem_handle_t handle;
  if (!register_memory(pin.base(), pin.bytes(), &handle)) return parts::Firehose::Moved::kFailed;
  if (free_cached_.empty()) {
    free_cached_.push_back(cached_.size());
    cached_.emplace_back();
  }
  pin.handle = free_cached_.back();
  free_cached_.pop_back();
  cached_[pin.handle] = handle;
  return parts::Firehose::Moved::kDone;
}

void AriesConduit::unpin(std::span<parts::Firehose::Region> regions) {
  if (is_closing_) return;
  for (const parts::Firehose::Region& region : regions) {
    check(GNI_MemDeregister(nic_.handle(), &cached_[region.handle]), "GNI_MemDeregister");
    free_cached_.push_back(region.handle);
  }
}

}  // namespace aqueduct::conduit::aries
