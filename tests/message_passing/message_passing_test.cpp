// The minimal MPI, in a program whose gex calls go over the same Portals interface at the same time.
#include <deque>
#include <vector>

#include "papers/parts/message_passing/portals_mpi.hpp"
#include "support/pattern.hpp"
#include "support/rma.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using parts::kAnySource;
using parts::Operation;
using parts::PortalsMpi;
using parts::Status;

// Long messages must not need much to count as long.
PortalsMpi& mpi() {
  static PortalsMpi instance(job().rank, job().size,
                             {.eager_bytes = 8192,
                              .copied_bytes = 256,
                              .send_buffers = 4,
                              .unexpected_buffers = 3,
                              .unexpected_bytes = 1 << 20});
  static const bool everybody_is_ready = [] {
    gex_Event_Wait(gex_Coll_BarrierNB(job().tm, 0));
    return true;
  }();
  (void)everybody_is_ready;
  return instance;
}

Status finish(Operation operation) {
  Status status;
  GASNET_BLOCKUNTIL(mpi().test(operation, &status));
  return status;
}

class MessagePassing : public Spmd {};

constexpr std::size_t kSizes[] = {0, 1, 255, 256, 257, 4096, 8192, 8193, 100000, 1000000};

TEST_F(MessagePassing, EverySizeArrivesWhole) {
  for (const std::size_t bytes : kSizes) {
    const std::vector<unsigned char> out = patterned(bytes, key_of(job().rank, bytes));
    std::vector<unsigned char> in(bytes + 1);
    const Operation receive = mpi().irecv(in.data(), in.size(), left(), 7);
    const Operation send = mpi().isend(out.data(), bytes, right(), 7);
    const Status status = finish(receive);
    finish(send);
    ASSERT_EQ(status.source, left());
    ASSERT_EQ(status.bytes, bytes);
    ASSERT_TRUE(holds(in.data(), bytes, key_of(left(), bytes)));
  }
}

TEST_F(MessagePassing, WhatNobodyExpectedIsKeptInOrder) {
  mpi();
  constexpr unsigned kMessages = 40;
  std::vector<std::vector<unsigned char>> out;
  std::vector<Operation> sends;
  for (unsigned i = 0; i < kMessages; ++i) {
    out.push_back(patterned(i % 3 == 2 ? 9000 + i : i * 10, key_of(job().rank, i)));
    sends.push_back(mpi().isend(out[i].data(), out[i].size(), right(), i % 2));
  }
  gex_Event_Wait(gex_Coll_BarrierNB(job().tm, 0));  // all have been sent, none has been asked for
  for (const unsigned tag : {1u, 0u}) {
    for (unsigned i = tag; i < kMessages; i += 2) {
      std::vector<unsigned char> in(10000);
      const Status status = finish(mpi().irecv(in.data(), in.size(), kAnySource, tag));
      ASSERT_EQ(status.bytes, out[i].size()) << "message " << i;
      ASSERT_TRUE(holds(in.data(), status.bytes, key_of(left(), i)));
    }
  }
  for (const Operation send : sends) finish(send);
}

TEST_F(MessagePassing, AReceiveFromOneRankDoesNotTakeAnothersMessage) {
  mpi();
  std::vector<unsigned char> word(8);
  std::vector<Operation> sends;
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    sends.push_back(mpi().isend(&job().rank, sizeof job().rank, rank, 3));
  }
  for (gex_Rank_t rank = job().size; rank-- > 0;) {
    gex_Rank_t from = ~0u;
    ASSERT_EQ(finish(mpi().irecv(&from, sizeof from, rank, 3)).source, rank);
    ASSERT_EQ(from, rank);
  }
  for (const Operation send : sends) finish(send);
}

TEST_F(MessagePassing, AMessageRingsWhoeverIsAboutToSleep) {
  Doorbell& bell = *mpi().doorbell(job().rank);
  const std::uint32_t before = bell.announce();
  gex_Event_Wait(gex_Coll_BarrierNB(job().tm, 0));  // everybody is
  const Operation send = mpi().isend(&job().rank, sizeof job().rank, right(), 5);
  gex_Rank_t from = ~0u;
  finish(mpi().irecv(&from, sizeof from, left(), 5));
  const std::uint32_t after = bell.announce();
  EXPECT_NE(before, after);
  bell.sleep(before, ~std::uint64_t{0} / 4);  // it has rung since: no sleep at all
  bell.withdraw();
  EXPECT_EQ(from, left());
  finish(send);
}

// Mixed mode: messages, puts and gets cross the same interface at once, each by its own portal table entries.
TEST_F(MessagePassing, RunsBesideAConduitOnTheSameInterface) {
  mpi();
  const unsigned rounds = scaled(300);
  std::vector<unsigned char> back(3000);
  for (unsigned round = 0; round < rounds; ++round) {
    const std::size_t bytes = 1 + (round * 37) % 3000;
    const std::vector<unsigned char> out = patterned(bytes, key_of(job().rank, round));
    std::vector<unsigned char> in(3000);
    const Operation receive = mpi().irecv(in.data(), in.size(), left(), 9);
    const Operation send = mpi().isend(out.data(), bytes, right(), 9);
    put(Style::kBlocking, right(), window(right(), job().rank), out.data(), bytes);
    get(Style::kBlocking, back.data(), right(), window(right(), job().rank), bytes);
    ASSERT_TRUE(holds(back.data(), bytes, key_of(job().rank, round)));
    ASSERT_EQ(finish(receive).bytes, bytes);
    ASSERT_TRUE(holds(in.data(), bytes, key_of(left(), round)));
    finish(send);
  }
  gex_Event_Wait(gex_Coll_BarrierNB(job().tm, 0));
}

}  // namespace
}  // namespace aqueduct::test
