// The plain mover of an interface's library: it works over any fabric and models no costs. Live processes and
// tests use it.
//
// `Device` is the library's contract, a Mover (nic/device.hpp) or more; `Library` is its other side;
// `Transfer` has `peer`, `header`, a payload (pieces_of()), and `next` for the lines.
//
// Transfers for which the port has no room wait (nic/send_lines.hpp); progress() tries again. The fabric must
// be ordered, so that headers arrive in order.
//
// Any thread may call anything. The port must outlive it, and must not report anything during its
// destruction.
#pragma once
#include "base/fatal.hpp"
#include "fabric/pieces.hpp"
#include "papers/nic/device.hpp"
#include "papers/nic/send_lines.hpp"

namespace aqueduct::nic {

template <class Device, class Library, class Transfer>
class FabricDevice : public Device, private fabric::PortClient {
 public:
  /// `name` is the interface's, a literal.
  FabricDevice(fabric::Port& port, const char* name) : port_(port), name_(name) {}

  void set_library(Library& library) override {
    if (!port_.traits().ordered) fatal(name_, "this fabric does not keep the order of headers");
    library_ = &library;
    port_.set_client(*this);
  }
  fabric::NodeId self() const override { return port_.self(); }
  fabric::NodeId nodes() const override { return port_.traits().nodes; }
  void send(Transfer& transfer) override {
    lines_.send(transfer, [this](Transfer& each) { return try_send(each); });
  }
  Doorbell* doorbell(fabric::NodeId node) override { return port_.doorbell(node); }
  unsigned progress() override {
    const unsigned reports = port_.progress();
    send_waiting();
    return reports;
  }

 protected:
  const fabric::Port& port() const { return port_; }

 private:
  static std::uint64_t cookie_of(Transfer& transfer) { return reinterpret_cast<std::uintptr_t>(&transfer); }
  static Transfer& transfer_of(std::uint64_t cookie) { return *reinterpret_cast<Transfer*>(cookie); }

  bool try_send(Transfer& transfer) {
    return port_.send(transfer.peer, transfer.header, pieces_of(transfer), cookie_of(transfer)) ==
           fabric::Post::kDone;
  }
  void send_waiting() {
    lines_.retry([this](Transfer& each) { return try_send(each); });
  }

  void arrived(const fabric::Arrival& arrival) override {
    Transfer* const where = library_->arrived({arrival.source, arrival.header, arrival.payload_bytes});
    if (where == nullptr) {
      port_.discard(arrival.id);
    } else if (const std::size_t bytes = bytes_of(*where); arrival.inline_payload == nullptr && bytes != 0) {
      port_.accept(arrival.id, pieces_of(*where), bytes, cookie_of(*where));
    } else {
      fabric::PieceWalk{pieces_of(*where)}.scatter(arrival.inline_payload, bytes);
      port_.discard(arrival.id);
      library_->landed(*where, true);
    }
  }
  void landed(std::uint64_t cookie, fabric::Outcome outcome) override {
    library_->landed(transfer_of(cookie), outcome == fabric::Outcome::kOk);
  }
  void sent(std::uint64_t cookie) override {
    library_->sent(transfer_of(cookie));
    // There is room now, and if the network moves by itself nobody may ever call progress().
    send_waiting();
  }
  void undeliverable(std::uint64_t, fabric::NodeId target, std::span<const std::byte> header) override {
    library_->undeliverable(target, header);
  }
  void lost(fabric::NodeId node) override { library_->lost(node); }

  fabric::Port& port_;
  const char* name_;
  Library* library_ = nullptr;
  SendLines<Transfer> lines_;
};

}  // namespace aqueduct::nic
