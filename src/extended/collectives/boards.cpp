#include "extended/collectives/boards.hpp"

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
constexpr std::size_t kMostRead = 16 * 1024;  // by each member: beyond that others do it better

std::vector<std::byte*> compact_cells(core::Rank& rank, const core::Team& team, unsigned place) {
  std::byte* const first = place_of(rank, team, 0, place).compact;
  std::vector<std::byte*> cells;
  for (gex_Rank_t member = 0; member < team.size(); ++member) cells.push_back(first + member * kCompactCell);
  return cells;
}

std::vector<std::byte*> wide_cells(core::Rank& rank, const core::Team& team, unsigned place) {
  std::vector<std::byte*> cells;
  for (gex_Rank_t member = 0; member < team.size(); ++member) {
    cells.push_back(place_of(rank, team, member, place).wide);
  }
  return cells;
}

}  // namespace

std::unique_ptr<Boards> Boards::open(core::Rank& rank, const core::Team& team, unsigned place) {
  if (!can_use_places(rank, team, place)) return nullptr;
  if (place != kWorldBoard) {
    std::memset(rank.neighbourhood()->rank_board(rank.id(), place), 0, sizeof(Place));
  }
  return std::unique_ptr<Boards>(new Boards(rank, team, place));
}

Boards::Boards(core::Rank& rank, const core::Team& team, unsigned place)
    : team_(team),
      compact_(rank, team, {kCompactRows, kCompactData, kStampBytes, compact_row(team.size())},
               compact_cells(rank, team, place)),
      wide_(rank, team, {kWideRows, kWideCell - kWideOffset, kWideOffset, kWideCell},
            wide_cells(rank, team, place)) {}

Board* Boards::choose(const Request& request) {
  if (request.enter_together || request.leave_together) return nullptr;
  if (request.kind == Kind::kBroadcast) {
    return request.bytes <= wide_.shape().data_bytes ? &wide_ : nullptr;
  }
  if (!request.is_reduction()) return nullptr;
  if (request.bytes <= kCompactData && team_.size() <= kMostCompact) return &compact_;
  // The client's function may ask for more alignment than a cell has.
  if (request.type == GEX_DT_USER && request.combiner.element_bytes % 32 == 0) return nullptr;
  const bool fits = request.bytes <= wide_.shape().data_bytes && request.bytes * team_.size() <= kMostRead;
  return fits ? &wide_ : nullptr;
}

}  // namespace aqueduct::extended::collectives
