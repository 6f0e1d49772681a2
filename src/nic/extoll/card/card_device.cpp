#include "nic/extoll/card/card_device.hpp"

#include <cstring>

#include "nic/simulated_wait.hpp"
#include "sim/fiber.hpp"
#include "sim/network.hpp"

namespace aqueduct::extoll::card {
namespace {

std::uint64_t cookie_of(Transfer& transfer) { return reinterpret_cast<std::uintptr_t>(&transfer); }
Transfer& transfer_of(std::uint64_t cookie) { return *reinterpret_cast<Transfer*>(cookie); }

}  // namespace

CardDevice::CardDevice(sim::Simulation& simulation, NodeId node, const Costs& costs)
    : engine_(simulation.engine()),
      host_(simulation.host(node)),
      faults_(simulation.faults()),
      port_(simulation.network().port(node)),
      costs_(costs),
      node_(node),
      sender_(simulation.engine(), simulation.accounts(), node),
      receiver_(simulation.engine(), simulation.accounts(), node) {}

void CardDevice::set_library(Library& library) {
  library_ = &library;
  port_.set_client(*this);
}

void CardDevice::enter(Call call, std::size_t amount) {
  if (sim::Fiber::current() != nullptr) host_.charge(costs_.of(call), amount);
}

std::uint64_t CardDevice::now_ns() { return engine_.now() / sim::kNanosecond; }

void CardDevice::wait(const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) {
  nic::wait_simulated(host_, activity, seen, deadline_ns, waits_for_);
}

// On the way out.

void CardDevice::send(Transfer& transfer) {
  Transfer* const sending = &transfer;
  // Stores of the processor cross the bus once; what the card fetches from memory, there and back.
  Time way = transfer.unit == Unit::kResponder ? 0 : costs_.crossing;
  if (transfer.unit != Unit::kVelo && transfer.payload.bytes != 0) way += 2 * costs_.crossing;
  engine_.after(way, {sim::kCommandArrives, node_}, [this, sending] {
    sender_.run(costs_.of(sending->unit), 0, [this, sending] { leave(*sending); });
  });
}

void CardDevice::leave(Transfer& transfer) {
  lines_.send(transfer, [this](Transfer& each) { return try_send(each); });
}

bool CardDevice::try_send(Transfer& transfer) {
  const std::span<const fabric::Piece> payload{&transfer.payload, transfer.payload.bytes != 0 ? 1u : 0u};
  return port_.send_in_order(transfer.peer, transfer.header, payload, cookie_of(transfer)) ==
         fabric::Post::kDone;
}

// What the port reports.

void CardDevice::sent(std::uint64_t cookie) {
  Transfer* const transfer = &transfer_of(cookie);
  if (transfer->unit == Unit::kRequester) {
    cross([this, transfer] { library_->sent(*transfer); });
  } else {
    library_->sent(*transfer);
  }
  lines_.retry([this](Transfer& each) { return try_send(each); });
}

void CardDevice::arrived(const fabric::Arrival& arrival) {
  Record* const record = &records_.keep(arrival);
  receiver_.run(costs_.of(kind_of(arrival.header)), 0, [this, record] { header_read(*record); });
}

/// All messages take as long, so that they stay in order; a get goes to memory by its answer.
void CardDevice::header_read(Record& record) {
  Record* const read = &record;
  const bool is_get = kind_of(record.as<Incoming>().header) == MessageKind::kGet;
  engine_.after(is_get ? 0 : costs_.crossing, {sim::kEventWritten, node_}, [this, read] { take(*read); });
}

void CardDevice::take(Record& record) {
  const std::uint64_t arrival = record.arrival;
  Transfer* const where = library_->arrived(record.as<Incoming>());
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

void CardDevice::undeliverable(std::uint64_t, NodeId target, std::span<const std::byte> header) {
  library_->undeliverable(target, header);
}

}  // namespace aqueduct::extoll::card
