#include "extended/extended.hpp"

#include "extended/board_barrier.hpp"
#include "extended/message_barrier.hpp"
#include "extended/reference_rma.hpp"

namespace aqueduct::extended {
namespace {

constexpr unsigned kNamed = 0;
constexpr unsigned kTeam = 1;

}  // namespace

RankOps::RankOps(Rank& rank) {
  register_reference_rma(rank.handlers());
  const bool all_share_memory = rank.neighbourhood() && rank.neighbourhood()->size() == rank.size();
  if (all_share_memory && !rank.options().reference_only) {
    named_barrier = std::make_unique<BoardBarrier>(rank, kNamed);
    team_barrier = std::make_unique<BoardBarrier>(rank, kTeam);
  } else {
    MessageBarrier::register_handler(rank.handlers());
    named_barrier = std::make_unique<MessageBarrier>(rank, kNamed);
    team_barrier = std::make_unique<MessageBarrier>(rank, kTeam);
    rank.chores.run = [this](Thread& thread) {
      static_cast<MessageBarrier&>(*named_barrier).advance(thread);
      static_cast<MessageBarrier&>(*team_barrier).advance(thread);
    };
  }
}

RankOps::~RankOps() = default;

}  // namespace aqueduct::extended
