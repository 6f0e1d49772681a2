// The bootstrap of several hosts, which here are groups of threads or processes that share memory.
#include "job/bootstrap/host_bootstrap.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "bootstrap/exercise.hpp"
#include "bootstrap/rendezvous_server.hpp"
#include "job/bootstrap/agreement.hpp"
#include "job/bootstrap/shm_bootstrap.hpp"

namespace aqueduct::job::test {
namespace {

std::unique_ptr<Bootstrap> leader(const RendezvousServer& server, const Layout& layout, RankPlace here) {
  if (here.local != 0) return nullptr;
  TcpPlace place = server.place(here.host);
  place.name = [&layout](RankId host) { return describe_host(layout, host); };
  return std::make_unique<TcpBootstrap>(place);
}

class HostBootstrapOf : public testing::TestWithParam<std::vector<HostId>> {};

TEST_P(HostBootstrapOf, ThreadsBringsEverybodysBytesToAll) {
  const Layout layout = Layout::of(GetParam());
  RendezvousServer server(layout.hosts());
  std::vector<ThreadRoom> rooms(layout.hosts());
  run_threads(layout.size(), [&](RankId rank) {
    const RankPlace here = layout.place(rank);
    HostBootstrap bootstrap(rooms[here.host].view(), layout, rank, leader(server, layout, here));
    agree(bootstrap, {{"layout", std::to_string(layout.digest())}});
    exercise(bootstrap, 3 + layout.size(), 20, layout.size() > 16 ? 40'000 : 1'500'000);
  });
}

TEST_P(HostBootstrapOf, ProcessesBringsEverybodysBytesToAll) {
  const Layout layout = Layout::of(GetParam());
  RendezvousServer server(layout.hosts(), RendezvousServer::As::kProcess);
  std::vector<ForkRoom> rooms(layout.hosts());
  run_forks(layout.size(), [&](RankId rank) {
    const RankPlace here = layout.place(rank);
    HostBootstrap bootstrap(rooms[here.host].view(), layout, rank, leader(server, layout, here));
    exercise(bootstrap, 9 + layout.size(), 20, layout.size() > 16 ? 40'000 : 3'000'000);
  });
}

std::vector<HostId> round_robin(RankId ranks, HostId hosts) {
  std::vector<HostId> host_of_rank(ranks);
  for (RankId rank = 0; rank < ranks; ++rank) host_of_rank[rank] = rank % hosts;
  return host_of_rank;
}

INSTANTIATE_TEST_SUITE_P(Layouts, HostBootstrapOf,
                         testing::Values(std::vector<HostId>{0}, std::vector<HostId>{0, 0, 0},
                                         std::vector<HostId>{0, 1}, std::vector<HostId>{1, 0, 1, 2, 1, 0},
                                         std::vector<HostId>{3, 3, 2, 2, 1, 1, 0, 0}, round_robin(40, 9)),
                         [](const auto& tested) { return "Number" + std::to_string(tested.index); });

TEST(HostBootstrap, AgreementBringsTheLeastNumberToAll) {
  const Layout layout = Layout::of(std::vector<HostId>{0, 1, 0, 1, 2});
  RendezvousServer server(layout.hosts());
  std::vector<ThreadRoom> rooms(layout.hosts());
  run_threads(layout.size(), [&](RankId rank) {
    const RankPlace here = layout.place(rank);
    HostBootstrap bootstrap(rooms[here.host].view(), layout, rank, leader(server, layout, here));
    for (RankId least_at = 0; least_at < layout.size(); ++least_at) {
      std::uint64_t number = rank == least_at ? 4096 : (std::uint64_t{1} << 40) + rank;
      agree(bootstrap, {{"Aqueduct", "0.2"}}, &number);
      EXPECT_EQ(number, 4096u);
    }
  });
}

TEST(HostBootstrap, TheRanksOfAHostReadOneTable) {
  const Layout layout = Layout::of(std::vector<HostId>{0, 1, 0, 1, 1});
  ThreadRoom between;
  std::vector<ThreadRoom> rooms(2);
  std::vector<std::unique_ptr<HostBootstrap>> ranks;
  for (RankId rank = 0; rank < layout.size(); ++rank) {
    const RankPlace here = layout.place(rank);
    std::unique_ptr<Bootstrap> leaders;
    if (here.local == 0) leaders = std::make_unique<ShmBootstrap>(between.view(), here.host, layout.hosts());
    ranks.push_back(
        std::make_unique<HostBootstrap>(rooms[here.host].view(), layout, rank, std::move(leaders)));
    ranks.back()->begin_all_gather(bytes_of(rank));
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (auto& rank : ranks) rank->advance();
  }
  for (auto& rank : ranks) ASSERT_TRUE(rank->advance());
  EXPECT_EQ(ranks[1]->gathered()[0].data(), ranks[4]->gathered()[0].data());
  EXPECT_NE(ranks[1]->gathered()[0].data(), ranks[0]->gathered()[0].data());
}

TEST(HostBootstrapDeathTest, AHostThatIsLostIsNamedWithItsRanks) {
  EXPECT_EXIT(
      {
        const Layout layout = Layout::of(std::vector<HostId>{0, 1, 0, 1});
        RendezvousServer server(2);
        std::vector<ThreadRoom> rooms(2);
        run_threads(4, [&](RankId rank) {
          const RankPlace here = layout.place(rank);
          auto bootstrap = std::make_unique<HostBootstrap>(rooms[here.host].view(), layout, rank,
                                                           leader(server, layout, here));
          bootstrap->barrier();
          if (here.host == 1) bootstrap.reset();
          if (here.host == 0) bootstrap->barrier();
        });
      },
      testing::ExitedWithCode(1), "the connection to host 1 \\(ranks 1 and 3\\) is lost");
}

TEST(HostBootstrapDeathTest, RanksOfDifferentHostsThatDisagreeAreNamed) {
  EXPECT_EXIT(
      {
        const Layout layout = Layout::of(std::vector<HostId>{0, 1, 0, 1});
        RendezvousServer server(2);
        std::vector<ThreadRoom> rooms(2);
        run_threads(4, [&](RankId rank) {
          const RankPlace here = layout.place(rank);
          HostBootstrap bootstrap(rooms[here.host].view(), layout, rank, leader(server, layout, here));
          agree(bootstrap, {{"Aqueduct", here.host == 0 ? "0.2" : "0.3"}});
        });
      },
      testing::ExitedWithCode(1), "rank 1 has Aqueduct 0.3 and rank 0 has 0.2");
}

}  // namespace
}  // namespace aqueduct::job::test
