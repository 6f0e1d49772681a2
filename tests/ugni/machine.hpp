// A few processes with uGNI on an unruly fabric, all in one thread: who calls is said by a scope, and waiting
// makes things happen.
//
//   Machine machine{{.nodes = 2}};
//   { On on{machine, 0}; GNI_PostFma(...); }
//   machine.run();
#pragma once
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "gni_pub.h"
#include "papers/nic/ugni/fabric_device.hpp"
#include "papers/nic/ugni/process.hpp"
#include "support/nic_machine.hpp"

namespace aqueduct::test {

/// Events and registrations can be made to fail.
class TestDevice final : public SteppedDevice<ugni::FabricDevice, ugni::Limits, ugni::Activity> {
 public:
  using SteppedDevice::SteppedDevice;

  ugni::EventFault event_fault() override { return std::exchange(next_event_fault, ugni::EventFault::kNone); }
  bool registration_fails() override { return refuses_registrations; }

  ugni::EventFault next_event_fault = ugni::EventFault::kNone;
  bool refuses_registrations = false;
};

class Machine : public NicMachine<TestDevice, ugni::Process, ugni::Limits> {
 public:
  explicit Machine(UnrulyFabric::Options options, ugni::Limits limits = ugni::FabricDevice::kLimits)
      : NicMachine(options, limits) {}
};
using On = Machine::On;

/// What a test needs of one process: a domain, its queues, a window that others may reach, an endpoint to
/// everybody.
struct Side {
  static constexpr std::uint32_t kEntries = 32;
  static constexpr std::uint32_t kModes = GNI_CDM_MODE_DUAL_EVENTS | GNI_CDM_MODE_ERR_NO_KILL;

  Side(Machine& machine, ugni::NodeId node, std::uint32_t modes = kModes, std::uint32_t entries = kEntries);

  gni_post_descriptor_t post(gni_post_type_t type, const Side& target, std::size_t length,
                             std::uint16_t cq_mode = GNI_CQMODE_GLOBAL_EVENT);
  /// The next event of a queue; the test fails if there is none.
  gni_cq_entry_t event(gni_cq_handle_t queue, gni_return_t expected = GNI_RC_SUCCESS);
  /// Takes the next event of the source queue, and checks that it completes `descriptor`.
  gni_cq_entry_t completes(const gni_post_descriptor_t& descriptor,
                           std::uint16_t which = GNI_CQMODE_GLOBAL_EVENT,
                           gni_return_t expected = GNI_RC_SUCCESS);
  void expect_no_event(gni_cq_handle_t queue);

  Machine& machine;
  ugni::NodeId node;
  gni_cdm_handle_t domain{};
  gni_nic_handle_t nic{};
  gni_cq_handle_t source{}, target{};
  std::vector<std::uint64_t> window = std::vector<std::uint64_t>(1024);
  std::vector<std::uint64_t> local = std::vector<std::uint64_t>(1024);
  gni_mem_handle_t window_memory{}, local_memory{};
  std::vector<gni_ep_handle_t> to;  ///< by node

  std::uint64_t window_address(std::size_t byte = 0) const { return address(window.data()) + byte; }
  std::uint64_t local_address(std::size_t byte = 0) const { return address(local.data()) + byte; }
  static std::uint64_t address(const void* place) { return reinterpret_cast<std::uint64_t>(place); }
};

/// Two sides on a fabric that keeps to what it promises.
class UgniTest : public ::testing::Test {
 protected:
  Machine machine{{.nodes = 2}};
  Side zero{machine, 0}, one{machine, 1};
};

/// Instance ids are the node's number and this.
inline constexpr std::uint32_t kFirstInstance = 100;
inline constexpr std::uint32_t kCookie = 0x1234;

}  // namespace aqueduct::test
