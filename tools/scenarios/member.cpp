#include "member.hpp"

#include <algorithm>
#include <cstring>

#include "base/fatal.hpp"
#include "base/types.hpp"
#include "tools/common/progress.hpp"

namespace aqueduct::scenarios {
namespace {

/// The bytes of a block repeat with this period.
constexpr std::size_t kPeriod = std::size_t{7} * 256;

std::uint8_t expected_byte(std::size_t position, std::uint64_t source, std::uint64_t round) {
  return static_cast<std::uint8_t>(sim::mix(source * 0x10001 + round) >> position % 7 * 8) ^
         static_cast<std::uint8_t>(position / 7);
}

}  // namespace

Member::Member(std::size_t bytes, void* state, std::span<gex_AM_Entry_t> handlers) {
  gex_Client_t client;
  gex_Client_Init(&client, &endpoint_, &team_, "scenario", nullptr, nullptr, 0);
  rank_ = gex_TM_QueryRank(team_);
  size_ = gex_TM_QuerySize(team_);
  gex_EP_SetCData(endpoint_, state);
  if (!handlers.empty()) gex_EP_RegisterHandlers(endpoint_, handlers.data(), handlers.size());
  gex_Segment_t segment;
  gex_Segment_Attach(&segment, team_, round_up(bytes, kPage));
  base_ = static_cast<std::byte*>(gex_Segment_QueryAddr(segment));
}

std::byte* Member::at(gex_Rank_t rank, std::size_t offset) const {
  void* owner = nullptr;
  gex_Segment_QueryBound(team_, rank, &owner, nullptr, nullptr);
  return static_cast<std::byte*>(owner) + offset;
}

void Member::barrier() const { gex_Event_Wait(gex_Coll_BarrierNB(team_, 0)); }

void Member::begin_round(std::uint64_t round, std::uint64_t rounds) const {
  if (rank_ == 0) Progress::report(static_cast<double>(round) / static_cast<double>(rounds));
}

void* Member::state_of(gex_Token_t token) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_EP);
  return gex_EP_QueryCData(info.gex_ep);
}

void fill(std::byte* block, std::size_t bytes, std::uint64_t source, std::uint64_t round) {
  for (std::size_t i = 0; i < std::min(bytes, kPeriod); ++i)
    block[i] = std::byte{expected_byte(i, source, round)};
  for (std::size_t done = kPeriod; done < bytes; done += kPeriod)
    std::memcpy(block + done, block, std::min(kPeriod, bytes - done));
}

void check(const char* where, const std::byte* block, std::size_t bytes, std::uint64_t source,
           std::uint64_t round) {
  const bool repeats = bytes > kPeriod && std::memcmp(block + kPeriod, block, bytes - kPeriod) == 0;
  for (std::size_t i = 0; i < (repeats ? kPeriod : bytes); ++i) {
    if (block[i] == std::byte{expected_byte(i, source, round)}) continue;
    fatal(where, "byte %zu of %zu is not what rank %llu wrote in round %llu", i, bytes,
          static_cast<unsigned long long>(source), static_cast<unsigned long long>(round));
  }
}

}  // namespace aqueduct::scenarios
