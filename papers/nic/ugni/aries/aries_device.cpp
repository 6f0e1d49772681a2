#include "papers/nic/ugni/aries/aries_device.hpp"

#include <cstring>

namespace aqueduct::ugni::aries {

EventFault AriesDevice::event_fault() {
  if (faults_.event_queue_full(node_)) return EventFault::kQueueFull;
  return faults_.event_fails(node_) ? EventFault::kFailure : EventFault::kNone;
}

// On the way out.

void AriesDevice::send(NicTransfer& transfer) {
  if (transfer.in_order) turns_[transfer.peer].push_back({&transfer, false});
  NicTransfer* const sending = &transfer;
  switch (transfer.engine) {
    case Engine::kFma:
    case Engine::kDriver:
      cross([this, sending] { make_packets(*sending, costs_.send_fma); });
      break;
    case Engine::kBte:
      cross([this, sending] {
        without_channel_.push_back(sending);
        start_channels();
      });
      break;
    case Engine::kResponse: {
      // What a get asks for is fetched from memory first.
      const Time fetching = transfer.payload.bytes != 0 ? 2 * costs_.crossing : 0;
      engine_.after(fetching, {sim::kCommandArrives, node_},
                    [this, sending] { make_packets(*sending, costs_.send_response); });
      break;
    }
  }
}

void AriesDevice::start_channels() {
  for (auto next = without_channel_.begin(); next != without_channel_.end();) {
    NicTransfer& transfer = **next;
    const std::size_t usable = transfer.single_channel ? 1 : channels_.size();
    std::size_t channel = 0;
    while (channel < usable && channels_[channel] != nullptr) ++channel;
    if (channel == usable) {
      ++next;
      continue;
    }
    next = without_channel_.erase(next);
    channels_[channel] = &transfer;
    transfer.note = channel;
    make_packets(transfer, costs_.send_bte);
  }
}

void AriesDevice::make_packets(NicTransfer& transfer, CostId cost) {
  NicTransfer* const sending = &transfer;
  sender_.run(cost, 0, [this, sending] { may_leave(*sending); });
}

void AriesDevice::may_leave(NicTransfer& transfer) {
  if (!transfer.in_order) return leave(transfer);
  const auto found = turns_.find(transfer.peer);
  std::deque<Turn>& turns = found->second;
  for (Turn& turn : turns) {
    if (turn.transfer == &transfer) turn.may_leave = true;
  }
  while (!turns.empty() && turns.front().may_leave) {
    NicTransfer& first = *turns.front().transfer;
    turns.pop_front();
    leave(first);
  }
  if (turns.empty()) turns_.erase(found);
}

bool AriesDevice::try_send(NicTransfer& transfer) {
  const std::span<const fabric::Piece> payload = nic::pieces_of(transfer);
  const fabric::Post post =
      transfer.in_order ? port_.send_in_order(transfer.peer, transfer.header, payload, cookie_of(transfer))
                        : port_.send(transfer.peer, transfer.header, payload, cookie_of(transfer));
  return post == fabric::Post::kDone;
}

// What the port reports.

void AriesDevice::sent(std::uint64_t cookie) {
  NicTransfer* const transfer = &transfer_of(cookie);
  if (transfer->engine == Engine::kBte) {
    channels_[transfer->note] = nullptr;
    start_channels();
  }
  if (transfer->engine == Engine::kResponse) {
    library_->sent(*transfer);
  } else {
    cross([this, transfer] { library_->sent(*transfer); });
  }
  send_waiting();
}

void AriesDevice::header_read(Record& record) {
  Record* const read = &record;
  if (record.payload_bytes == 0) {
    // A get goes to memory by its answer; the effects of all others are there after one crossing.
    const bool is_get = kind_of(record.as<Incoming>().header) == MessageKind::kGet;
    engine_.after(is_get ? 0 : costs_.crossing, {sim::kEventWritten, node_}, [this, read] {
      library_->arrived(read->as<Incoming>());
      port_.discard(read->arrival);
      records_.give_back(*read);
    });
    return;
  }
  record.deposit = library_->arrived(record.as<Incoming>());
  if (record.deposit == nullptr) {
    port_.discard(record.arrival);
    records_.give_back(record);
  } else if (record.complete) {
    cross([this, read] { take_inline(*read); });
  } else {
    const std::uint64_t arrival = record.arrival;
    NicTransfer& where = *record.deposit;
    records_.give_back(record);
    port_.accept(arrival, {&where.payload, 1}, where.payload.bytes, cookie_of(where));
  }
}

/// Writes a payload from the header's packet.
void AriesDevice::take_inline(Record& record) {
  NicTransfer& where = *record.deposit;
  std::memcpy(where.payload.base, record.inline_payload.data(), where.payload.bytes);
  port_.discard(record.arrival);
  records_.give_back(record);
  library_->landed(where, true);
}

void AriesDevice::landed(std::uint64_t cookie, fabric::Outcome outcome) {
  const bool whole = outcome == fabric::Outcome::kOk;
  cross([this, cookie, whole] { library_->landed(transfer_of(cookie), whole); });
}

}  // namespace aqueduct::ugni::aries
