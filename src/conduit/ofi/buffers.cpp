#include "conduit/ofi/buffers.hpp"

#include <rdma/fi_errno.h>
#include <sys/resource.h>

#include <string>

#include "base/fatal.hpp"

namespace aqueduct::conduit::ofi {
namespace {

constexpr std::size_t kSmallBytes = 1024;
constexpr unsigned kSmallBuffers = 256;

std::string memory_lock_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "unlimited";
  return std::to_string(limit.rlim_cur >> 10) + " KiB";
}

}  // namespace

void refuse_registration(const char* what, std::size_t bytes, const Network& network, int error) {
  fatal("ofi",
        "provider %s does not register %zu bytes of %s: %s; memory that may be locked is %s (ulimit -l): "
        "raise that, or "
        "lower GASNET_MAX_SEGSIZE",
        network.provider_name(), bytes, what, fi_strerror(error), memory_lock_limit().c_str());
}

BufferPool::BufferPool(Network& network, unsigned count, std::size_t buffer_bytes)
    : network_(network),
      buffer_bytes_(buffer_bytes),
      memory_(static_cast<std::byte*>(::operator new (count* buffer_bytes, std::align_val_t{kPage}))) {
  if (network.properties().local_registration) {
    int error = 0;
    registration_ = network.register_memory(memory_.get(), count * buffer_bytes, false, &error);
    if (!registration_) refuse_registration("buffers", count * buffer_bytes, network, error);
  }
  for (unsigned i = count; i-- > 0;) {
    Buffer& buffer = buffers_.emplace_back();
    buffer.home = this;
    buffer.bytes = memory_.get() + i * buffer_bytes;
    buffer.registration = registration_;
    give_back(&buffer);
  }
}

BufferPool::~BufferPool() {
  if (registration_) network_.close_registration(registration_);
}

SendBuffers::SendBuffers(Network& network, const Settings& settings)
    : small(network, kSmallBuffers, kSmallBytes),
      large(network, settings.bounce_buffers, settings.message_bytes()),
      network_(network) {}

Post SendBuffers::try_send(RankId target, Buffer& buffer, std::size_t count) {
  buffer.handler = this;
  const Post post = network_.send(target, buffer.part(count), buffer);
  if (post == Post::kDone) ++under_way_;
  return post;
}

Post SendBuffers::send(RankId target, Buffer& buffer, std::size_t count) {
  const Post post = try_send(target, buffer, count);
  if (post == Post::kRetry) buffer.give_back();
  return post;
}

void SendBuffers::abandoned(Operation& operation) {
  --under_way_;
  static_cast<Buffer&>(operation).give_back();
}

}  // namespace aqueduct::conduit::ofi
