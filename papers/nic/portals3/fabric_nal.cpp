#include "papers/nic/portals3/fabric_nal.hpp"

#include "fabric/pieces.hpp"

namespace aqueduct::portals3 {
namespace {

std::uint64_t cookie_of(Transfer& transfer) { return reinterpret_cast<std::uintptr_t>(&transfer); }
Transfer& transfer_of(std::uint64_t cookie) { return *reinterpret_cast<Transfer*>(cookie); }

}  // namespace

FabricNal::FabricNal(fabric::Port& port) : port_(port) {}

void FabricNal::set_library(Library& library) {
  library_ = &library;
  port_.set_client(*this);
}

bool FabricNal::try_send(Transfer& transfer) {
  return port_.send(transfer.peer, transfer.header, transfer.pieces, cookie_of(transfer)) ==
         fabric::Post::kDone;
}

void FabricNal::send(Transfer& transfer, Context) {
  lines_.send(transfer, [this](Transfer& each) { return try_send(each); });
}

void FabricNal::send_waiting() {
  lines_.retry([this](Transfer& each) { return try_send(each); });
}

unsigned FabricNal::progress() {
  const unsigned reports = port_.progress();
  send_waiting();
  return reports;
}

void FabricNal::arrived(const fabric::Arrival& arrival) {
  const Verdict verdict = library_->parse({arrival.source, arrival.header, arrival.payload_bytes});
  if (verdict.deposit == nullptr) {
    port_.discard(arrival.id);
    return;
  }
  Transfer& deposit = *verdict.deposit;
  if (arrival.inline_payload == nullptr && deposit.bytes != 0) {
    port_.accept(arrival.id, deposit.pieces, deposit.bytes, cookie_of(deposit));
    return;
  }
  fabric::PieceWalk{deposit.pieces}.scatter(arrival.inline_payload, deposit.bytes);
  port_.discard(arrival.id);
  library_->finalize(deposit, PTL_NI_OK);
}

void FabricNal::landed(std::uint64_t cookie, fabric::Outcome outcome) {
  library_->finalize(transfer_of(cookie), outcome == fabric::Outcome::kOk ? PTL_NI_OK : PTL_NI_INCOMPLETE);
}

void FabricNal::sent(std::uint64_t cookie) {
  library_->finalize(transfer_of(cookie), PTL_NI_OK);
  // What has left has made room, and where the network moves by itself nobody may ever call progress().
  send_waiting();
}

void FabricNal::undeliverable(std::uint64_t, NodeId, std::span<const std::byte> header) {
  library_->undeliverable(header);
}

void FabricNal::lost(NodeId node) { library_->lost(node); }

}  // namespace aqueduct::portals3
