// What goes over the fabric between processes allocates nothing once the lists have grown to what is in
// flight: active messages of the wire conduit, also in a flood, and Portals. One rank that talks to itself:
// nothing has to be waited for.
#include <portals3.h>

#include <atomic>

#include "paths/interpose.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

class FabricPaths : public Spmd {
 protected:
  void SetUp() override {
    gasnet_set_waitmode(GASNET_WAIT_SPIN);
    Spmd::SetUp();
  }
};

std::atomic<int> received{0};
unsigned char buffer[3584];

void on_answer(gex_Token_t) { received.fetch_add(1, std::memory_order_relaxed); }
Handler answer(on_answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY);
void on_question(gex_Token_t token, gex_AM_Arg_t) { gex_AM_ReplyShort0(token, answer, 0); }
Handler question(on_question, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);
void on_payload(gex_Token_t, void*, std::size_t) { received.fetch_add(1, std::memory_order_relaxed); }
Handler payload(on_payload, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST);

template <class Stretch>
Watched watched(Stretch stretch) {
  stretch();
  start_watching();
  stretch();
  return stop_watching();
}

TEST_F(FabricPaths, MessagesAndTheirRepliesNeitherAllocateNorLockNorEnterTheKernel) {
  const Watched seen = watched([] {
    for (int i = 0; i < 2000; ++i) {
      const int before = received.load();
      gex_AM_RequestShort1(job().tm, job().rank, question, 0, i);
      gex_AM_RequestMedium0(job().tm, job().rank, payload, buffer, 1 + i % 4000, GEX_EVENT_NOW, 0);
      while (received.load() != before + 2) gasnet_AMPoll();
    }
  });
  EXPECT_EQ(seen.allocations, 0u);
  EXPECT_EQ(seen.locks, 0u);
  EXPECT_FALSE(seen.entered_kernel) << "system call " << seen.system_call;
}

// Requests to oneself look for messages now and then, so a flood of them need not be held back.
TEST_F(FabricPaths, AFloodKeepsNoMoreThanItsCredits) {
  constexpr int kFlood = 1000;
  int most = 0;
  const Watched seen = watched([&] {
    for (int round = 0; round < 50; ++round) {
      const int before = received.load();
      int sent = 0;
      while (sent < kFlood && gex_AM_RequestMedium0(job().tm, job().rank, payload, buffer, sizeof buffer,
                                                    GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE) == GASNET_OK) {
        ++sent;
        const int kept = before + sent - received.load();
        if (kept > most) most = kept;
      }
      while (received.load() != before + sent) gasnet_AMPoll();
    }
  });
  EXPECT_GE(most, 2);
  EXPECT_LE(most, 64);
  EXPECT_EQ(seen.allocations, 0u);
}

TEST_F(FabricPaths, PortalsPutsAndGetsAllocateNothing) {
  int interfaces;
  ptl_handle_ni_t ni;
  ptl_handle_eq_t queue;
  ptl_handle_me_t entry;
  ptl_handle_md_t target, source;
  ptl_process_id_t self;
  ASSERT_EQ(PtlInit(&interfaces), PTL_OK);
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &ni), PTL_OK);
  ASSERT_EQ(PtlGetId(ni, &self), PTL_OK);
  ASSERT_EQ(PtlEQAlloc(ni, 64, PTL_EQ_HANDLER_NONE, &queue), PTL_OK);
  ASSERT_EQ(PtlMEAttach(ni, 0, {PTL_NID_ANY, PTL_PID_ANY}, 1, 0, PTL_RETAIN, PTL_INS_AFTER, &entry), PTL_OK);
  static std::byte memory[100'000], mine[100'000];
  ptl_md_t md{};
  md.start = memory;
  md.length = sizeof memory;
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE;
  md.eq_handle = PTL_EQ_NONE;
  ASSERT_EQ(PtlMDAttach(entry, md, PTL_RETAIN, &target), PTL_OK);
  md.start = mine;
  md.options = 0;
  md.eq_handle = queue;
  ASSERT_EQ(PtlMDBind(ni, md, PTL_RETAIN, &source), PTL_OK);
  const auto await = [&](ptl_event_kind_t kind) {
    ptl_event_t event;
    do {
      while (PtlEQGet(queue, &event) != PTL_OK) {
      }
    } while (event.type != kind);
  };
  const Watched seen = watched([&] {
    for (int i = 0; i < 200; ++i) {
      for (const ptl_size_t bytes : {8u, 5000u, 100'000u}) {
        PtlPutRegion(source, 0, bytes, PTL_ACK_REQ, self, 0, 0, 1, 0, 0);
        await(PTL_EVENT_ACK);
        PtlGetRegion(source, 0, bytes, self, 0, 0, 1, 0);
        await(PTL_EVENT_REPLY_END);
      }
    }
  });
  EXPECT_EQ(seen.allocations, 0u);
  EXPECT_EQ(seen.locks, 0u);
}

}  // namespace
}  // namespace aqueduct::test
