// A rank of a benchmark job: the client of the library, its segment, and the collective steps that all
// benchmarks share.
//
// Rank 0 measures; its partner is the rank half the job away, so a job of two measures between its two ranks.
// All other ranks only take part in collective steps. Segments start with a page of control words, then data.
// Only the thread that made the session calls these functions.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "client.hpp"
#include "parameters.hpp"

namespace aqueduct::bench {

/// The run is not possible as asked; the text is one line for the user. All ranks throw it, before measuring.
struct Unsuitable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A word that two ranks bounce, alone in its pair of cache lines.
struct alignas(128) SharedLine {
  std::atomic<std::uint64_t> word;
};

/// The start of every segment.
struct Control {
  static constexpr std::size_t kMostRanks = 256;

  SharedLine ping;
  SharedLine pong;
  alignas(128) std::uint64_t agreed;
  alignas(128) std::uint64_t from[kMostRanks];
};

class Session {
 public:
  /// Starts the client and attaches a segment with `data_bytes` of data, all of it touched.
  Session(const Parameters& parameters, std::size_t data_bytes);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  gex_TM_t team() const { return team_; }
  gex_EP_t endpoint() const { return endpoint_; }
  gex_Rank_t rank() const { return rank_; }
  gex_Rank_t size() const { return size_; }
  gex_Rank_t partner() const { return rank_ == 0 ? size_ / 2 : 0; }
  bool measures() const { return rank_ == 0; }
  bool serves() const { return size_ > 1 && rank_ == size_ / 2; }

  /// The data of `rank`, in that rank's addresses.
  std::byte* data_of(gex_Rank_t rank) const { return peers_[rank].owner + sizeof(Control); }
  std::byte* data() const { return data_of(rank_); }

  /// The same memory in this process's addresses; null if it is not mapped here.
  std::byte* mapped_data_of(gex_Rank_t rank) const;
  Control* mapped_control_of(gex_Rank_t rank) const {
    return reinterpret_cast<Control*>(peers_[rank].mapped);
  }

  /// Whether rank 0 and its partner reach each other's segments by plain loads and stores.
  bool pair_shares_memory() const { return pair_shares_memory_; }
  /// Whether a cache line's round trip is meaningful: the pair shares memory, and each has a core.
  bool pair_can_bounce_a_line() const { return pair_shares_memory_ && !crowded_; }

  void register_handlers(std::span<gex_AM_Entry_t> handlers);

  void barrier();
  /// Collective: the value that rank 0 gave.
  std::uint64_t agree(std::uint64_t value);
  /// Collective: sends `to[r]` to every rank r and returns the value from each rank.
  std::vector<std::uint64_t> exchange(std::span<const std::uint64_t> to);
  /// Collective: returns the values of all ranks.
  std::vector<std::uint64_t> gather(std::uint64_t value);

  /// The rounds of each bare ping-pong, the same at both ranks of the pair.
  std::uint64_t one_line_turns = 0;
  std::uint64_t two_line_turns = 0;

 private:
  struct Peer {
    std::byte* owner = nullptr;
    std::byte* mapped = nullptr;
  };

  Control* control_of(gex_Rank_t rank) const { return reinterpret_cast<Control*>(peers_[rank].owner); }

  gex_EP_t endpoint_{};
  gex_TM_t team_{};
  gex_Rank_t rank_ = 0;
  gex_Rank_t size_ = 1;
  std::vector<Peer> peers_;
  bool pair_shares_memory_ = false;
  bool crowded_ = false;
};

}  // namespace aqueduct::bench
