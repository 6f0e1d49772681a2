// What RMA does: puts, gets, immediate and notification puts, locks, and who is notified.
#include <limits>

#include "rma_machine.hpp"

namespace aqueduct::test {
namespace {

TEST_F(Rma, PutsOfAllSizesArriveAndBothSidesAreNotified) {
  for (const std::uint32_t size : {1u, 7u, 8u, 56u, 1000u, 4096u, 5000u, 16384u}) {
    for (std::uint32_t i = 0; i < size; ++i) zero.local[i] = static_cast<unsigned char>(i * 7 + size);
    {
      const OnExtoll on{machine, 0};
      ASSERT_EQ(rma2_post_put_bt(zero.port, zero.to[1], zero.local_region, 0, size, one.window_nla,
                                 RMA2_REQCOMPL_NOTIFICATION, RMA2_CMD_DEFAULT),
                RMA2_SUCCESS);
    }
    expect_noti(zero.next(), RMA2_BT_PUT, RMA2_REQUESTER_NOTIFICATION, 1, zero.local_nla, size);
    expect_noti(one.next(), RMA2_BT_PUT, RMA2_COMPLETER_NOTIFICATION, 0, one.window_nla, size);
    EXPECT_EQ(std::memcmp(zero.local, one.window, size), 0);
  }
  zero.expect_none();
  one.expect_none();
}

TEST_F(Rma, GetsBringWhatIsThereAndAllUnitsNotify) {
  for (std::size_t i = 0; i < RmaSide::kBytes; ++i) one.window[i] = static_cast<unsigned char>(i * 3 + 1);
  const OnExtoll on{machine, 0};
  ASSERT_EQ(rma2_post_get_bt(zero.port, zero.to[1], zero.local_region, 5, 999, one.window_nla + 3,
                             RMA2_ALL_NOTIFICATIONS, RMA2_CMD_DEFAULT),
            RMA2_SUCCESS);
  expect_noti(zero.next(), RMA2_BT_GET, RMA2_REQUESTER_NOTIFICATION, 1, zero.local_nla + 5, 999);
  expect_noti(zero.next(), RMA2_GET_BT_RSP, RMA2_COMPLETER_NOTIFICATION, 1, zero.local_nla + 5, 999);
  expect_noti(one.next(), RMA2_BT_GET, RMA2_RESPONDER_NOTIFICATION, 0, one.window_nla + 3, 999);
  EXPECT_EQ(std::memcmp(zero.local + 5, one.window + 3, 999), 0);
  ASSERT_EQ(rma2_post_get_qw_direct(zero.port, zero.to[1], zero.local_nla + 4096, 64, one.window_nla + 8,
                                    RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT),
            RMA2_SUCCESS);
  expect_noti(zero.next(), RMA2_GET_QW_RSP, RMA2_COMPLETER_NOTIFICATION, 1, zero.local_nla + 4096, 64);
  EXPECT_EQ(std::memcmp(zero.local + 4096, one.window + 8, 64), 0);
}

TEST_F(Rma, SilentCommandsNotifyNobody) {
  const OnExtoll on{machine, 0};
  zero.local[0] = 42;
  ASSERT_EQ(rma2_post_put_qw_direct(zero.port, zero.to[1], zero.local_nla, 8, one.window_nla,
                                    RMA2_NO_NOTIFICATION, RMA2_CMD_DEFAULT),
            RMA2_SUCCESS);
  zero.expect_none();
  one.expect_none();
  EXPECT_EQ(one.window[0], 42);
}

TEST_F(Rma, AnImmediatePutWritesTheLowerBytes) {
  const OnExtoll on{machine, 0};
  std::memset(one.window, 0xee, 16);
  ASSERT_EQ(rma2_post_immediate_put(zero.port, zero.to[1], 3, 0x0807060504030201, one.window_nla + 1,
                                    RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT),
            RMA2_SUCCESS);
  expect_noti(one.next(), RMA2_IMMEDIATE_PUT, RMA2_COMPLETER_NOTIFICATION, 0, one.window_nla + 1, 3);
  const unsigned char expected[] = {0xee, 1, 2, 3, 0xee};
  EXPECT_EQ(std::memcmp(one.window, expected, sizeof expected), 0);
}

TEST_F(Rma, ANotificationPutCarriesClassAndValue) {
  const OnExtoll on{machine, 0};
  ASSERT_EQ(rma2_post_notification(zero.port, zero.to[1], 200, 0x1122334455667788, RMA2_REQCOMPL_NOTIFICATION,
                                   RMA2_CMD_DEFAULT),
            RMA2_SUCCESS);
  for (RmaSide* side : {&zero, &one}) {
    const RMA2_Notification noti = side->next();
    EXPECT_EQ(rma2_noti_get_cmd(&noti), RMA2_NOTIFICATION_PUT);
    EXPECT_EQ(rma2_noti_get_notiput_class(&noti), 200);
    EXPECT_EQ(rma2_noti_get_notiput_payload(&noti), 0x1122334455667788u);
  }
}

TEST_F(Rma, ALockIsFetchedComparedAndAddedTo) {
  const OnExtoll on{machine, 0};
  const auto lock = [&](std::uint32_t unit, std::uint32_t number, std::int32_t compare, std::int32_t add) {
    EXPECT_EQ(rma2_post_lock(zero.port, zero.to[1], unit, number, compare, add, RMA2_COMPLETER_NOTIFICATION,
                             RMA2_CMD_DEFAULT),
              RMA2_SUCCESS);
    const RMA2_Notification noti = zero.next();
    EXPECT_EQ(rma2_noti_get_cmd(&noti), RMA2_LOCK_RSP);
    EXPECT_EQ(rma2_noti_get_lock_number(&noti), number);
    return std::pair{rma2_noti_get_lock_result(&noti) != 0,
                     static_cast<std::int32_t>(rma2_noti_get_lock_value(&noti))};
  };
  EXPECT_EQ(lock(0, 7, 0, 1), std::pair(true, 1)) << "taken";
  EXPECT_EQ(lock(0, 7, 0, 1), std::pair(false, 1)) << "held by somebody";
  EXPECT_EQ(lock(0, 7, 1, -1), std::pair(true, 0)) << "released";
  EXPECT_EQ(lock(0, 7, std::numeric_limits<std::int32_t>::max(), 5), std::pair(true, 5)) << "fetch and add";
  EXPECT_EQ(lock(1, 7, 0, 1), std::pair(true, 1)) << "of the other unit";
  EXPECT_EQ(lock(0, RMA2_LOCKS - 1, -1, 1), std::pair(false, 0));
}

TEST_F(Rma, LocksNotifyAllUnits) {
  const OnExtoll on{machine, 0};
  ASSERT_EQ(rma2_post_lock(zero.port, zero.to[1], 0, 3, 0, 4, RMA2_ALL_NOTIFICATIONS, RMA2_CMD_DEFAULT),
            RMA2_SUCCESS);
  const RMA2_Notification requester = zero.next(), completer = zero.next(), responder = one.next();
  EXPECT_EQ(rma2_noti_get_notification_type(&requester), RMA2_REQUESTER_NOTIFICATION);
  EXPECT_EQ(rma2_noti_get_lock_result(&requester), 0);
  EXPECT_EQ(rma2_noti_get_lock_number(&requester), 3u);
  EXPECT_EQ(rma2_noti_get_notification_type(&completer), RMA2_COMPLETER_NOTIFICATION);
  EXPECT_EQ(rma2_noti_get_lock_value(&completer), 4u);
  EXPECT_EQ(rma2_noti_get_cmd(&responder), RMA2_LOCK_REQ);
  EXPECT_EQ(rma2_noti_get_lock_value(&responder), 4u);
}

TEST_F(Rma, MatchingFindsTheFirstThatFitsAndLeavesTheOthersInOrder) {
  {
    const OnExtoll on{machine, 0};
    const auto silent = RMA2_COMPLETER_NOTIFICATION;
    ASSERT_EQ(rma2_post_notification(zero.port, zero.to[1], 1, 11, silent, RMA2_CMD_DEFAULT), RMA2_SUCCESS);
    ASSERT_EQ(rma2_post_put_bt(zero.port, zero.to[1], zero.local_region, 0, 100, one.window_nla + 50, silent,
                               RMA2_CMD_DEFAULT),
              RMA2_SUCCESS);
    ASSERT_EQ(rma2_post_notification(zero.port, zero.to[1], 2, 22, silent, RMA2_CMD_DEFAULT), RMA2_SUCCESS);
    machine.run();
  }
  const OnExtoll on{machine, 1};
  RMA2_Notification* found = nullptr;
  const auto match = [&](RMA2_Command command, RMA2_Nodeid node, unsigned unit, RMA2_NLA nla, int flags) {
    const RMA2_ERROR code = rma2_noti_match(one.port, command, node, RMA2_VPID_ANY,
                                            static_cast<RMA2_Notification_Spec>(unit), nla, flags, &found);
    return code;
  };
  EXPECT_EQ(match(RMA2_GETS, RMA2_NODEID_ANY, 7, RMA2_ANY_NLA, 0), RMA2_NO_NOTI);
  EXPECT_EQ(match(RMA2_PUTS, 1, 7, RMA2_ANY_NLA, 0), RMA2_NO_NOTI);
  EXPECT_EQ(match(RMA2_PUTS, 0, RMA2_REQUESTER_NOTIFICATION, RMA2_ANY_NLA, 0), RMA2_NO_NOTI);
  EXPECT_EQ(match(RMA2_PUTS, 0, 7, one.window_nla + 51, 0), RMA2_NO_NOTI);
  EXPECT_EQ(rma2_noti_noti_match(one.port, 9, RMA2_NODEID_ANY, RMA2_VPID_ANY, &found), RMA2_NO_NOTI);
  EXPECT_EQ(rma2_noti_lock_match(one.port, RMA2_LOCK_ANY, RMA2_NODEID_ANY, RMA2_VPID_ANY, &found),
            RMA2_NO_NOTI);
  ASSERT_EQ(rma2_noti_noti_match_block(one.port, 2, 0, 0, &found), RMA2_SUCCESS);
  EXPECT_EQ(rma2_noti_get_notiput_payload(found), 22u);
  EXPECT_EQ(rma2_noti_free(one.port, found), RMA2_SUCCESS);
  ASSERT_EQ(match(RMA2_PUTS, 0, 7, one.window_nla + 149, RMA2_MATCH_LAST_NLA_FLAG | RMA2_BLOCK_FLAG),
            RMA2_SUCCESS);
  expect_noti(*found, RMA2_BT_PUT, RMA2_COMPLETER_NOTIFICATION, 0, one.window_nla + 50, 100);
  EXPECT_EQ(rma2_noti_free(one.port, found), RMA2_SUCCESS);
  ASSERT_EQ(rma2_noti_get_block(one.port, &found), RMA2_SUCCESS);
  EXPECT_EQ(rma2_noti_get_notiput_payload(found), 11u);
  EXPECT_EQ(rma2_noti_free(one.port, found), RMA2_SUCCESS);
  EXPECT_EQ(rma2_noti_free(one.port, found), RMA2_ERR_WRONG_ARG) << "free already";
}

TEST_F(Rma, NotificationsThatFindNoRoomWait) {
  {
    const OnExtoll on{machine, 1};
    EXPECT_EQ(rma2_set_queue_size(one.port, 32), RMA2_SUCCESS);
    EXPECT_EQ(rma2_get_queue_size(one.port), 32u);
  }
  for (std::uint64_t i = 0; i < 10; ++i) {
    const OnExtoll on{machine, 0};
    ASSERT_EQ(
        rma2_post_notification(zero.port, zero.to[1], 0, i, RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT),
        RMA2_SUCCESS);
  }
  for (std::uint64_t i = 0; i < 10; ++i) {
    const RMA2_Notification noti = one.next();
    EXPECT_EQ(rma2_noti_get_notiput_payload(&noti), i);
  }
  one.expect_none();
}

constexpr extoll::Limits kFew{
    .message_bytes = 120, .mailbox_slots = 4, .send_credits = 4, .notifications = 2, .requests = 8};

TEST(RmaQueues, OneThatIsFullAtTheTargetPushesBackAndLosesNothing) {
  ExtollMachine machine{{.nodes = 3}, kFew};
  RmaSide zero{machine, 0}, one{machine, 1}, two{machine, 2};
  const auto post = [&](RmaSide& from, RmaSide& to, std::uint64_t value) {
    const OnExtoll on{machine, from.node};
    const RMA2_ERROR code = rma2_post_notification(from.port, from.to[to.node], 0, value,
                                                   RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT);
    machine.run();
    return code;
  };
  std::uint64_t posted = 0;
  while (post(zero, one, posted) == RMA2_SUCCESS) ASSERT_LT(++posted, 100u);
  EXPECT_EQ(posted, kFew.notifications + kFew.send_credits);
  EXPECT_EQ(post(zero, two, 0), RMA2_SUCCESS) << "who posts elsewhere is not held up";
  EXPECT_EQ(post(two, one, 100), RMA2_SUCCESS) << "nor somebody else";
  const OnExtoll on{machine, 0};
  EXPECT_EQ(rma2_post_notification(zero.port, zero.to[1], 0, 0, RMA2_NO_NOTIFICATION, RMA2_CMD_DEFAULT),
            RMA2_SUCCESS)
      << "what notifies nobody needs no room";
  for (std::uint64_t i = 0; i < posted; ++i) {
    const RMA2_Notification noti = one.next();
    EXPECT_EQ(rma2_noti_get_notiput_payload(&noti), i);
  }
  const RMA2_Notification last = one.next();
  EXPECT_EQ(rma2_noti_get_notiput_payload(&last), 100u);
  one.expect_none();
  EXPECT_EQ(post(zero, one, 7), RMA2_SUCCESS) << "there is room again";
}

TEST(RmaQueues, OneThatIsFullAtHomePushesBack) {
  ExtollMachine machine{{.nodes = 2}, kFew};
  RmaSide zero{machine, 0}, one{machine, 1};
  std::uint32_t posted = 0;
  for (RMA2_ERROR code = RMA2_SUCCESS; code == RMA2_SUCCESS; ++posted) {
    ASSERT_LT(posted, 100u);
    const OnExtoll on{machine, 0};
    code = rma2_post_get_bt(zero.port, zero.to[1], zero.local_region, posted * 8, 8, one.window_nla,
                            RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT);
    machine.run();
    EXPECT_TRUE(code == RMA2_SUCCESS || code == RMA2_ERR_NO_DESC_MEM);
  }
  EXPECT_EQ(posted - 1, kFew.notifications + kFew.requests);
  for (std::uint32_t i = 0; i < posted - 1; ++i)
    expect_noti(zero.next(), RMA2_GET_BT_RSP, RMA2_COMPLETER_NOTIFICATION, 1, zero.local_nla + i * 8, 8);
  zero.expect_none();
}

TEST(RmaQueues, APortThatClosesHoldsNobodyUp) {
  ExtollMachine machine{{.nodes = 2}, kFew};
  RmaSide zero{machine, 0}, one{machine, 1};
  const auto post = [&] {
    const OnExtoll on{machine, 0};
    const RMA2_ERROR code =
        rma2_post_notification(zero.port, zero.to[1], 0, 0, RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT);
    machine.run();
    return code;
  };
  while (post() == RMA2_SUCCESS) {
  }
  {
    const OnExtoll on{machine, 1};
    EXPECT_EQ(rma2_close(one.port), RMA2_SUCCESS);
  }
  machine.run();
  ASSERT_EQ(post(), RMA2_SUCCESS);
  const RMA2_Notification noti = zero.next();
  EXPECT_EQ(rma2_noti_get_error(&noti), RMA2_ERROR_CMPL);
}

TEST_F(Rma, NlasFollowPages) {
  const OnExtoll on{machine, 0};
  RMA2_Region* region = nullptr;
  RMA2_NLA first = 0, last = 0;
  ASSERT_EQ(rma2_register(zero.port, zero.window + 100, 5000, &region), RMA2_SUCCESS);
  EXPECT_EQ(rma2_get_nla(region, 0, &first), RMA2_SUCCESS);
  EXPECT_EQ(rma2_get_nla(region, 4999, &last), RMA2_SUCCESS);
  EXPECT_EQ(last - first, 4999u);
  EXPECT_EQ(first % RMA2_PAGE_SIZE, reinterpret_cast<std::uint64_t>(zero.window + 100) % RMA2_PAGE_SIZE);
  std::size_t size = 0, pages = 0;
  void* address = nullptr;
  EXPECT_EQ(rma2_get_size(region, &size), RMA2_SUCCESS);
  EXPECT_EQ(size, 5000u);
  EXPECT_EQ(rma2_get_va(region, 10, &address), RMA2_SUCCESS);
  EXPECT_EQ(address, zero.window + 110);
  EXPECT_EQ(rma2_get_page_count(region, &pages), RMA2_SUCCESS);
  EXPECT_EQ(pages, (first % RMA2_PAGE_SIZE + 5000 + 4095) / 4096);
  EXPECT_EQ(rma2_unregister(zero.port, region), RMA2_SUCCESS);
}

/// Random commands over fabrics that do what they like: every byte, sum and notification.
TEST(RmaTraffic, EverythingArrivesOnceWhateverTheFabricDoes) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    ExtollMachine machine{{.nodes = 2,
                           .seed = seed,
                           .inline_bytes = seed % 3 * 40,
                           .retry_percent = static_cast<unsigned>(seed % 4 * 20),
                           .in_order = false},
                          {.message_bytes = 120,
                           .mailbox_slots = 4,
                           .send_credits = 4,
                           .notifications = 1 + static_cast<std::uint32_t>(seed % 5),
                           .requests = 1 + static_cast<std::uint32_t>(seed % 6)}};
    RmaSide zero{machine, 0}, one{machine, 1};
    Random random{seed};
    for (std::size_t i = 0; i < RmaSide::kBytes; ++i) {
      zero.local[i] = static_cast<unsigned char>(random());
      one.local[i] = static_cast<unsigned char>(random());
    }
    unsigned puts = 0, gets = 0, locks = 0, notified_puts = 0, notified_gets = 0;
    std::int32_t sum = 0;
    std::vector<unsigned char> window(RmaSide::kBytes), brought(RmaSide::kBytes);
    const OnExtoll on{machine, 0};
    RMA2_NLA other = 0;
    {
      const OnExtoll peer{machine, 1};
      ASSERT_EQ(rma2_get_nla(one.local_region, 0, &other), RMA2_SUCCESS);
    }
    std::int32_t highest = 0;
    const auto take_all = [&] {
      RMA2_Notification* found = nullptr;
      while (rma2_noti_probe(zero.port, &found) == RMA2_SUCCESS) {
        EXPECT_EQ(rma2_noti_get_error(found), 0);
        if (rma2_noti_get_cmd(found) == RMA2_LOCK_RSP) {
          highest = std::max(highest, static_cast<std::int32_t>(rma2_noti_get_lock_value(found)));
          --locks;
        } else {
          ++notified_gets;
        }
        EXPECT_EQ(rma2_noti_free(zero.port, found), RMA2_SUCCESS);
      }
      const OnExtoll peer{machine, 1};
      while (rma2_noti_probe(one.port, &found) == RMA2_SUCCESS) {
        ++notified_puts;
        EXPECT_EQ(rma2_noti_free(one.port, found), RMA2_SUCCESS);
      }
    };
    // Queues that nobody looks at push back.
    const auto post = [&](auto function) {
      RMA2_ERROR code;
      for (unsigned tries = 0; (code = function()) == RMA2_ERR_NO_DESC_MEM; ++tries) {
        machine.fabric().step();
        machine.device(1).progress();
        if (tries > 20) take_all();
      }
      ASSERT_EQ(code, RMA2_SUCCESS);
    };
    // Each piece of 64 bytes is put once, or got once.
    for (std::uint32_t piece = 0; piece < 64; ++piece) {
      const std::uint32_t at = piece * 64, size = 1 + static_cast<std::uint32_t>(random() % 64);
      switch (random() % 3) {
        case 0:
          post([&] {
            return rma2_post_put_bt(zero.port, zero.to[1], zero.local_region, at, size, one.window_nla + at,
                                    RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT);
          });
          std::memcpy(window.data() + at, zero.local + at, size);
          ++puts;
          break;
        case 1:
          post([&] {
            return rma2_post_get_bt(zero.port, zero.to[1], zero.window_region, at, size, other + at,
                                    RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT);
          });
          std::memcpy(brought.data() + at, one.local + at, size);
          ++gets;
          break;
        default:
          post([&] {
            return rma2_post_lock(zero.port, zero.to[1], 0, 1, std::numeric_limits<std::int32_t>::max(),
                                  static_cast<std::int32_t>(piece), RMA2_COMPLETER_NOTIFICATION,
                                  RMA2_CMD_DEFAULT);
          });
          sum += static_cast<std::int32_t>(piece);
          ++locks;
      }
      machine.fabric().step();
    }
    // What found no room waits for the next look, which may find none again.
    for (unsigned looks = 0; looks < 100; ++looks) machine.run();
    take_all();
    const OnExtoll peer{machine, 1};
    EXPECT_EQ(notified_puts, puts) << seed;
    EXPECT_EQ(notified_gets, gets) << seed;
    EXPECT_EQ(locks, 0u) << seed;
    EXPECT_EQ(highest, sum) << seed;
    EXPECT_EQ(std::memcmp(window.data(), one.window, window.size()), 0) << seed;
    EXPECT_EQ(std::memcmp(brought.data(), zero.window, brought.size()), 0) << seed;
    EXPECT_EQ(rma2_close(one.port), RMA2_SUCCESS);
    const OnExtoll back{machine, 0};
    EXPECT_EQ(rma2_close(zero.port), RMA2_SUCCESS);
  }
}

}  // namespace
}  // namespace aqueduct::test
