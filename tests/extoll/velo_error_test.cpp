// Every return code of VELO, and garbage.
#include "machine.hpp"

namespace aqueduct::test {
namespace {

class VeloErrors : public ::testing::Test {
 protected:
  ExtollMachine machine{{.nodes = 2}};
  VeloSide zero{machine, 0}, one{machine, 1};
};

TEST_F(VeloErrors, BadPortsAndConnectionsAreRefusedByEveryCall) {
  const OnExtoll on{machine, 0};
  velo2_port_t closed;
  ASSERT_EQ(velo2_open(&closed), VELO2_RET_SUCCESS);
  velo2_connection_t dead;
  ASSERT_EQ(velo2_connect(&closed, &dead, 1, 0), VELO2_RET_SUCCESS);
  ASSERT_EQ(velo2_close(&closed), VELO2_RET_SUCCESS);
  velo2_port_t zeros{}, garbage{0xdeadbeefdeadbeef}, another = one.port, of_kind{zero.to[0].handle};
  char buffer[VELO2_MAX_MSG_SIZE];
  for (velo2_port_t* port :
       {static_cast<velo2_port_t*>(nullptr), &closed, &zeros, &garbage, &another, &of_kind}) {
    velo2_connection_t connection;
    EXPECT_EQ(velo2_close(port), VELO2_RET_ERROR);
    EXPECT_EQ(velo2_get_nodeid(port), 0xffff);
    EXPECT_EQ(velo2_get_vpid(port), 0xffff);
    EXPECT_EQ(velo2_connect(port, &connection, 1, 0), VELO2_RET_ERROR);
    EXPECT_EQ(velo2_disconnect(port, &zero.to[0]), VELO2_RET_ERROR);
    EXPECT_EQ(velo2_recv(port, buffer, sizeof buffer, nullptr, nullptr, nullptr, 0), VELO2_RET_ERROR);
    EXPECT_EQ(velo2_probe_recv(port, buffer, sizeof buffer, nullptr, nullptr, nullptr, nullptr),
              VELO2_RET_ERROR);
    EXPECT_EQ(velo2_check(port, nullptr, nullptr, nullptr, nullptr), VELO2_RET_ERROR);
    EXPECT_EQ(velo2_wait(port), VELO2_RET_ERROR);
    EXPECT_EQ(velo2_recv_complete(port, buffer), VELO2_RET_ERROR);
    EXPECT_EQ(velo2_recv_commit(port), VELO2_RET_ERROR);
  }
  velo2_connection_t nothing{}, nonsense{~std::uint64_t{0}}, others = one.to[0], port_bits{zero.port.handle};
  for (velo2_connection_t* connection :
       {static_cast<velo2_connection_t*>(nullptr), &dead, &nothing, &nonsense, &others, &port_bits}) {
    EXPECT_EQ(velo2_send(connection, "x", 1, 0, 0), VELO2_RET_ERROR);
    EXPECT_EQ(velo2_wait_send(connection), VELO2_RET_ERROR);
    EXPECT_EQ(velo2_disconnect(&zero.port, connection), VELO2_RET_ERROR);
  }
}

TEST_F(VeloErrors, NullPointersAreRefused) {
  const OnExtoll on{machine, 0};
  EXPECT_EQ(velo2_open(nullptr), VELO2_RET_ERROR);
  EXPECT_EQ(velo2_connect(&zero.port, nullptr, 1, 0), VELO2_RET_ERROR);
  EXPECT_EQ(velo2_send(&zero.to[1], nullptr, 1, 0, 0), VELO2_RET_ERROR);
  EXPECT_EQ(velo2_send(&zero.to[1], nullptr, 0, 0, 0), VELO2_RET_SUCCESS);
  EXPECT_EQ(velo2_recv(&zero.port, nullptr, 1, nullptr, nullptr, nullptr, 0), VELO2_RET_ERROR);
  EXPECT_EQ(velo2_probe_recv(&zero.port, nullptr, 1, nullptr, nullptr, nullptr, nullptr), VELO2_RET_ERROR);
  EXPECT_EQ(velo2_recv_complete(&zero.port, nullptr), VELO2_RET_ERROR);
}

TEST_F(VeloErrors, AddressesOutsideOfTheJobAreRefused) {
  const OnExtoll on{machine, 0};
  velo2_connection_t connection;
  EXPECT_EQ(velo2_connect(&zero.port, &connection, 2, 0), VELO2_RET_INVALID_NODE);
  EXPECT_EQ(velo2_connect(&zero.port, &connection, 0xffff, 0), VELO2_RET_INVALID_NODE);
  EXPECT_EQ(velo2_connect(&zero.port, &connection, 1, VELO2_MAX_VPID), VELO2_RET_SUCCESS);
  EXPECT_EQ(velo2_connect(&zero.port, &connection, 1, VELO2_MAX_VPID + 1), VELO2_RET_INVALID_MBOX);
  EXPECT_EQ(velo2_connect(&zero.port, &connection, 1, 0xffff), VELO2_RET_INVALID_MBOX);
}

TEST_F(VeloErrors, TypesAndLengthsThatAreNoneAreRefused) {
  EXPECT_EQ(zero.send(1, "x", 0, 4), VELO2_RET_INV_MTT);
  EXPECT_EQ(zero.send(1, "x", 0, 255), VELO2_RET_INV_MTT);
  EXPECT_EQ(zero.send(1, text_of(VELO2_MAX_MSG_SIZE + 1)), VELO2_RET_INV_MSG);
  ExtollMachine first{{.nodes = 1}, {.message_bytes = 64, .mailbox_slots = 4, .send_credits = 4}};
  VeloSide side{first, 0};
  EXPECT_EQ(side.send(0, text_of(64)), VELO2_RET_SUCCESS);
  EXPECT_EQ(side.send(0, text_of(65)), VELO2_RET_INV_MSG) << "the first generation carries 64 bytes";
  const OnExtoll on{machine, 0};
  char buffer[8];
  EXPECT_EQ(velo2_recv(&zero.port, buffer, 8, nullptr, nullptr, nullptr, 4), VELO2_RET_INV_MTT);
}

TEST_F(VeloErrors, AMessageThatDoesNotFitOrMatchStays) {
  ASSERT_EQ(zero.send(1, text_of(30), 9, 2), VELO2_RET_SUCCESS);
  machine.run();
  const OnExtoll on{machine, 1};
  char buffer[40];
  std::uint32_t length = 0;
  EXPECT_EQ(velo2_recv(&one.port, buffer, sizeof buffer, nullptr, nullptr, nullptr, 1), VELO2_RET_NO_MATCH);
  EXPECT_EQ(velo2_recv(&one.port, buffer, 29, &length, nullptr, nullptr, 2), VELO2_RET_INV_MSG);
  EXPECT_EQ(length, 30u);
  length = 0;
  EXPECT_EQ(velo2_probe_recv(&one.port, buffer, 29, &length, nullptr, nullptr, nullptr), VELO2_RET_INV_MSG);
  EXPECT_EQ(length, 30u);
  EXPECT_EQ(velo2_recv(&one.port, buffer, 30, nullptr, nullptr, nullptr, VELO2_MTT_ANY), VELO2_RET_SUCCESS);
  EXPECT_EQ(std::string(buffer, 30), text_of(30));
  EXPECT_EQ(velo2_probe_recv(&one.port, buffer, 30, nullptr, nullptr, nullptr, nullptr), VELO2_RET_NO_MSG);
  EXPECT_EQ(velo2_recv_complete(&one.port, buffer), VELO2_RET_NO_MSG);
}

TEST_F(VeloErrors, WithoutMemoryOrPortsNothingIsOpened) {
  const OnExtoll on{machine, 0};
  velo2_port_t port;
  machine.device(0).refuses_memory = true;
  EXPECT_EQ(velo2_open(&port), VELO2_RET_ERR_MMAP);
  machine.device(0).refuses_memory = false;
  unsigned opened = 1;
  velo2_ret_t code;
  while ((code = velo2_open(&port)) == VELO2_RET_SUCCESS) {
    EXPECT_LE(velo2_get_vpid(&port), VELO2_MAX_VPID);
    ++opened;
  }
  EXPECT_EQ(code, VELO2_RET_ERROR);
  EXPECT_EQ(opened, 240u);
}

TEST_F(VeloErrors, AMessageToNobodyIsToldOnce) {
  const OnExtoll on{machine, 0};
  velo2_connection_t nobody;
  ASSERT_EQ(velo2_connect(&zero.port, &nobody, 1, 7), VELO2_RET_SUCCESS);
  EXPECT_EQ(velo2_send(&nobody, "x", 1, 0, 0), VELO2_RET_SUCCESS);
  machine.run();
  EXPECT_EQ(velo2_wait_send(&nobody), VELO2_RET_SUCCESS);
  EXPECT_EQ(velo2_send(&nobody, "x", 1, 0, 0), VELO2_RET_INVALID_MBOX);
  EXPECT_EQ(velo2_send(&nobody, "x", 1, 0, 0), VELO2_RET_SUCCESS);
}

TEST_F(VeloErrors, ALostMessageIsToldOnce) {
  ExtollMachine broken{{.nodes = 2, .break_percent = 100}};
  VeloSide side{broken, 0}, other{broken, 1};
  EXPECT_EQ(side.send(1, "x"), VELO2_RET_SUCCESS);
  broken.run();
  EXPECT_EQ(side.send(1, "x"), VELO2_RET_ERROR);
  EXPECT_EQ(side.send(1, "x"), VELO2_RET_SUCCESS);
  EXPECT_EQ(other.probe().code, VELO2_RET_NO_MSG);
}

TEST_F(VeloErrors, APeerThatHasDiedIsAnErrorFromEverySend) {
  ExtollMachine three{{.nodes = 3}};
  VeloSide side{three, 0}, dead{three, 1}, other{three, 2};
  three.fabric().crash(1);
  three.device(0).report_lost(1);
  {
    const OnExtoll on{three, 0};
    EXPECT_EQ(velo2_wait_send(&side.to[1]), VELO2_RET_SUCCESS) << "there is something to tell";
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(side.send(1, "x"), VELO2_RET_ERROR);
  EXPECT_EQ(side.send(2, "x"), VELO2_RET_SUCCESS);
  EXPECT_EQ(other.probe().text, "x");
}

TEST_F(VeloErrors, ASenderThatWaitsForACreditIsWokenWhenThePeerDies) {
  ExtollMachine two{
      {.nodes = 2},
      {.message_bytes = 120, .mailbox_slots = 1, .send_credits = 1, .notifications = 1, .requests = 1}};
  VeloSide side{two, 0}, dead{two, 1};
  while (side.send(1, "x") == VELO2_RET_SUCCESS) two.run();
  two.fabric().crash(1);
  two.device(0).report_lost(1);
  const OnExtoll on{two, 0};
  EXPECT_EQ(velo2_wait_send(&side.to[1]), VELO2_RET_SUCCESS);
  EXPECT_EQ(velo2_send(&side.to[1], "x", 1, 0, 0), VELO2_RET_ERROR);
}

TEST_F(VeloErrors, GarbageFromTheNetworkIsDropped) {
  Random random{7};
  for (unsigned i = 0; i < 3000; ++i) {
    extoll::WireHeader header;
    header.kind = static_cast<extoll::MessageKind>(1 + random() % 4);
    header.source_vpid = static_cast<std::uint8_t>(random());
    header.target_vpid = static_cast<std::uint8_t>(random() % 3);
    header.mtt = static_cast<std::uint8_t>(random() % 6);
    header.generation = static_cast<std::uint32_t>(random() % 3);
    header.count = static_cast<std::uint32_t>(random());
    header.bytes = static_cast<std::uint32_t>(random() % 200);
    // Most have a right check value, so that what is behind it is reached.
    if (random() % 4 != 0) header.seal();
    const std::size_t bytes = random() % 3 == 0 ? random() % 300 : header.payload_bytes();
    std::span<const std::byte> sent = header.as_bytes();
    if (random() % 5 == 0) sent = sent.first(random() % sent.size());
    machine.fabric().forge(0, 1, sent, bytes);
    if (i % 50 == 0) {
      while (one.probe().code == VELO2_RET_SUCCESS) {
      }
    }
  }
  while (one.probe().code == VELO2_RET_SUCCESS) {
  }
  ASSERT_EQ(zero.send(1, "still here"), VELO2_RET_SUCCESS);
  EXPECT_EQ(one.probe().text, "still here");
}

TEST_F(VeloErrors, EveryCodeHasAText) {
  for (int code = VELO2_RET_SUCCESS; code <= VELO2_RET_INV_MSG; ++code)
    EXPECT_STRNE(velo2_strerror(static_cast<velo2_ret_t>(code)), "unknown");
  EXPECT_STREQ(velo2_strerror(static_cast<velo2_ret_t>(15)), "unknown");
}

TEST(VeloWithoutProcess, CallsAreRefused) {
  velo2_port_t port{};
  velo2_connection_t connection{};
  EXPECT_EQ(velo2_close(&port), VELO2_RET_ERROR);
  EXPECT_EQ(velo2_send(&connection, "x", 1, 0, 0), VELO2_RET_ERROR);
  EXPECT_EQ(velo2_get_vpid(&port), 0xffff);
}

}  // namespace
}  // namespace aqueduct::test
