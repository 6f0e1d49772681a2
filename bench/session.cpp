#include "session.hpp"

#include <fmt/format.h>

#include <cstring>

#include "start.hpp"

namespace aqueduct::bench {
namespace {

void must(int code, const char* call) {
  if (code == GASNET_OK) return;
  fmt::print(stderr, "aqueduct bench: {} failed: {}\n", call, gasnet_ErrorDesc(code));
  gasnet_exit(1);
}

}  // namespace

Session::Session(const Parameters& parameters, std::size_t data_bytes) : crowded_(parameters.crowded) {
  gex_Client_t client{};
  if (parameters.par()) {
    must(start_par(&client, &endpoint_, &team_), "gex_Client_Init");
  } else {
    must(start_seq(&client, &endpoint_, &team_), "gex_Client_Init");
  }
  rank_ = gex_TM_QueryRank(team_);
  size_ = gex_TM_QuerySize(team_);

  const std::size_t page = GASNET_PAGESIZE;
  const std::size_t bytes = (sizeof(Control) + data_bytes + page - 1) / page * page;
  if (bytes > gasnet_getMaxGlobalSegmentSize()) {
    throw Unsuitable(
        fmt::format("--sizes: needs a segment of {} bytes in each rank, at most {} are possible here", bytes,
                    gasnet_getMaxGlobalSegmentSize()));
  }
  gex_Segment_t segment{};
  must(gex_Segment_Attach(&segment, team_, bytes), "gex_Segment_Attach");

  peers_.resize(size_);
  for (gex_Rank_t rank = 0; rank < size_; ++rank) {
    void* owner = nullptr;
    void* mapped = nullptr;
    uintptr_t extent = 0;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(team_, rank, &owner, &mapped, &extent, 0));
    peers_[rank] = {.owner = static_cast<std::byte*>(owner), .mapped = static_cast<std::byte*>(mapped)};
  }
  // Touches every page before measurements, and lets no rank write before the control words are zero.
  std::memset(peers_[rank_].owner, 0, sizeof(Control));
  std::memset(peers_[rank_].owner + sizeof(Control), 1, bytes - sizeof(Control));
  barrier();
  const auto reach = gather(mapped_control_of(partner()) != nullptr);
  pair_shares_memory_ = size_ > 1 && reach[0] != 0 && reach[size_ / 2] != 0;
}

std::byte* Session::mapped_data_of(gex_Rank_t rank) const {
  std::byte* const mapped = peers_[rank].mapped;
  return mapped == nullptr ? nullptr : mapped + sizeof(Control);
}

void Session::register_handlers(std::span<gex_AM_Entry_t> handlers) {
  must(gex_EP_RegisterHandlers(endpoint_, handlers.data(), handlers.size()), "gex_EP_RegisterHandlers");
  barrier();
}

void Session::barrier() {
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  must(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS), "gasnet_barrier_wait");
}

std::uint64_t Session::agree(std::uint64_t value) {
  if (rank_ == 0) {
    for (gex_Rank_t rank = 0; rank < size_; ++rank) {
      gex_RMA_PutBlockingVal(team_, rank, &control_of(rank)->agreed, value, sizeof value, 0);
    }
  }
  barrier();
  const std::uint64_t agreed = control_of(rank_)->agreed;
  barrier();
  return agreed;
}

std::vector<std::uint64_t> Session::exchange(std::span<const std::uint64_t> to) {
  for (gex_Rank_t rank = 0; rank < size_; ++rank) {
    gex_RMA_PutBlockingVal(team_, rank, &control_of(rank)->from[rank_], to[rank], sizeof(std::uint64_t), 0);
  }
  barrier();
  const std::uint64_t* const from = control_of(rank_)->from;
  std::vector<std::uint64_t> received(from, from + size_);
  barrier();
  return received;
}

std::vector<std::uint64_t> Session::gather(std::uint64_t value) {
  return exchange(std::vector<std::uint64_t>(size_, value));
}

}  // namespace aqueduct::bench
