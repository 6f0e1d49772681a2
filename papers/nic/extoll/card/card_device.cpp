#include "papers/nic/extoll/card/card_device.hpp"

#include <cstring>

namespace aqueduct::extoll::card {

// On the way out.

void CardDevice::send(NicTransfer& transfer) {
  NicTransfer* const sending = &transfer;
  // Stores of the processor cross the bus once; fetches of the card from memory cross it twice.
  Time way = transfer.unit == Unit::kResponder ? 0 : costs_.crossing;
  if (transfer.unit != Unit::kVelo && transfer.payload.bytes != 0) way += 2 * costs_.crossing;
  engine_.after(way, {sim::kCommandArrives, node_}, [this, sending] {
    sender_.run(costs_.of(sending->unit), 0, [this, sending] { leave(*sending); });
  });
}

bool CardDevice::try_send(NicTransfer& transfer) {
  return port_.send_in_order(transfer.peer, transfer.header, nic::pieces_of(transfer), cookie_of(transfer)) ==
         fabric::Post::kDone;
}

// What the port reports.

void CardDevice::sent(std::uint64_t cookie) {
  NicTransfer* const transfer = &transfer_of(cookie);
  if (transfer->unit == Unit::kRequester) {
    cross([this, transfer] { library_->sent(*transfer); });
  } else {
    library_->sent(*transfer);
  }
  send_waiting();
}

/// All messages take the same time here, so that they stay in order; the answer of a get reads memory.
void CardDevice::header_read(Record& record) {
  Record* const read = &record;
  const bool is_get = kind_of(record.as<Incoming>().header) == MessageKind::kGet;
  engine_.after(is_get ? 0 : costs_.crossing, {sim::kEventWritten, node_}, [this, read] { take(*read); });
}

void CardDevice::take(Record& record) {
  const std::uint64_t arrival = record.arrival;
  NicTransfer* const where = library_->arrived(record.as<Incoming>());
  const bool is_here = where != nullptr && record.complete;
  if (is_here) std::memcpy(where->payload.base, record.inline_payload.data(), where->payload.bytes);
  records_.give_back(record);
  if (where != nullptr && !is_here)
    return port_.accept(arrival, {&where->payload, 1}, where->payload.bytes, cookie_of(*where));
  port_.discard(arrival);
  if (is_here) library_->landed(*where, true);
}

void CardDevice::landed(std::uint64_t cookie, fabric::Outcome outcome) {
  library_->landed(transfer_of(cookie), outcome == fabric::Outcome::kOk);
}

}  // namespace aqueduct::extoll::card
