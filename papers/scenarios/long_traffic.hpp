// Long messages of a simulated job in circumstances that a pair of ranks does not meet: an initiator that
// computes instead of polling, a network that others use, many senders to one target.
//
//   LongTraffic traffic(4096);                                     // in all ranks
//   double ns = traffic.delivery_ns(100'000);                      // likewise; the answer of rank 0 counts
//
// All payloads have one size. Arrivals are checked: a wrong byte ends the simulation.
#pragma once
#include <vector>

#include "tools/scenarios/member.hpp"

namespace aqueduct::scenarios {

/// The memory of a rank for incomplete Longs.
struct ReassemblyMemory {
  std::size_t most_waiting = 0;  ///< messages at once
  std::size_t bytes = 0;         ///< the table, and the records of messages
};

class LongTraffic {
 public:
  /// Collective. `bytes`: of every payload.
  explicit LongTraffic(std::size_t bytes);
  ~LongTraffic();
  LongTraffic(const LongTraffic&) = delete;
  LongTraffic& operator=(const LongTraffic&) = delete;

  /// Collective. Rank 0 sends a Long to rank 1 and then computes for `pause_ns`, in which it does not poll.
  /// Returns the time from the call to the handler.
  double delivery_ns(std::uint64_t pause_ns);

  /// Collective, of an even number of ranks. Ranks 0 and 1 exchange Longs, a request and its reply `count`
  /// times, while of the others the first half puts into the segments of the second, `megabytes_per_second`
  /// in all. A mean round trip.
  double loaded_round_trip_ns(unsigned count, double megabytes_per_second);

  /// Collective. All other ranks send `count` Longs each to rank 0. Returns the memory that rank 0 has
  /// needed.
  ReassemblyMemory gather(unsigned count);

 private:
  struct State {
    std::uint64_t arrivals = 0;
    std::uint64_t replies = 0;
    std::uint64_t arrived_at_ns = 0;  // from the last answer
    std::byte* reply_to = nullptr;
  };
  static void on_timed(gex_Token_t token, void* payload, std::size_t bytes);
  static void on_time(gex_Token_t token, gex_AM_Arg_t high, gex_AM_Arg_t low);
  static void on_request(gex_Token_t token, void* payload, std::size_t bytes);
  static void on_reply(gex_Token_t token, void* payload, std::size_t bytes);
  static void on_arrival(gex_Token_t token, void* payload, std::size_t bytes);
  static std::vector<gex_AM_Entry_t> handlers();

  std::byte* place_at(gex_Rank_t rank, gex_Rank_t source) const;
  void push(gex_Rank_t target, std::uint64_t every_ns);
  double round_trips_ns(unsigned count);

  State state_;
  std::vector<gex_AM_Entry_t> handlers_ = handlers();
  const std::size_t bytes_;
  const std::size_t place_bytes_;  // of each source in a segment
  Member me_;
};

}  // namespace aqueduct::scenarios
