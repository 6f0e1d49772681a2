#include "papers/parts/credit_plan.hpp"

#include <algorithm>
#include <span>

namespace aqueduct::parts {
namespace {

struct Point {
  RankId ranks;
  std::uint32_t per_peer;
  std::uint32_t banked;
};

// Starting values by the number of ranks, for chunks of 2048 and of 1024 bytes, as the Portals conduit of
// GASNet had them.
constexpr Point kChunks2048[] = {{1, 200, 200},     {64, 170, 12800},  {128, 170, 25600},
                                 {512, 64, 25600},  {1024, 32, 25600}, {2048, 16, 25600},
                                 {3072, 12, 25600}, {4096, 8, 25600},  {20480, 8, 25600}};
constexpr Point kChunks1024[] = {{1, 200, 400},     {64, 170, 25600},  {128, 170, 51200}, {512, 64, 51200},
                                 {1024, 32, 51200}, {2048, 16, 51200}, {3072, 12, 51200}, {4096, 8, 51200},
                                 {5120, 4, 51200},  {20480, 4, 51200}};

std::uint32_t between(std::uint32_t left, std::uint32_t right, std::uint64_t part, std::uint64_t whole) {
  const auto difference = static_cast<std::int64_t>(right) - static_cast<std::int64_t>(left);
  return static_cast<std::uint32_t>(left + difference * static_cast<std::int64_t>(part) /
                                               static_cast<std::int64_t>(whole));
}

Point interpolate(std::span<const Point> table, RankId ranks) {
  const auto right = std::ranges::lower_bound(table, ranks, {}, &Point::ranks);
  if (right == table.end()) return table.back();
  if (right == table.begin()) return *right;
  const Point& left = *(right - 1);
  const std::uint64_t part = ranks - left.ranks, whole = right->ranks - left.ranks;
  return {ranks, between(left.per_peer, right->per_peer, part, whole),
          between(left.banked, right->banked, part, whole)};
}

}  // namespace

CreditPlan plan_credits(const CreditPlanInput& input) {
  const bool large_chunks = input.chunk_bytes > 1024;
  const Point start =
      interpolate(large_chunks ? std::span<const Point>(kChunks2048) : kChunks1024, input.ranks);
  CreditPlan plan;
  CreditSettings& settings = plan.settings;
  settings.peers = input.ranks;
  settings.self = input.self;
  settings.dynamic = input.dynamic;
  settings.least = static_cast<std::uint16_t>(credits_for(input.chunk_bytes));
  settings.per_peer = static_cast<std::uint16_t>(
      std::clamp<std::uint32_t>(input.per_peer.value_or(start.per_peer), settings.least, UINT16_MAX));
  settings.banked = input.banked.value_or(start.banked);

  // The last chunk of a buffer is never promised: a buffer is retired as soon as less than a chunk is left.
  const auto per_buffer =
      static_cast<std::uint64_t>((input.chunks_per_buffer - 1) * input.chunk_bytes / kCreditBytes);
  const std::uint64_t promised = std::uint64_t{settings.per_peer} * (input.ranks - 1) + settings.banked;
  const std::uint64_t buffers = std::max<std::uint64_t>(1, (promised + per_buffer - 1) / per_buffer);
  settings.banked += static_cast<std::uint32_t>(buffers * per_buffer - promised);
  plan.buffers = static_cast<unsigned>(buffers) + input.spare_buffers;
  plan.receive_bytes = plan.buffers * input.chunks_per_buffer * input.chunk_bytes;
  plan.events = static_cast<std::uint32_t>(buffers * per_buffer);
  return plan;
}

}  // namespace aqueduct::parts
