// What an all-gather has brought, kept once for the ranks that share a room.
#include "job/bootstrap/kept_table.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "bootstrap/exercise.hpp"
#include "job/bootstrap/shm_bootstrap.hpp"

namespace aqueduct::job::test {
namespace {

// Rows of 0, 1000, 1, 1001, 2, ... bytes, all different.
std::vector<std::byte> row_of(RankId rank) {
  std::vector<std::byte> row(rank / 2 + (rank % 2) * 1000);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<std::byte>(i * 7 + rank);
  return row;
}

// Keeps everybody's rows, lets the bootstrap forget them, and reads them again.
void keep_and_read(Bootstrap& bootstrap, std::unique_ptr<SharedRoom> room) {
  KeptTable table(std::move(room), bootstrap.size());
  table.keep(bootstrap.all_gather(row_of(bootstrap.rank())));
  bootstrap.barrier();
  const Gathered kept = table.view();
  for (unsigned others = 0; others < 4; ++others) bootstrap.all_gather(bytes_of(others));
  ASSERT_EQ(kept.size(), bootstrap.size());
  for (RankId peer = 0; peer < kept.size(); ++peer) {
    const Bytes row = kept[peer];
    EXPECT_EQ(std::vector<std::byte>(row.begin(), row.end()), row_of(peer)) << "of rank " << peer;
  }
}

TEST(KeptTable, ThreadsFindEveryRowAfterOtherOperations) {
  constexpr RankId kRanks = 9;
  ThreadRoom meeting, kept;
  run_threads(kRanks, [&](RankId rank) {
    ShmBootstrap bootstrap(meeting.view(), rank, kRanks);
    keep_and_read(bootstrap, kept.view());
  });
}

TEST(KeptTable, ProcessesFindEveryRowAfterOtherOperations) {
  constexpr RankId kRanks = 5;
  ForkRoom room;
  run_forks(kRanks, [&](RankId rank) {
    ShmBootstrap bootstrap(room.view(), rank, kRanks);
    keep_and_read(bootstrap, std::make_unique<FileRoom>(room.fd, kSegmentKeysPlace));
  });
}

TEST(KeptTable, RanksOfOneRoomHaveOneCopy) {
  ThreadRoom room;
  const std::vector<std::byte> data = row_of(1);
  const Gathered::Row rows[2] = {{0, 600}, {600, 400}};
  KeptTable first(room.view(), 2), second(room.view(), 2);
  first.keep({rows, 2, data});
  second.keep({rows, 2, data});
  EXPECT_EQ(first.view()[1].data(), second.view()[1].data());
  EXPECT_EQ(first.view()[1].data() - first.view()[0].data(), 600);
}

}  // namespace
}  // namespace aqueduct::job::test
