#include "extended/collectives/boards.hpp"

#include <cstddef>
#include <cstring>

#include "extended/collectives/place.hpp"

namespace aqueduct::extended::collectives {
namespace {

constexpr std::size_t kStampBytes = sizeof(std::uint64_t);

constexpr std::size_t kCompactData = kCompactCell - kStampBytes;

// Two members share one line for both rows; more have a row of lines each.
constexpr std::size_t compact_row(gex_Rank_t size) {
  const std::size_t bytes = size * kCompactCell;
  return kCompactRows * bytes <= kCacheLine ? bytes : round_up(bytes, kCacheLine);
}

// Data on the wide board is aligned to 16 bytes.
constexpr std::size_t kWideOffset = 16;
constexpr std::size_t kMostRead = std::size_t{16} * 1024;  // by each member: beyond that others do it better

Doorbell* bell_of(core::Rank& rank, const core::Team& team, gex_Rank_t member) {
  return &rank.neighbourhood()->doorbell(team.job_rank(member));
}

std::vector<Board::Member> compact_members(core::Rank& rank, const core::Team& team, unsigned place) {
  std::byte* const first = place_of(rank, team, 0, place).compact;
  std::vector<Board::Member> members;
  for (gex_Rank_t member = 0; member < team.size(); ++member)
    members.push_back({first + member * kCompactCell, bell_of(rank, team, member), team.job_rank(member)});
  return members;
}

std::vector<Board::Member> wide_members(core::Rank& rank, const core::Team& team, unsigned place) {
  std::vector<Board::Member> members;
  for (gex_Rank_t member = 0; member < team.size(); ++member)
    members.push_back(
        {place_of(rank, team, member, place).wide, bell_of(rank, team, member), team.job_rank(member)});
  return members;
}

std::vector<SharedBlocks::Member> block_members(core::Rank& rank, const core::Team& team, unsigned place) {
  std::vector<SharedBlocks::Member> members;
  for (gex_Rank_t member = 0; member < team.size(); ++member) {
    Place& theirs = place_of(rank, team, member, place);
    members.push_back({&theirs.blocks, theirs.slots, bell_of(rank, team, member), team.job_rank(member)});
  }
  return members;
}

}  // namespace

std::unique_ptr<Boards> Boards::open(core::Rank& rank, const core::Team& team, unsigned place) {
  if (!can_use_places(rank, team, place)) return nullptr;
  if (place != kWorldBoard) {
    std::memset(rank.neighbourhood()->rank_board(rank.id(), place), 0, offsetof(Place, slots));
  }
  return std::unique_ptr<Boards>(new Boards(rank, team, place));
}

Boards::Boards(core::Rank& rank, const core::Team& team, unsigned place)
    : team_(team),
      segments_(rank, team),
      compact_({kCompactRows, kCompactData, kStampBytes, compact_row(team.size())},
               compact_members(rank, team, place), team.rank()),
      wide_({kWideRows, kWideCell - kWideOffset, kWideOffset, kWideCell}, wide_members(rank, team, place),
            team.rank()),
      blocks_(block_members(rank, team, place), team.rank(), segments_) {}

std::size_t Boards::AttachedSegments::offset_of(const void* address, std::size_t bytes) const {
  const core::Objects& objects = rank_.objects();
  const am::SegmentBounds& mine = objects.bounds[rank_.id()];
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - mine.base;
  const bool is_inside = objects.attached && bytes != 0 && offset < mine.size && bytes <= mine.size - offset;
  return is_inside ? offset : kNowhere;
}

std::byte* Boards::AttachedSegments::find(gex_Rank_t member, std::size_t offset, std::size_t bytes) const {
  const aq_peer_view_& view = rank_.objects().neighbour_views[team_.job_rank(member)];
  if (offset >= view.size_ || bytes > view.size_ - offset) return nullptr;
  return reinterpret_cast<std::byte*>(view.base_ + offset + static_cast<std::uintptr_t>(view.shift_));
}

SharedCollective* Boards::choose(const Request& request) {
  const bool together = request.enter_together || request.leave_together;
  if (request.is_reduction()) {
    if (together) return nullptr;
    if (request.bytes <= kCompactData && team_.size() <= kMostCompact) return &compact_;
    // The client's function may ask for more alignment than a cell has.
    const bool is_aligned = request.type != GEX_DT_USER || request.combiner.element_bytes % 32 != 0;
    const bool fits = request.bytes <= wide_.shape().data_bytes && request.bytes * team_.size() <= kMostRead;
    if (is_aligned && fits) return &wide_;
  } else if (request.kind == Kind::kBroadcast && !together && request.bytes <= wide_.shape().data_bytes) {
    return &wide_;
  }
  return SharedBlocks::suits(request, team_.size()) ? &blocks_ : nullptr;
}

}  // namespace aqueduct::extended::collectives
