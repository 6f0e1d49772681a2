// What a test of RMA needs of one process: a port, a window that others may reach, local memory, a handle to
// everybody.
#pragma once
#include "machine.hpp"
#include "rma2.h"

namespace aqueduct::test {

struct RmaSide {
  static constexpr std::size_t kBytes = 16384;

  RmaSide(ExtollMachine& machine, fabric::NodeId node) : machine(machine), node(node) {
    const OnExtoll on{machine, node};
    EXPECT_EQ(rma2_open(&port), RMA2_SUCCESS);
    EXPECT_EQ(rma2_register(port, window, kBytes, &window_region), RMA2_SUCCESS);
    EXPECT_EQ(rma2_register(port, local, kBytes, &local_region), RMA2_SUCCESS);
    EXPECT_EQ(rma2_get_nla(window_region, 0, &window_nla), RMA2_SUCCESS);
    EXPECT_EQ(rma2_get_nla(local_region, 0, &local_nla), RMA2_SUCCESS);
    to.resize(machine.nodes());
    for (fabric::NodeId peer = 0; peer < machine.nodes(); ++peer)
      EXPECT_EQ(rma2_connect(port, static_cast<RMA2_Nodeid>(peer), 0, RMA2_CONN_DEFAULT, &to[peer]),
                RMA2_SUCCESS);
  }

  /// The next notification, after everything has happened that can; freed. The test fails if there is none.
  RMA2_Notification next() {
    machine.run();
    const OnExtoll on{machine, node};
    RMA2_Notification* found = nullptr;
    RMA2_Notification copy{};
    EXPECT_EQ(rma2_noti_probe(port, &found), RMA2_SUCCESS);
    if (found == nullptr) return copy;
    EXPECT_EQ(rma2_noti_dup(found, &copy), RMA2_SUCCESS);
    EXPECT_EQ(rma2_noti_free(port, found), RMA2_SUCCESS);
    return copy;
  }
  void expect_none() {
    machine.run();
    const OnExtoll on{machine, node};
    RMA2_Notification* found = nullptr;
    EXPECT_EQ(rma2_noti_probe(port, &found), RMA2_NO_NOTI);
  }

  ExtollMachine& machine;
  fabric::NodeId node;
  RMA2_Port port{};
  alignas(64) unsigned char window[kBytes] = {};
  alignas(64) unsigned char local[kBytes] = {};
  RMA2_Region* window_region = nullptr;
  RMA2_Region* local_region = nullptr;
  RMA2_NLA window_nla = 0, local_nla = 0;
  std::vector<RMA2_Handle> to;
};

inline void expect_noti(const RMA2_Notification& noti, RMA2_Command command, unsigned unit,
                        fabric::NodeId remote, std::uint64_t nla, std::uint32_t size) {
  EXPECT_EQ(rma2_noti_get_cmd(&noti), command);
  EXPECT_EQ(rma2_noti_get_notification_type(&noti), unit);
  EXPECT_EQ(rma2_noti_get_remote_nodeid(&noti), remote);
  EXPECT_EQ(rma2_noti_get_remote_vpid(&noti), 0);
  EXPECT_EQ(rma2_noti_get_local_address(&noti), nla);
  EXPECT_EQ(rma2_noti_get_size(&noti), size);
  EXPECT_EQ(rma2_noti_get_error(&noti), 0);
  EXPECT_EQ(rma2_noti_get_mode(&noti), RMA2_NOTI_TE);
}

class Rma : public ::testing::Test {
 protected:
  ExtollMachine machine{{.nodes = 2}};
  RmaSide zero{machine, 0}, one{machine, 1};
};

}  // namespace aqueduct::test
