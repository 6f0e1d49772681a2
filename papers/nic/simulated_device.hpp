// The common base of simulated devices: a node's port, its host's clock, the units that make and take
// packets, and the port's reports.
//
// `Device` is the library's contract (as nic/ugni/device.hpp has one); `Library`, `Transfer`, `Limits` and
// `Call` are its own. `Costs` has `limits`, `crossing`, and `of(Call)`. A device adds the way of a transfer
// out, and the handling of a header that has been taken.
//
// Belongs to the simulation's one thread.
#pragma once
#include <cstdint>
#include <span>

#include "papers/nic/arrival_records.hpp"
#include "papers/nic/device.hpp"
#include "papers/nic/send_lines.hpp"
#include "papers/nic/simulated_wait.hpp"
#include "sim/fiber.hpp"
#include "sim/firmware.hpp"
#include "sim/network.hpp"
#include "sim/sim_port.hpp"
#include "sim/simulation.hpp"

namespace aqueduct::nic {

/// The two units of an interface, which send and take one message at a time.
struct InterfaceUnits {
  InterfaceUnits(sim::Simulation& simulation, fabric::NodeId node)
      : sender(simulation.engine(), simulation.accounts(), node),
        receiver(simulation.engine(), simulation.accounts(), node) {}

  sim::Firmware sender, receiver;
};

template <class Device, class Transfer, class Limits, class Call, class Costs>
class SimulatedDevice : public Device, protected fabric::PortClient {
 public:
  void set_library(Library<Transfer>& library) override {
    library_ = &library;
    port_.set_client(*this);
  }
  fabric::NodeId self() const override { return node_; }
  fabric::NodeId nodes() const override { return port_.traits().nodes; }
  Limits limits() const override { return costs_.limits; }
  void enter(Call call, std::size_t amount) override {
    if (sim::Fiber::current() != nullptr) host_.charge(costs_.of(call), amount);
  }
  std::uint64_t now_ns() override { return engine_.now() / sim::kNanosecond; }
  void wait(const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) override {
    wait_simulated(host_, activity, seen, deadline_ns, waits_for_);
  }
  void posted() override { host_.notify(); }
  unsigned progress() override { return 0; }

 protected:
  using Records = ArrivalRecords<Transfer>;
  using Record = typename Records::Record;

  /// Takes the port. `costs` and `simulation` outlive it. `waits_for` says what wait() waits for, a literal.
  /// `shared` are the units of an interface that several devices share, and outlive it; null: it has its own.
  SimulatedDevice(sim::Simulation& simulation, fabric::NodeId node, const Costs& costs, const char* waits_for,
                  InterfaceUnits* shared = nullptr)
      : engine_(simulation.engine()),
        host_(simulation.host(node)),
        faults_(simulation.faults()),
        port_(simulation.network().port(node)),
        costs_(costs),
        node_(node),
        waits_for_(waits_for),
        own_units_(simulation, node),
        sender_(shared ? shared->sender : own_units_.sender),
        receiver_(shared ? shared->receiver : own_units_.receiver) {}

  /// The cost of taking a message with this header.
  virtual sim::CostId cost_of_taking(std::span<const std::byte> header) const = 0;
  /// A header has been taken; its record belongs to the device until records_.give_back().
  virtual void header_read(Record& record) = 0;
  /// False: the port has no room now.
  virtual bool try_send(Transfer& transfer) = 0;

  static std::uint64_t cookie_of(Transfer& transfer) { return reinterpret_cast<std::uintptr_t>(&transfer); }
  static Transfer& transfer_of(std::uint64_t cookie) { return *reinterpret_cast<Transfer*>(cookie); }

  /// Sends the transfer as soon as the port has room.
  void leave(Transfer& transfer) {
    lines_.send(transfer, [this](Transfer& each) { return try_send(each); });
  }
  /// Retries waiting transfers after one has left.
  void send_waiting() {
    lines_.retry([this](Transfer& each) { return try_send(each); });
  }
  /// Runs `action` after a crossing of the bus.
  void cross(const sim::Action& action) {
    engine_.after(costs_.crossing, {sim::kEventWritten, node_}, action);
  }

  void arrived(const fabric::Arrival& arrival) override {
    Record* const record = &records_.keep(arrival);
    receiver_.run(cost_of_taking(arrival.header), 0, [this, record] { header_read(*record); });
  }
  void undeliverable(std::uint64_t, fabric::NodeId target, std::span<const std::byte> header) override {
    library_->undeliverable(target, header);
  }
  void lost(fabric::NodeId node) override { library_->lost(node); }

  sim::Engine& engine_;
  sim::Host& host_;
  sim::Faults& faults_;
  sim::SimPort& port_;
  const Costs& costs_;
  fabric::NodeId node_;
  const char* waits_for_;
  Library<Transfer>* library_ = nullptr;
  InterfaceUnits own_units_;
  sim::Firmware& sender_;
  sim::Firmware& receiver_;
  SendLines<Transfer> lines_;
  Records records_;
};

}  // namespace aqueduct::nic
