#include "papers/nic/portals3/seastar/transmitter.hpp"

namespace aqueduct::portals3::seastar {

void Transmitter::command(NicTransfer& transfer) {
  const std::size_t pages = static_cast<SeaStarBridge&>(*transfer.bridge).listed_pages(transfer.pieces);
  NicTransfer* const sending = &transfer;
  firmware_.run(costs_.firmware_transmit, costs_.firmware_page, pages,
                [this, sending] { programmed(*sending); });
}

void Transmitter::programmed(NicTransfer& transfer) {
  if (slots_in_use_ < costs_.transmit_slots && without_slot_.empty()) {
    ++slots_in_use_;
    hand_over(transfer);
  } else {
    ++overflows_;
    without_slot_.push(transfer);
  }
}

void Transmitter::hand_over(NicTransfer& transfer) {
  refused_.push(transfer);
  drain();
}

void Transmitter::drain() {
  while (!refused_.empty()) {
    NicTransfer& first = refused_.front();
    const auto cookie = reinterpret_cast<std::uintptr_t>(&first);
    if (port_.send(first.peer, first.header, first.pieces, cookie) == fabric::Post::kRetry) return;
    refused_.pop();
  }
}

void Transmitter::left() {
  drain();
  if (without_slot_.empty()) {
    --slots_in_use_;
    return;
  }
  NicTransfer* const next = &without_slot_.pop();
  firmware_.run(costs_.firmware_overflow, 0, [this, next] { hand_over(*next); });
}

}  // namespace aqueduct::portals3::seastar
