// A few processes with EXTOLL on an unruly fabric (support/nic_machine.hpp), and what a test needs of each.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "papers/nic/extoll/fabric_device.hpp"
#include "papers/nic/extoll/process.hpp"
#include "support/nic_machine.hpp"
#include "velo2.h"

namespace aqueduct::test {

/// Memory for the card can be refused, and peers can be reported as gone.
class ExtollDevice final : public SteppedDevice<extoll::FabricDevice, extoll::Limits, extoll::Activity> {
 public:
  using SteppedDevice::SteppedDevice;

  bool memory_fails() override { return refuses_memory; }
  void waits_for(const char* what) override { waited_for = what; }
  void set_library(extoll::Library& library) override {
    library_ = &library;
    SteppedDevice::set_library(library);
  }
  void report_lost(fabric::NodeId node) { library_->lost(node); }

  bool refuses_memory = false;
  std::string waited_for;

 private:
  extoll::Library* library_ = nullptr;
};

class ExtollMachine : public NicMachine<ExtollDevice, extoll::Process, extoll::Limits> {
 public:
  explicit ExtollMachine(UnrulyFabric::Options options, extoll::Limits limits = extoll::FabricDevice::kLimits)
      : NicMachine(options, limits) {}
};
using OnExtoll = ExtollMachine::On;

struct Received {
  velo2_ret_t code = VELO2_RET_ERROR;
  std::string text;
  std::uint32_t source = 0;
  std::uint8_t tag = 0, mtt = 0;
};

/// A VELO port of a process, and a connection to port 0 of everybody.
struct VeloSide {
  VeloSide(ExtollMachine& machine, fabric::NodeId node) : machine(machine), node(node) {
    const OnExtoll on{machine, node};
    EXPECT_EQ(velo2_open(&port), VELO2_RET_SUCCESS);
    to.resize(machine.nodes());
    for (fabric::NodeId peer = 0; peer < machine.nodes(); ++peer)
      EXPECT_EQ(velo2_connect(&port, &to[peer], static_cast<velo2_nodeid_t>(peer), 0), VELO2_RET_SUCCESS);
  }

  velo2_ret_t send(fabric::NodeId peer, const std::string& text, std::uint8_t tag = 0, std::uint8_t mtt = 0) {
    const OnExtoll on{machine, node};
    return velo2_send(&to[peer], text.data(), static_cast<unsigned>(text.size()), tag, mtt);
  }
  /// Without waiting, after everything has happened that can.
  Received probe() {
    machine.run();
    const OnExtoll on{machine, node};
    char buffer[VELO2_MAX_MSG_SIZE];
    Received received;
    std::uint32_t length = 0;
    received.code = velo2_probe_recv(&port, buffer, sizeof buffer, &length, &received.source, &received.tag,
                                     &received.mtt);
    received.text.assign(buffer, length);
    return received;
  }
  /// In steps and without a commit.
  velo2_ret_t take_without_commit(std::string* text) {
    machine.run();
    const OnExtoll on{machine, node};
    char buffer[VELO2_MAX_MSG_SIZE];
    std::uint32_t length = 0;
    const velo2_ret_t code = velo2_check(&port, nullptr, &length, nullptr, nullptr);
    if (code != VELO2_RET_SUCCESS) return code;
    EXPECT_EQ(velo2_recv_complete(&port, buffer), VELO2_RET_SUCCESS);
    text->assign(buffer, length);
    return code;
  }
  velo2_ret_t commit() {
    const OnExtoll on{machine, node};
    return velo2_recv_commit(&port);
  }

  ExtollMachine& machine;
  fabric::NodeId node;
  velo2_port_t port{};
  std::vector<velo2_connection_t> to;
};

inline std::string text_of(std::size_t bytes, unsigned seed = 0) {
  std::string text(bytes, ' ');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('!' + (i * 7 + seed * 13) % 90);
  return text;
}

}  // namespace aqueduct::test
