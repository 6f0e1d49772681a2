#include "nic/ugni/fabric_device.hpp"

#include <cstring>

#include "base/fatal.hpp"

namespace aqueduct::ugni {
namespace {

std::uint64_t cookie_of(Transfer& transfer) { return reinterpret_cast<std::uintptr_t>(&transfer); }
Transfer& transfer_of(std::uint64_t cookie) { return *reinterpret_cast<Transfer*>(cookie); }

}  // namespace

void FabricDevice::set_library(Library& library) {
  if (!port_.traits().ordered) fatal("uGNI", "this fabric does not keep the order of headers");
  library_ = &library;
  port_.set_client(*this);
}

bool FabricDevice::try_send(Transfer& transfer) {
  const std::size_t pieces = transfer.payload.bytes != 0 ? 1 : 0;
  return port_.send(transfer.peer, transfer.header, {&transfer.payload, pieces}, cookie_of(transfer)) ==
         fabric::Post::kDone;
}

void FabricDevice::send(Transfer& transfer) {
  lines_.send(transfer, [this](Transfer& each) { return try_send(each); });
}

void FabricDevice::send_waiting() {
  lines_.retry([this](Transfer& each) { return try_send(each); });
}

unsigned FabricDevice::progress() {
  const unsigned reports = port_.progress();
  send_waiting();
  return reports;
}

void FabricDevice::arrived(const fabric::Arrival& arrival) {
  Transfer* const where = library_->arrived({arrival.source, arrival.header, arrival.payload_bytes});
  if (where == nullptr) {
    port_.discard(arrival.id);
  } else if (arrival.inline_payload == nullptr) {
    port_.accept(arrival.id, {&where->payload, 1}, where->payload.bytes, cookie_of(*where));
  } else {
    std::memcpy(where->payload.base, arrival.inline_payload, where->payload.bytes);
    port_.discard(arrival.id);
    library_->landed(*where, true);
  }
}

void FabricDevice::landed(std::uint64_t cookie, fabric::Outcome outcome) {
  library_->landed(transfer_of(cookie), outcome == fabric::Outcome::kOk);
}

void FabricDevice::sent(std::uint64_t cookie) {
  library_->sent(transfer_of(cookie));
  // What has left has made room, and where the network moves by itself nobody may ever call progress().
  send_waiting();
}

void FabricDevice::undeliverable(std::uint64_t, NodeId target, std::span<const std::byte> header) {
  library_->undeliverable(target, header);
}

void FabricDevice::lost(NodeId node) { library_->lost(node); }

}  // namespace aqueduct::ugni
