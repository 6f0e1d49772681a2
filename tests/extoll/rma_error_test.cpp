// Every code of RMA, protection, failures at the target, and garbage.
#include "rma_machine.hpp"

namespace aqueduct::test {
namespace {

using RmaErrors = Rma;
constexpr auto kSilent = RMA2_NO_NOTIFICATION;
constexpr auto kPlain = RMA2_CMD_DEFAULT;

TEST_F(RmaErrors, BadPortsAreRefusedByEveryCall) {
  const OnExtoll on{machine, 0};
  RMA2_Port closed;
  ASSERT_EQ(rma2_open(&closed), RMA2_SUCCESS);
  ASSERT_EQ(rma2_close(closed), RMA2_SUCCESS);
  const auto garbage = reinterpret_cast<RMA2_Port>(std::uint64_t{0xdeadbeefdeadbee8});
  const auto of_kind = reinterpret_cast<RMA2_Port>(zero.to[0]);
  for (RMA2_Port port : {RMA2_Port{nullptr}, closed, garbage, of_kind, one.port}) {
    RMA2_Handle handle;
    RMA2_Region* region;
    RMA2_Notification* found;
    RMA2_Notification noti{};
    EXPECT_EQ(rma2_close(port), RMA2_ERR_INV_PORT);
    EXPECT_EQ(rma2_get_nodeid(port), 0xffff);
    EXPECT_EQ(rma2_get_vpid(port), 0xffff);
    EXPECT_EQ(rma2_get_node_num(port), 0);
    EXPECT_EQ(rma2_connect(port, 0, 0, RMA2_CONN_DEFAULT, &handle), RMA2_ERR_INV_PORT);
    EXPECT_EQ(rma2_disconnect(port, zero.to[0]), RMA2_ERR_INV_PORT);
    EXPECT_EQ(rma2_register(port, zero.local, 8, &region), RMA2_ERR_INV_PORT);
    EXPECT_EQ(rma2_unregister(port, zero.local_region), RMA2_ERR_INV_PORT);
    EXPECT_EQ(rma2_post_put_bt(port, zero.to[1], zero.local_region, 0, 8, one.window_nla, kSilent, kPlain),
              RMA2_ERR_INV_PORT);
    EXPECT_EQ(rma2_post_lock(port, zero.to[1], 0, 0, 0, 0, kSilent, kPlain), RMA2_ERR_INV_PORT);
    EXPECT_EQ(rma2_noti_probe(port, &found), RMA2_ERR_INV_PORT);
    EXPECT_EQ(rma2_noti_get_block(port, &found), RMA2_ERR_INV_PORT);
    EXPECT_EQ(rma2_noti_free(port, &noti), RMA2_ERR_INV_PORT);
    EXPECT_EQ(rma2_get_queue_size(port), 0u);
    EXPECT_EQ(rma2_set_queue_size(port, 160), RMA2_ERR_INV_PORT);
  }
}

TEST_F(RmaErrors, BadHandlesRegionsAndPointersAreRefused) {
  const OnExtoll on{machine, 0};
  RMA2_Port second;
  RMA2_Handle of_second;
  RMA2_Region* second_region;
  ASSERT_EQ(rma2_open(&second), RMA2_SUCCESS);
  ASSERT_EQ(rma2_connect(second, 1, 0, RMA2_CONN_DEFAULT, &of_second), RMA2_SUCCESS);
  ASSERT_EQ(rma2_register(second, zero.local, 8, &second_region), RMA2_SUCCESS);
  for (RMA2_Handle handle :
       {RMA2_Handle{nullptr}, of_second, one.to[1], reinterpret_cast<RMA2_Handle>(zero.port)}) {
    EXPECT_EQ(rma2_post_put_bt(zero.port, handle, zero.local_region, 0, 8, one.window_nla, kSilent, kPlain),
              RMA2_ERR_INV_HANDLE);
    EXPECT_EQ(rma2_disconnect(zero.port, handle), RMA2_ERR_INV_HANDLE);
  }
  std::size_t size;
  RMA2_NLA nla;
  for (RMA2_Region* region : {static_cast<RMA2_Region*>(nullptr), one.local_region, second_region}) {
    EXPECT_EQ(rma2_post_put_bt(zero.port, zero.to[1], region, 0, 8, one.window_nla, kSilent, kPlain),
              RMA2_ERR_WRONG_ARG);
    EXPECT_EQ(rma2_unregister(zero.port, region), RMA2_ERR_WRONG_ARG);
    if (region == second_region) continue;
    EXPECT_EQ(rma2_get_size(region, &size), RMA2_ERR_WRONG_ARG);
    EXPECT_EQ(rma2_get_nla(region, 0, &nla), RMA2_ERR_WRONG_ARG);
  }
  EXPECT_EQ(rma2_open(nullptr), RMA2_ERR_WRONG_ARG);
  EXPECT_EQ(rma2_connect(zero.port, 1, 0, RMA2_CONN_DEFAULT, nullptr), RMA2_ERR_WRONG_ARG);
  EXPECT_EQ(rma2_register(zero.port, zero.local, 8, nullptr), RMA2_ERR_WRONG_ARG);
  EXPECT_EQ(rma2_register(zero.port, nullptr, 8, &second_region), RMA2_ERR_WRONG_ARG);
  EXPECT_EQ(rma2_noti_probe(zero.port, nullptr), RMA2_ERR_WRONG_ARG);
  EXPECT_EQ(rma2_noti_dup(nullptr, nullptr), RMA2_ERR_WRONG_ARG);
  EXPECT_EQ(rma2_noti_free(zero.port, nullptr), RMA2_ERR_WRONG_ARG);
  EXPECT_EQ(rma2_get_nla(zero.local_region, 0, nullptr), RMA2_ERR_WRONG_ARG);
}

TEST_F(RmaErrors, ValuesThatAreNoneAreRefused) {
  const OnExtoll on{machine, 0};
  RMA2_Handle handle;
  RMA2_Region* region;
  RMA2_NLA nla;
  EXPECT_EQ(rma2_connect(zero.port, 2, 0, RMA2_CONN_DEFAULT, &handle), RMA2_ERR_NO_ROUTE);
  EXPECT_EQ(rma2_connect(zero.port, 1, 252, RMA2_CONN_DEFAULT, &handle), RMA2_ERR_INV_VALUE);
  EXPECT_EQ(rma2_connect(zero.port, 1, 0, RMA2_CONN_PHYSICAL, &handle), RMA2_ERR_NOT_YET);
  EXPECT_EQ(rma2_register(zero.port, zero.local, 0, &region), RMA2_ERR_INV_VALUE);
  EXPECT_EQ(rma2_register(zero.port, zero.local, ~std::size_t{0}, &region), RMA2_ERR_INV_VALUE);
  EXPECT_EQ(rma2_get_nla(zero.local_region, RmaSide::kBytes, &nla), RMA2_ERR_INV_VALUE);
  EXPECT_EQ(rma2_set_queue_size(zero.port, 15), RMA2_ERR_INV_VALUE);
  const auto put = [&](std::uint32_t offset, std::uint32_t size, RMA2_NLA remote, unsigned noti,
                       unsigned modifier) {
    return rma2_post_put_qw(zero.port, zero.to[1], zero.local_region, offset, size, remote,
                            static_cast<RMA2_Notification_Spec>(noti),
                            static_cast<RMA2_Command_Modifier>(modifier));
  };
  EXPECT_EQ(put(0, 0, one.window_nla, 0, 0), RMA2_ERR_INV_VALUE);
  EXPECT_EQ(put(0, RMA2_MAX_SIZE + 8, one.window_nla, 0, 0), RMA2_ERR_INV_VALUE);
  EXPECT_EQ(put(4, 8, one.window_nla, 0, 0), RMA2_ERR_INV_VALUE) << "quadwords";
  EXPECT_EQ(put(0, 12, one.window_nla, 0, 0), RMA2_ERR_INV_VALUE) << "quadwords";
  EXPECT_EQ(put(0, 8, one.window_nla + 1, 0, 0), RMA2_ERR_INV_VALUE) << "quadwords";
  EXPECT_EQ(put(0, 8, one.window_nla, RMA2_RESPONDER_NOTIFICATION, 0), RMA2_ERR_INV_VALUE);
  EXPECT_EQ(put(0, 8, one.window_nla, 0, RMA2_CMD_NTR), RMA2_ERR_NOT_YET);
  EXPECT_EQ(put(RmaSide::kBytes - 8, 16, one.window_nla, 0, 0), RMA2_ERR_WRONG_ARG);
  EXPECT_EQ(
      rma2_post_put_bt_direct(zero.port, zero.to[1], zero.local_nla - 1, 8, one.window_nla, kSilent, kPlain),
      RMA2_ERR_WRONG_ARG);
  EXPECT_EQ(
      rma2_post_put_bt_direct(zero.port, zero.to[1], one.window_nla, 8, one.window_nla, kSilent, kPlain),
      RMA2_ERR_WRONG_ARG)
      << "memory of another process";
  EXPECT_EQ(rma2_post_immediate_put(zero.port, zero.to[1], 0, 0, one.window_nla, kSilent, kPlain),
            RMA2_ERR_INV_VALUE);
  EXPECT_EQ(rma2_post_immediate_put(zero.port, zero.to[1], 9, 0, one.window_nla, kSilent, kPlain),
            RMA2_ERR_INV_VALUE);
  EXPECT_EQ(rma2_post_lock(zero.port, zero.to[1], 2, 0, 0, 0, kSilent, kPlain), RMA2_ERR_INV_VALUE);
  EXPECT_EQ(rma2_post_lock(zero.port, zero.to[1], 0, RMA2_LOCKS, 0, 0, kSilent, kPlain), RMA2_ERR_INV_VALUE);
}

TEST_F(RmaErrors, WhatIsUnderWayIsNotFree) {
  const OnExtoll on{machine, 0};
  ASSERT_EQ(rma2_post_get_bt(zero.port, zero.to[1], zero.local_region, 0, 64, one.window_nla,
                             RMA2_COMPLETER_NOTIFICATION, kPlain),
            RMA2_SUCCESS);
  EXPECT_EQ(rma2_unregister(zero.port, zero.local_region), RMA2_ERR_NOT_FREE);
  EXPECT_EQ(rma2_close(zero.port), RMA2_ERR_NOT_FREE);
  machine.run();
  EXPECT_EQ(rma2_unregister(zero.port, zero.local_region), RMA2_SUCCESS);
  EXPECT_EQ(rma2_close(zero.port), RMA2_SUCCESS);
}

TEST_F(RmaErrors, ResourcesEnd) {
  ExtollMachine small{
      {.nodes = 2},
      {.message_bytes = 120, .mailbox_slots = 4, .send_credits = 4, .notifications = 4, .requests = 2}};
  RmaSide from{small, 0}, to{small, 1};
  const OnExtoll on{small, 0};
  RMA2_Port port;
  RMA2_Region* region;
  const auto post = [&] {
    return rma2_post_notification(from.port, from.to[1], 0, 0, RMA2_COMPLETER_NOTIFICATION, kPlain);
  };
  EXPECT_EQ(post(), RMA2_SUCCESS);
  EXPECT_EQ(post(), RMA2_SUCCESS);
  EXPECT_EQ(post(), RMA2_ERR_NO_DESC_MEM);
  small.run();
  EXPECT_EQ(post(), RMA2_SUCCESS);
  small.device(0).refuses_memory = true;
  EXPECT_EQ(rma2_register(from.port, from.local, 8, &region), RMA2_ERR_NO_MEM);
  EXPECT_EQ(rma2_open(&port), RMA2_ERR_NO_MEM);
  small.device(0).refuses_memory = false;
  RMA2_ERROR code;
  while ((code = rma2_open(&port)) == RMA2_SUCCESS) {
  }
  EXPECT_EQ(code, RMA2_ERR_PORTS_USED);
}

TEST_F(RmaErrors, AnNlaIsGoodForItsPortAndItsBytesAlone) {
  RMA2_NLA gone = 0, of_second = 0;
  {
    const OnExtoll on{machine, 1};
    RMA2_Region* region;
    RMA2_Port second;
    ASSERT_EQ(rma2_register(one.port, one.local, 64, &region), RMA2_SUCCESS);
    ASSERT_EQ(rma2_get_nla(region, 0, &gone), RMA2_SUCCESS);
    ASSERT_EQ(rma2_unregister(one.port, region), RMA2_SUCCESS);
    ASSERT_EQ(rma2_open(&second), RMA2_SUCCESS);
    ASSERT_EQ(rma2_register(second, one.local, 64, &region), RMA2_SUCCESS);
    ASSERT_EQ(rma2_get_nla(region, 0, &of_second), RMA2_SUCCESS);
  }
  std::memset(zero.local, 0xff, 64);
  const RMA2_NLA end = one.window_nla + RmaSide::kBytes;
  for (const RMA2_NLA nla :
       {RMA2_NLA{0}, ~RMA2_NLA{7}, gone, of_second, end - 7, one.window_nla - 1, zero.window_nla}) {
    const OnExtoll on{machine, 0};
    const auto fails = [&](RMA2_ERROR code, RMA2_Command command, unsigned unit) {
      ASSERT_EQ(code, RMA2_SUCCESS);
      const RMA2_Notification noti = zero.next();
      EXPECT_EQ(rma2_noti_get_cmd(&noti), command);
      EXPECT_EQ(rma2_noti_get_error(&noti), unit) << nla;
      EXPECT_EQ(rma2_noti_get_remote_nodeid(&noti), 1);
    };
    fails(rma2_post_put_bt(zero.port, zero.to[1], zero.local_region, 0, 8, nla, RMA2_COMPLETER_NOTIFICATION,
                           kPlain),
          RMA2_BT_PUT, RMA2_ERROR_CMPL);
    fails(rma2_post_get_bt(zero.port, zero.to[1], zero.local_region, 0, 8, nla, RMA2_COMPLETER_NOTIFICATION,
                           kPlain),
          RMA2_BT_GET, RMA2_ERROR_RESP);
    fails(rma2_post_immediate_put(zero.port, zero.to[1], 8, ~std::uint64_t{0}, nla,
                                  RMA2_COMPLETER_NOTIFICATION, kPlain),
          RMA2_IMMEDIATE_PUT, RMA2_ERROR_CMPL);
  }
  one.expect_none();
  for (const unsigned char byte : one.window) ASSERT_EQ(byte, 0);
  for (const unsigned char byte : one.local) ASSERT_EQ(byte, 0);
  for (std::size_t i = 0; i < 64; ++i) ASSERT_EQ(zero.local[i], 0xff);
}

TEST_F(RmaErrors, ACommandToNobodyFails) {
  const OnExtoll on{machine, 0};
  RMA2_Handle nobody;
  ASSERT_EQ(rma2_connect(zero.port, 1, 9, RMA2_CONN_DEFAULT, &nobody), RMA2_SUCCESS);
  ASSERT_EQ(rma2_post_lock(zero.port, nobody, 0, 0, 0, 1, RMA2_COMPLETER_NOTIFICATION, kPlain), RMA2_SUCCESS);
  RMA2_Notification noti = zero.next();
  EXPECT_EQ(rma2_noti_get_error(&noti), RMA2_ERROR_RESP);
  ASSERT_EQ(rma2_post_notification(zero.port, nobody, 0, 0, RMA2_COMPLETER_NOTIFICATION, kPlain),
            RMA2_SUCCESS);
  noti = zero.next();
  EXPECT_EQ(rma2_noti_get_error(&noti), RMA2_ERROR_CMPL);
}

TEST_F(RmaErrors, ALostCommandIsNotified) {
  ExtollMachine broken{{.nodes = 2, .break_percent = 100}};
  RmaSide from{broken, 0}, to{broken, 1};
  const OnExtoll on{broken, 0};
  ASSERT_EQ(rma2_post_get_bt(from.port, from.to[1], from.local_region, 0, 8, to.window_nla,
                             RMA2_COMPLETER_NOTIFICATION, kPlain),
            RMA2_SUCCESS);
  const RMA2_Notification noti = from.next();
  EXPECT_NE(rma2_noti_get_error(&noti), 0) << "on its way there or back";
  EXPECT_EQ(rma2_close(from.port), RMA2_SUCCESS) << "nothing is left under way";
}

TEST_F(RmaErrors, APeerThatHasDiedIsOutOfReachAndWhatItOwesFails) {
  const OnExtoll on{machine, 0};
  ASSERT_EQ(rma2_post_get_bt(zero.port, zero.to[1], zero.local_region, 0, 8, one.window_nla,
                             RMA2_COMPLETER_NOTIFICATION, kPlain),
            RMA2_SUCCESS);
  ASSERT_EQ(rma2_post_lock(zero.port, zero.to[1], 0, 3, 0, 1, RMA2_COMPLETER_NOTIFICATION, kPlain),
            RMA2_SUCCESS);
  machine.fabric().crash(1);
  machine.device(0).report_lost(1);
  for (int i = 0; i < 2; ++i) {
    const RMA2_Notification noti = zero.next();
    EXPECT_EQ(rma2_noti_get_error(&noti), RMA2_ERROR_REQ);
    EXPECT_EQ(rma2_noti_get_remote_nodeid(&noti), 1);
  }
  zero.expect_none();
  EXPECT_EQ(rma2_post_put_bt(zero.port, zero.to[1], zero.local_region, 0, 8, one.window_nla, kSilent, kPlain),
            RMA2_ERR_NO_ROUTE);
  EXPECT_EQ(rma2_post_notification(zero.port, zero.to[1], 0, 0, RMA2_COMPLETER_NOTIFICATION, kPlain),
            RMA2_ERR_NO_ROUTE);
  EXPECT_EQ(rma2_close(zero.port), RMA2_SUCCESS) << "nothing is left under way";
}

TEST_F(RmaErrors, GarbageFromTheNetworkChangesNothing) {
  Random random{11};
  for (unsigned i = 0; i < 3000; ++i) {
    extoll::WireHeader header;
    header.kind = static_cast<extoll::MessageKind>(4 + random() % 10);
    header.source_vpid = static_cast<std::uint8_t>(random() % 3);
    header.target_vpid = static_cast<std::uint8_t>(random() % 3);
    header.notification = static_cast<std::uint8_t>(random() % 10);
    header.command = static_cast<std::uint32_t>(random() % 20);
    header.status = static_cast<std::uint32_t>(random() % 10);
    header.count = static_cast<std::uint32_t>(random());
    header.bytes = static_cast<std::uint32_t>(random() % 300);
    header.address = random() % 2 == 0 ? random() : one.window_nla + RmaSide::kBytes + random() % 5000;
    header.request = random() % 3 == 0 ? random() : random() % 4;
    if (random() % 4 != 0) header.seal();
    const std::size_t bytes = random() % 3 == 0 ? random() % 300 : header.payload_bytes();
    machine.fabric().forge(0, 1, header.as_bytes(), bytes);
  }
  machine.run();
  for (const unsigned char byte : one.window) ASSERT_EQ(byte, 0);
  const OnExtoll on{machine, 0};
  RMA2_Notification* found = nullptr;
  while (rma2_noti_probe(zero.port, &found) == RMA2_SUCCESS)
    EXPECT_EQ(rma2_noti_free(zero.port, found), RMA2_SUCCESS);
  ASSERT_EQ(rma2_post_put_bt(zero.port, zero.to[1], zero.local_region, 0, 8, one.window_nla,
                             RMA2_REQUESTER_NOTIFICATION, kPlain),
            RMA2_SUCCESS);
  expect_noti(zero.next(), RMA2_BT_PUT, RMA2_REQUESTER_NOTIFICATION, 1, zero.local_nla, 8);
}

TEST_F(RmaErrors, CodesHaveTexts) {
  EXPECT_STREQ(rma2_strerror(RMA2_SUCCESS), "success");
  EXPECT_STREQ(rma2_strerror(RMA2_ERR_NOT_FREE), "still in use");
  EXPECT_STREQ(rma2_strerror(static_cast<RMA2_ERROR>(15)), "unknown");
}

}  // namespace
}  // namespace aqueduct::test
