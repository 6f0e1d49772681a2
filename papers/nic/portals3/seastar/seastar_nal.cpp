#include "papers/nic/portals3/seastar/seastar_nal.hpp"

#include "fabric/pieces.hpp"
#include "sim/fiber.hpp"

namespace aqueduct::portals3::seastar {
namespace {

using sim::Fiber;

/// Portal table entries of the SeaStar's library; other limits are the library's own.
constexpr int kPortalTableEntries = 64;

NicTransfer& transfer_of(std::uint64_t cookie) {
  return *reinterpret_cast<NicTransfer*>(static_cast<std::uintptr_t>(cookie));
}

/// Whether a process gets an event when this message has left.
bool reports_departure(const NicTransfer& transfer) {
  return transfer.kind == MessageKind::kPut || transfer.kind == MessageKind::kGetPut ||
         transfer.kind == MessageKind::kReply;
}

}  // namespace

SeaStarNal::SeaStarNal(sim::Simulation& simulation, NodeId node, const Costs& costs)
    : engine_(simulation.engine()),
      host_(simulation.host(node)),
      faults_(simulation.faults()),
      port_(simulation.port(node)),
      costs_(costs),
      node_(node),
      firmware_(simulation.engine(), simulation.accounts(), node),
      interrupts_(host_, {costs.interrupt_entry, costs.interrupt_exit}, *this),
      transmitter_(port_, firmware_, costs) {
  port_.set_client(*this);
}

ptl_ni_limits_t SeaStarNal::limits() const {
  ptl_ni_limits_t limits = Nal::limits();
  limits.max_pt_index = kPortalTableEntries - 1;
  return limits;
}

void SeaStarNal::send(NicTransfer& transfer) {
  if (transfer.context == Context::kArrival || Fiber::current() == nullptr) {
    collected_.push(transfer);
    return;
  }
  host_.charge(costs_.push_command);
  const std::size_t pages = bridge_of(transfer).listed_pages(transfer.pieces);
  if (pages != 0) host_.charge(costs_.push_page, pages);
  NicTransfer* const sending = &transfer;
  engine_.after(costs_.crossing, {sim::kCommandArrives, node_},
                [this, sending] { transmitter_.command(*sending); });
}

// What the port reports.

void SeaStarNal::arrived(const fabric::Arrival& arrival) {
  Record* const record = &records_.keep(arrival);
  firmware_.run(costs_.firmware_header, 0, [this, record] { header_read(*record); });
}

void SeaStarNal::sent(std::uint64_t cookie) {
  transmitter_.left();
  firmware_.run(costs_.firmware_transmitted, 0,
                [this, cookie] { over(transfer_of(cookie), Cause::Kind::kSent, false); });
}

void SeaStarNal::landed(std::uint64_t cookie, fabric::Outcome outcome) {
  const bool failed = outcome == fabric::Outcome::kFailed;
  firmware_.run(costs_.firmware_deposited, 0,
                [this, cookie, failed] { over(transfer_of(cookie), Cause::Kind::kLanded, failed); });
}

void SeaStarNal::undeliverable(std::uint64_t, NodeId target, std::span<const std::byte> header) {
  Record* const record = &records_.keep(target, header);
  firmware_.run(costs_.firmware_transmitted, 0,
                [this, record] { raise({.kind = Cause::Kind::kUndeliverable, .subject = record}); });
}

void SeaStarNal::over(NicTransfer& transfer, Cause::Kind kind, bool failed) {
  const ptl_ni_fail_t fail = failed ? PTL_NI_INCOMPLETE : PTL_NI_OK;
  if (kind == Cause::Kind::kSent && !reports_departure(transfer)) {
    library_->finalize(transfer, fail);
    transmit_collected();
  } else if (bridge_of(transfer).accelerated()) {
    complete_on_interface(transfer, fail);
  } else {
    raise({.kind = kind, .failed = failed, .subject = &transfer});
  }
}

void SeaStarNal::raise(const Cause& cause) {
  engine_.after(costs_.crossing, {sim::kInterruptRaised, node_}, [this, cause] { interrupts_.raise(cause); });
}

void SeaStarNal::header_read(Record& record) {
  const Destination destination = library_->destination(record.as<Incoming>());
  const auto* const bridge = static_cast<const SeaStarBridge*>(destination.bridge);
  if (bridge != nullptr && bridge->accelerated()) {
    match_on_interface(record);
  } else {
    raise({.kind = Cause::Kind::kHeader, .subject = &record});
  }
}

/// Copies a payload from the header's packet; no more will come.
void SeaStarNal::take_inline(Record& record) {
  if (record.deposit != nullptr) {
    fabric::PieceWalk(record.deposit->pieces).scatter(record.inline_payload.data(), record.deposit->bytes);
  }
  port_.discard(record.arrival);
}

// In interrupts of the host.

void SeaStarNal::interrupted(const Cause& cause) {
  switch (cause.kind) {
    case Cause::Kind::kHeader:
      match_on_host(*static_cast<Record*>(cause.subject));
      break;
    case Cause::Kind::kSent:
    case Cause::Kind::kLanded:
      complete_on_host(*static_cast<NicTransfer*>(cause.subject),
                       cause.failed ? PTL_NI_INCOMPLETE : PTL_NI_OK);
      break;
    case Cause::Kind::kUndeliverable: {
      Record* const record = static_cast<Record*>(cause.subject);
      interrupts_.step(costs_.complete, 0, [this, record] {
        const Incoming header = record->as<Incoming>();
        library_->undeliverable(header.source, header.header);
        records_.give_back(*record);
        push_collected();
        interrupts_.leave();
      });
      break;
    }
  }
}

void SeaStarNal::match_on_host(Record& record) {
  const Verdict verdict = library_->parse(record.as<Incoming>());
  record.deposit = verdict.deposit;
  Record* const matched = &record;
  interrupts_.step(costs_.match, verdict.entries_walked, [this, matched] { answer_on_host(*matched); });
}

void SeaStarNal::answer_on_host(Record& record) {
  push_collected();
  NicTransfer* const transfer = record.deposit;
  if (record.complete || transfer == nullptr || transfer->bytes == 0) {
    take_inline(record);
    records_.give_back(record);
    if (transfer != nullptr) {
      complete_on_host(*transfer, PTL_NI_OK);
    } else {
      interrupts_.leave();
    }
    return;
  }
  const std::size_t pages = bridge_of(*transfer).listed_pages(transfer->pieces);
  if (pages != 0) interrupts_.step(costs_.push_page, pages, [] {});
  Record* const pushed = &record;
  interrupts_.step(costs_.push_command, 0, [this, pushed] {
    engine_.after(costs_.crossing, {sim::kCommandArrives, node_}, [this, pushed] { deposit(*pushed); });
  });
  interrupts_.leave();
}

void SeaStarNal::complete_on_host(NicTransfer& transfer, ptl_ni_fail_t fail) {
  NicTransfer* const done = &transfer;
  interrupts_.step(costs_.complete, 0, [this, done, fail] {
    library_->finalize(*done, fail);
    push_collected();
    interrupts_.leave();
  });
}

void SeaStarNal::push_collected() {
  while (!collected_.empty()) push_on_host(collected_.pop());
}

void SeaStarNal::push_on_host(NicTransfer& transfer) {
  const std::size_t pages = bridge_of(transfer).listed_pages(transfer.pieces);
  if (pages != 0) interrupts_.step(costs_.push_page, pages, [] {});
  NicTransfer* const sending = &transfer;
  interrupts_.step(costs_.push_command, 0, [this, sending] {
    engine_.after(costs_.crossing, {sim::kCommandArrives, node_},
                  [this, sending] { transmitter_.command(*sending); });
  });
}

// On the interface's processor.

void SeaStarNal::deposit(Record& record) {
  const std::size_t pages = bridge_of(*record.deposit).listed_pages(record.deposit->pieces);
  Record* const depositing = &record;
  firmware_.run(costs_.firmware_deposit, costs_.firmware_page, pages, [this, depositing] {
    NicTransfer& transfer = *depositing->deposit;
    const std::uint64_t arrival = depositing->arrival;
    records_.give_back(*depositing);
    port_.accept(arrival, transfer.pieces, transfer.bytes, reinterpret_cast<std::uintptr_t>(&transfer));
  });
}

void SeaStarNal::match_on_interface(Record& record) {
  const Verdict verdict = library_->parse(record.as<Incoming>());
  record.deposit = verdict.deposit;
  Record* const matched = &record;
  firmware_.run(costs_.firmware_match, verdict.entries_walked,
                [this, matched] { answer_on_interface(*matched); });
}

void SeaStarNal::answer_on_interface(Record& record) {
  transmit_collected();
  NicTransfer* const transfer = record.deposit;
  if (record.complete || transfer == nullptr || transfer->bytes == 0) {
    take_inline(record);
    records_.give_back(record);
    if (transfer != nullptr) complete_on_interface(*transfer, PTL_NI_OK);
  } else {
    deposit(record);
  }
}

void SeaStarNal::complete_on_interface(NicTransfer& transfer, ptl_ni_fail_t fail) {
  NicTransfer* const done = &transfer;
  firmware_.run(costs_.firmware_event, 0, [this, done, fail] {
    engine_.after(costs_.crossing, {sim::kEventWritten, node_}, [this, done, fail] {
      library_->finalize(*done, fail);
      transmit_collected();
    });
  });
}

void SeaStarNal::transmit_collected() {
  while (!collected_.empty()) transmitter_.command(collected_.pop());
}

}  // namespace aqueduct::portals3::seastar
