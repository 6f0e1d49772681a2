#include "extended/teams/neighbour_barrier.hpp"

#include <cstring>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "extended/board_places.hpp"
#include "extended/collectives/place.hpp"
#include "world/work.hpp"

namespace aqueduct::extended {
namespace {

using collectives::place_of;
using collectives::WorldBarrierPlace;

constexpr RankId kMostOnABoard = 3;  // where each has a core

bool choose_dissemination(core::Rank& rank, RankId members) {
  if (members > collectives::kMostOnWorldBoard) return true;
  const char* const wish = env::text({"AQUEDUCT_BARRIER"}, "auto");
  if (std::strcmp(wish, "board") == 0) return false;
  if (std::strcmp(wish, "dissemination") == 0) return true;
  if (std::strcmp(wish, "auto") != 0)
    fatal("gex_Client_Init", "AQUEDUCT_BARRIER is '%s'; it may be auto, board or dissemination", wish);
  return members > kMostOnABoard && rank.place().machine_ranks <= rank.place().cores;
}

/// In a simulation, where an arrival takes time.
class ChargedBarrier final : public Barrier {
 public:
  explicit ChargedBarrier(std::unique_ptr<Barrier> barrier) : barrier_(std::move(barrier)) {}

  std::uint64_t arrive(core::Thread& thread, BarrierValue value) override {
    world::spend(world::kNeighbourMessage);
    return barrier_->arrive(thread, value);
  }
  bool passed(std::uint64_t ticket) override { return barrier_->passed(ticket); }
  BarrierValue value() override { return barrier_->value(); }

 private:
  std::unique_ptr<Barrier> barrier_;
};

std::unique_ptr<Barrier> charged(core::Rank& rank, std::unique_ptr<Barrier> barrier) {
  if (!rank.is_simulated()) return barrier;
  return std::make_unique<ChargedBarrier>(std::move(barrier));
}

// `lines_of(m)` and `bell_of(m)` of each member.
template <class LinesOf, class BellOf>
std::unique_ptr<Barrier> make(core::Rank& rank, RankId me, RankId size, BoardBarrier::Place board,
                              const LinesOf& lines_of, const BellOf& bell_of) {
  if (choose_dissemination(rank, size)) {
    std::vector<DisseminationBarrier::Member> members;
    for (RankId member = 0; member < size; ++member) members.push_back({&lines_of(member), &bell_of(member)});
    return charged(rank, std::make_unique<DisseminationBarrier>(std::move(members), me, rank.wait_policy,
                                                                rank.threaded()));
  }
  std::vector<Doorbell*> others;
  for (RankId member = 0; member < size; ++member) {
    if (member != me) others.push_back(&bell_of(member));
  }
  return charged(rank, std::make_unique<BoardBarrier>(board, me, size, std::move(others)));
}

}  // namespace

std::unique_ptr<Barrier> make_world_barrier(core::Rank& rank, WorldBarrier which) {
  const auto number = static_cast<unsigned>(which);
  core::Neighbourhood& neighbourhood = *rank.neighbourhood();
  static_assert(2 * sizeof(WorldBarrierPlace) <= core::kRankBoardBytes);
  static_assert(2 * sizeof(BarrierWords) * collectives::kMostOnWorldBoard <= core::kBoardBytes);
  const auto place = [&](RankId member) -> WorldBarrierPlace& {
    return reinterpret_cast<WorldBarrierPlace*>(neighbourhood.rank_board(member, kBarrierBoard))[number];
  };
  const std::size_t board_bytes = round_up(rank.size() * sizeof(BarrierWords), kCacheLine);
  auto* const words = reinterpret_cast<BarrierWords*>(neighbourhood.board() + number * board_bytes);
  return make(
      rank, rank.id(), rank.size(),
      {words, place(0).groups}, [&](RankId member) -> auto& { return place(member).dissemination; },
      [&](RankId member) -> Doorbell& { return neighbourhood.doorbell(member); });
}

std::unique_ptr<Barrier> make_team_barrier(core::Rank& rank, const core::Team& team, unsigned place) {
  if (!collectives::can_use_places(rank, team, place)) return nullptr;
  collectives::Place& first = place_of(rank, team, 0, place);
  return make(
      rank, team.rank(), team.size(), {first.arrivals, first.groups},
      [&](RankId member) -> auto& { return place_of(rank, team, member, place).dissemination; },
      [&](RankId member) -> Doorbell& { return rank.neighbourhood()->doorbell(team.job_rank(member)); });
}

}  // namespace aqueduct::extended
