#include "parts/to_self.hpp"

#include <cstring>
#include <memory>

namespace aqueduct::parts {

am::Post deliver_to_self(am::Receiver& receiver, RankId self, const am::Message& message) {
  am::Message local = message;
  std::unique_ptr<std::byte[]> copy;
  if (message.category == am::Category::kLong) {
    if (message.payload_bytes != 0) std::memmove(message.destination, message.payload, message.payload_bytes);
    local.payload = message.destination;
  } else if (message.category == am::Category::kMedium && message.payload_bytes != 0) {
    copy = std::make_unique_for_overwrite<std::byte[]>(message.payload_bytes);
    std::memcpy(copy.get(), message.payload, message.payload_bytes);
    local.payload = copy.get();
  }
  receiver.deliver(local, {self, 0});
  return am::Post::kDone;
}

}  // namespace aqueduct::parts
