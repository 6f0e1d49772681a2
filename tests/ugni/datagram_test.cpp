// Datagrams: exchanges between bound and unbound endpoints, cancelled ones, and their states.
#include <cstring>

#include "machine.hpp"

namespace aqueduct::test {
namespace {

/// Three sides; what a datagram of one says is its node and a number.
class UgniDatagrams : public ::testing::Test {
 protected:
  struct Word {
    std::uint32_t node, number;
    bool operator==(const Word&) const = default;
  };
  struct Outcome {
    gni_return_t code;
    gni_post_state_t state = GNI_POST_PENDING;
    std::uint32_t address = ~0u, id = ~0u;
  };

  gni_return_t post(Side& side, gni_ep_handle_t ep, std::uint32_t number, Word* heard) {
    const On on{machine, side.node};
    Word said{side.node, number};
    return GNI_EpPostData(ep, &said, sizeof said, heard, sizeof *heard);
  }
  Outcome wait(Side& side, gni_ep_handle_t ep) {
    const On on{machine, side.node};
    Outcome outcome{};
    outcome.code = GNI_EpPostDataWait(ep, 100, &outcome.state, &outcome.address, &outcome.id);
    return outcome;
  }
  Outcome test(Side& side, gni_ep_handle_t ep) {
    const On on{machine, side.node};
    Outcome outcome{};
    outcome.code = GNI_EpPostDataTest(ep, &outcome.state, &outcome.address, &outcome.id);
    return outcome;
  }
  gni_ep_handle_t unbound(Side& side) {
    const On on{machine, side.node};
    gni_ep_handle_t ep;
    EXPECT_EQ(GNI_EpCreate(side.nic, nullptr, &ep), GNI_RC_SUCCESS);
    return ep;
  }
  static void expect_completed(const Outcome& outcome, ugni::NodeId from) {
    EXPECT_EQ(outcome.code, GNI_RC_SUCCESS);
    EXPECT_EQ(outcome.state, GNI_POST_COMPLETED);
    EXPECT_EQ(outcome.address, from);
    EXPECT_EQ(outcome.id, kFirstInstance + from);
  }

  Machine machine{{.nodes = 3}};
  Side zero{machine, 0}, one{machine, 1}, two{machine, 2};
  Word heard_by_zero{}, heard_by_one{}, heard_by_two{};
};

TEST_F(UgniDatagrams, TwoBoundEndpointsExchange) {
  ASSERT_EQ(post(zero, zero.to[1], 5, &heard_by_zero), GNI_RC_SUCCESS);
  EXPECT_EQ(test(zero, zero.to[1]).state, GNI_POST_PENDING);
  ASSERT_EQ(post(one, one.to[0], 6, &heard_by_one), GNI_RC_SUCCESS);
  expect_completed(wait(zero, zero.to[1]), 1);
  expect_completed(wait(one, one.to[0]), 0);
  EXPECT_EQ(heard_by_zero, (Word{1, 6}));
  EXPECT_EQ(heard_by_one, (Word{0, 5}));
  EXPECT_EQ(test(zero, zero.to[1]).code, GNI_RC_NO_MATCH);  // it was told
}

TEST_F(UgniDatagrams, OneThatCameEarlyWaits) {
  ASSERT_EQ(post(zero, zero.to[1], 5, &heard_by_zero), GNI_RC_SUCCESS);
  machine.run();
  ASSERT_EQ(post(one, one.to[0], 6, &heard_by_one), GNI_RC_SUCCESS);
  EXPECT_EQ(heard_by_one, (Word{0, 5}));
  expect_completed(wait(one, one.to[0]), 0);
  expect_completed(wait(zero, zero.to[1]), 1);
}

TEST_F(UgniDatagrams, AnUnboundEndpointTakesTheFirstThatComes) {
  const gni_ep_handle_t open = unbound(zero);
  ASSERT_EQ(post(zero, open, 9, &heard_by_zero), GNI_RC_SUCCESS);
  ASSERT_EQ(post(two, two.to[0], 7, &heard_by_two), GNI_RC_SUCCESS);
  expect_completed(wait(zero, open), 2);
  expect_completed(wait(two, two.to[0]), 0);
  EXPECT_EQ(heard_by_zero, (Word{2, 7}));
  EXPECT_EQ(heard_by_two, (Word{0, 9}));
}

TEST_F(UgniDatagrams, ABoundEndpointIsPreferredToAnUnboundOne) {
  const gni_ep_handle_t open = unbound(zero);
  Word unused{};
  ASSERT_EQ(post(zero, open, 9, &unused), GNI_RC_SUCCESS);
  ASSERT_EQ(post(zero, zero.to[1], 5, &heard_by_zero), GNI_RC_SUCCESS);
  ASSERT_EQ(post(one, one.to[0], 6, &heard_by_one), GNI_RC_SUCCESS);
  expect_completed(wait(zero, zero.to[1]), 1);
  EXPECT_EQ(test(zero, open).state, GNI_POST_PENDING);
  expect_completed(wait(one, one.to[0]), 0);
  EXPECT_EQ(heard_by_one, (Word{0, 5}));
}

TEST_F(UgniDatagrams, ACancelledOneIsOverAndForgottenByThePeer) {
  ASSERT_EQ(post(zero, zero.to[1], 5, &heard_by_zero), GNI_RC_SUCCESS);
  machine.run();
  {
    const On on{machine, 0};
    ASSERT_EQ(GNI_EpPostDataCancel(zero.to[1]), GNI_RC_SUCCESS);
    EXPECT_EQ(GNI_EpPostDataCancel(zero.to[1]), GNI_RC_NO_MATCH);
  }
  machine.run();
  EXPECT_EQ(test(zero, zero.to[1]).state, GNI_POST_TERMINATED);
  ASSERT_EQ(post(one, one.to[0], 6, &heard_by_one), GNI_RC_SUCCESS);
  EXPECT_EQ(wait(one, one.to[0]).code, GNI_RC_TIMEOUT);
  ASSERT_EQ(post(zero, zero.to[1], 8, &heard_by_zero), GNI_RC_SUCCESS);
  expect_completed(wait(one, one.to[0]), 0);
  EXPECT_EQ(heard_by_one, (Word{0, 8}));
}

TEST_F(UgniDatagrams, AreNamedByIds) {
  const On on{machine, 0};
  Word said{0, 1};
  std::uint64_t id = 0;
  gni_post_state_t state;
  std::uint32_t address, instance;
  EXPECT_EQ(GNI_EpPostDataWId(zero.to[0], &said, sizeof said, &heard_by_zero, sizeof said, ~std::uint64_t{0}),
            GNI_RC_INVALID_PARAM);
  ASSERT_EQ(GNI_EpPostDataWId(zero.to[0], &said, sizeof said, &heard_by_zero, sizeof said, 77),
            GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_EpPostDataTest(zero.to[0], &state, &address, &instance), GNI_RC_NO_MATCH);
  EXPECT_EQ(GNI_EpPostDataTestById(zero.to[0], 78, &state, &address, &instance), GNI_RC_NO_MATCH);
  EXPECT_EQ(GNI_EpPostDataCancelById(zero.to[0], 78), GNI_RC_NO_MATCH);
  ASSERT_EQ(GNI_PostDataProbeWaitById(zero.nic, 100, &id), GNI_RC_SUCCESS);
  EXPECT_EQ(id, 77u);
  EXPECT_EQ(GNI_PostDataProbe(zero.nic, &address, &instance), GNI_RC_NO_MATCH);
  EXPECT_EQ(GNI_EpPostDataWaitById(zero.to[0], 77, 100, &state, &address, &instance), GNI_RC_SUCCESS);
  EXPECT_EQ(state, GNI_POST_COMPLETED);
  EXPECT_EQ(GNI_PostDataProbeById(zero.nic, &id), GNI_RC_NO_MATCH);
  EXPECT_EQ(GNI_PostDataProbeWaitById(zero.nic, 2, &id), GNI_RC_TIMEOUT);
  // Without ids.
  ASSERT_EQ(post(zero, zero.to[0], 2, &heard_by_zero), GNI_RC_SUCCESS);
  machine.run();
  EXPECT_EQ(GNI_PostDataProbe(zero.nic, &address, &instance), GNI_RC_SUCCESS);
  EXPECT_EQ(address, 0u);
  EXPECT_EQ(instance, kFirstInstance);
  expect_completed(test(zero, zero.to[0]), 0);
}

TEST_F(UgniDatagrams, AreHeldToTheirRules) {
  const On on{machine, 0};
  char data[GNI_DATAGRAM_MAXSIZE + 1]{};
  EXPECT_EQ(GNI_EpPostData(zero.to[1], data, sizeof data, data, 8), GNI_RC_SIZE_ERROR);
  EXPECT_EQ(GNI_EpPostData(zero.to[1], data, 8, data, sizeof data), GNI_RC_SIZE_ERROR);
  ASSERT_EQ(post(zero, zero.to[1], 1, &heard_by_zero), GNI_RC_SUCCESS);
  EXPECT_EQ(post(zero, zero.to[1], 2, &heard_by_zero), GNI_RC_ERROR_RESOURCE);
  EXPECT_EQ(GNI_EpUnbind(zero.to[1]), GNI_RC_NOT_DONE);
  gni_post_state_t state;
  std::uint32_t address, instance;
  EXPECT_EQ(GNI_EpPostDataWait(zero.to[1], 0, &state, &address, &instance), GNI_RC_INVALID_PARAM);
}

TEST_F(UgniDatagrams, OneThatDoesNotFitIsASizeError) {
  const On on{machine, 0};
  char small[2];
  Word said{0, 3};
  ASSERT_EQ(GNI_EpPostData(zero.to[1], &said, sizeof said, small, sizeof small), GNI_RC_SUCCESS);
  ASSERT_EQ(post(one, one.to[0], 6, &heard_by_one), GNI_RC_SUCCESS);
  EXPECT_EQ(wait(zero, zero.to[1]).code, GNI_RC_SIZE_ERROR);
  expect_completed(wait(one, one.to[0]), 0);
}

TEST_F(UgniDatagrams, DomainsWithOtherCookiesDoNotMeet) {
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  gni_ep_handle_t ep;
  std::uint32_t address;
  {
    const On on{machine, 1};
    ASSERT_EQ(GNI_CdmCreate(kFirstInstance + 1, GNI_FIND_ALLOC_PTAG, kCookie + 1, 0, &domain),
              GNI_RC_SUCCESS);
    ASSERT_EQ(GNI_CdmAttach(domain, 0, &address, &nic), GNI_RC_SUCCESS);
    ASSERT_EQ(GNI_EpCreate(nic, nullptr, &ep), GNI_RC_SUCCESS);
  }
  ASSERT_EQ(post(one, ep, 6, &heard_by_one), GNI_RC_SUCCESS);
  ASSERT_EQ(post(zero, zero.to[1], 5, &heard_by_zero), GNI_RC_SUCCESS);
  EXPECT_EQ(wait(zero, zero.to[1]).code, GNI_RC_TIMEOUT);
  EXPECT_EQ(test(one, ep).state, GNI_POST_PENDING);
}

TEST_F(UgniDatagrams, FailIfThePeerIsLost) {
  machine.fabric().crash(1);
  ASSERT_EQ(post(zero, zero.to[1], 5, &heard_by_zero), GNI_RC_SUCCESS);
  const Outcome outcome = wait(zero, zero.to[1]);
  EXPECT_EQ(outcome.code, GNI_RC_SUCCESS);
  EXPECT_EQ(outcome.state, GNI_POST_ERROR);
}

}  // namespace
}  // namespace aqueduct::test
