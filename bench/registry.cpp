#include "registry.hpp"

#include <algorithm>

#include "transfer.hpp"

namespace aqueduct::bench {
namespace {

using Sizes = std::vector<std::size_t>;

/// Enough batches for a steady median; a row takes about 30 ms of measuring.
constexpr unsigned kBatches = 41;
/// Every batch of an injection row is timed train by train, and there are many rows.
constexpr unsigned kTrainBatches = 15;
constexpr unsigned kPasses = 8;
/// Rows for every number of ranks.
constexpr unsigned kTeamBatches = 11;
/// NetPIPE has many sizes.
constexpr unsigned kNetpipeBatches = 7;

Sizes no_sizes(const Parameters&) { return {8}; }
Sizes latency_sizes(const Parameters&) { return {8, 64, 512, 4 * kKiB}; }
Sizes bandwidth_sizes(const Parameters&) { return {512, 4 * kKiB, 64 * kKiB, 256 * kKiB, kMiB, 4 * kMiB}; }
Sizes limit_sizes(const Parameters&) { return {8, 64, 512, 4 * kKiB, 64 * kKiB, kMiB}; }
Sizes collective_sizes(const Parameters&) { return {8, 64, 512, 4 * kKiB, 64 * kKiB, kMiB}; }
Sizes element_sizes(const Parameters&) { return {4, 8, 24, 64, 512}; }
Sizes table_sizes(const Parameters&) { return {8 * kMiB}; }

Sizes message_sizes(const Parameters& parameters) {
  if (parameters.kind == "medium") return {8, 64, 512};
  if (parameters.kind == "long") return {8, 512, 4 * kKiB, 64 * kKiB};
  if (parameters.kind == "echo") return {512, 4 * kKiB, 32 * kKiB};
  return {8};
}

Sizes datagram_sizes(const Parameters&) { return {64, 1400, 8 * kKiB}; }

std::size_t no_data(const Parameters&) { return 8; }

std::size_t largest_size(const Parameters& parameters) { return std::ranges::max(parameters.sizes); }

const std::vector<std::string> kMessageKinds{"short", "medium", "long"};
const std::vector<std::string> kRoundTripKinds{"short", "medium", "long", "echo"};
const std::vector<std::string> kPayloadKinds{"medium", "long"};

const std::vector<Bench>& table() {
  static const std::vector<Bench> benches{
      {"limits",
       "what the machine itself can do: a cache line's round trip, memcpy by size",
       2,
       kBatches,
       {},
       true,
       false,
       limit_sizes,
       window_bytes,
       run_limits},
      {"put-latency",
       "a blocking put",
       2,
       kBatches,
       {},
       true,
       false,
       latency_sizes,
       window_bytes,
       run_put_latency,
       nullptr,
       1,
       true},
      {"get-latency",
       "a blocking get",
       2,
       kBatches,
       {},
       true,
       false,
       latency_sizes,
       window_bytes,
       run_get_latency,
       nullptr,
       1,
       true},
      {"put-bandwidth",
       "a stream of puts",
       2,
       kBatches,
       {},
       true,
       false,
       bandwidth_sizes,
       window_bytes,
       run_put_bandwidth,
       nullptr,
       1,
       true},
      {"get-bandwidth",
       "a stream of gets",
       2,
       kBatches,
       {},
       true,
       false,
       bandwidth_sizes,
       window_bytes,
       run_get_bandwidth,
       nullptr,
       1,
       true},
      {"am-latency", "an active message and its reply (--kind), also from several threads (--threads)", 2,
       kBatches, kRoundTripKinds, true, true, message_sizes, am_latency_data_bytes, run_am_latency, nullptr,
       1, true},
      {"am-flood", "active messages in one direction (--kind)", 2, kBatches, kMessageKinds, true, false,
       message_sizes, window_bytes, run_am_flood, nullptr, 1, true},
      {"am-prepare", "an active message in two steps, against one (--kind)", 2, kBatches, kPayloadKinds, true,
       false, message_sizes, window_bytes, run_am_prepare},
      {"wait-modes",
       "an active message and its reply under each mode of gasnet_set_waitmode",
       2,
       kBatches,
       {},
       false,
       false,
       no_sizes,
       window_bytes,
       run_wait_modes},
      {"injection",
       "what starting an operation costs, 1 to 256 at once (--kind)",
       2,
       kTrainBatches,
       {"put", "get", "short"},
       true,
       false,
       no_sizes,
       window_bytes,
       run_injection},
      {"barrier",
       "a barrier over all ranks",
       1,
       kBatches,
       {},
       false,
       false,
       no_sizes,
       window_bytes,
       run_barrier},
      {"reduce",
       "a reduction to all ranks of 64-bit sums",
       1,
       kBatches,
       {},
       true,
       false,
       collective_sizes,
       no_data,
       run_reduce},
      {"broadcast",
       "a broadcast to all ranks from each in turn",
       1,
       kBatches,
       {},
       true,
       false,
       collective_sizes,
       no_data,
       run_broadcast},
      {"team-barrier",
       "a barrier by the number of ranks: the first 2, 4, 8, ... of them",
       2,
       kTeamBatches,
       {},
       false,
       false,
       no_sizes,
       no_data,
       run_team_barrier},
      {"team-broadcast",
       "a broadcast by the number of ranks, between segments or not (--kind)",
       2,
       kTeamBatches,
       {"segment", "private"},
       true,
       false,
       collective_sizes,
       team_broadcast_data_bytes,
       run_team_broadcast},
      {"random-access",
       "random updates of a table over all ranks, with a self-check",
       1,
       kPasses,
       {},
       true,
       false,
       table_sizes,
       largest_size,
       run_random_access},
      {"portals-perf",
       "Portals between two ranks, or simulated (--sim): put, get and bidirectional put (--kind)",
       2,
       kBatches,
       {"all", "put", "acknowledged-put", "get", "bidirectional-put"},
       true,
       false,
       portals_perf_sizes,
       no_data,
       run_portals,
       simulate_portals,
       0},
      {"portals-netpipe",
       "the same over NetPIPE's sizes: also streams and bidirectional gets (--kind)",
       2,
       kNetpipeBatches,
       {"put", "get", "bidirectional-put", "bidirectional-get", "put-stream", "get-stream"},
       true,
       false,
       portals_netpipe_sizes,
       no_data,
       run_portals,
       simulate_portals,
       0},
      {"atomics",
       "a remote atomic on a word of the partner, which does the same meanwhile (--kind both) or not",
       2,
       kBatches,
       {"alone", "both"},
       false,
       false,
       no_sizes,
       window_bytes,
       run_atomics},
      {"vis-strided",
       "a strided transfer of a block of a matrix (--kind)",
       2,
       kBatches,
       {"put", "get"},
       true,
       false,
       element_sizes,
       vis_strided_data_bytes,
       run_vis_strided},
      {"udp-seal",
       "sealing and opening a datagram of the udp conduit, by cipher",
       1,
       kTrainBatches,
       {},
       true,
       false,
       datagram_sizes,
       no_data,
       run_udp_seal},
  };
  return benches;
}

}  // namespace

std::span<const Bench> all_benches() { return table(); }

const Bench* find_bench(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &Bench::name);
  return found == table().end() ? nullptr : &*found;
}

}  // namespace aqueduct::bench
