#include "papers/conduit/portals/operations.hpp"

#include <cstring>

#include "world/work.hpp"

namespace aqueduct::conduit::portals {

// Two threads may report both ends of a put at the same time; the second one ends the operation.
void Operations::happened(const ptl_event_t& event) {
  const bool is_send_end = event.type == PTL_EVENT_SEND_END;
  if (!is_send_end && event.type != PTL_EVENT_ACK && event.type != PTL_EVENT_REPLY_END) return;
  const std::uint32_t name = type_of(event.match_bits) == Type::kPayload
                                 ? PayloadBits::name_in(event.match_bits)
                                 : TransferBits::name_in(event.match_bits);
  PortalsOperation* const operation = names_.find(name);
  if (!operation) return;
  if (is_send_end && operation->unsent) operation->unsent->fetch_sub(1, std::memory_order_release);
  OperationClient& client = *operation->client;
  void* const owner = operation->owner;
  if (is_send_end) client.sent(owner);
  if (std::atomic_ref(operation->events).fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (operation->destination) {
    world::spend(world::kCopy, operation->held.bytes);
    std::memcpy(operation->destination, port_.request_chunks.at(operation->held.chunk),
                operation->held.bytes);
  }
  const bool tells_of_end = operation->tells_of_end;
  local_->release(operation->held);
  if (operation->borrowed.region) RemoteMemory::release(operation->borrowed);
  names_.retire(name);
  port_.tokens.give_back();
  if (tells_of_end) client.over(owner);
}

}  // namespace aqueduct::conduit::portals
