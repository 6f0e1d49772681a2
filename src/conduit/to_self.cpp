#include "conduit/to_self.hpp"

#include <cstring>
#include <memory>

namespace aqueduct::conduit {

Post deliver_to_self(Receiver& receiver, RankId self, const Message& message) {
  Message local = message;
  std::unique_ptr<std::byte[]> copy;
  if (message.category == Category::kLong) {
    if (message.payload_bytes != 0) std::memmove(message.destination, message.payload, message.payload_bytes);
    local.payload = message.destination;
  } else if (message.category == Category::kMedium && message.payload_bytes != 0) {
    copy = std::make_unique_for_overwrite<std::byte[]>(message.payload_bytes);
    std::memcpy(copy.get(), message.payload, message.payload_bytes);
    local.payload = copy.get();
  }
  receiver.deliver(local, {self, 0});
  return Post::kDone;
}

}  // namespace aqueduct::conduit
