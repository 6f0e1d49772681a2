#include "default_sizes.hpp"
#include "registry.hpp"
#include "transfer.hpp"

namespace aqueduct::bench {
namespace {

constexpr unsigned kPasses = 8;

Sizes latency_sizes(const Parameters&) { return {8, 64, 512, 4 * kKiB}; }
Sizes bandwidth_sizes(const Parameters&) { return {512, 4 * kKiB, 64 * kKiB, 256 * kKiB, kMiB, 4 * kMiB}; }
Sizes table_sizes(const Parameters&) { return {8 * kMiB}; }

std::size_t largest_size(const Parameters& parameters) { return std::ranges::max(parameters.sizes); }

}  // namespace

std::vector<Bench> demo_benches() {
  return {
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
      {"am-latency",
       "an active message and its reply (--kind), also from several threads (--threads)",
       2,
       kBatches,
       {"short", "medium", "long", "echo"},
       true,
       true,
       message_sizes,
       am_latency_data_bytes,
       run_am_latency,
       nullptr,
       1,
       true},
      {"am-flood",
       "active messages in one direction (--kind), also of several threads to several peers (--peers)",
       2,
       kBatches,
       {"short", "medium", "long"},
       true,
       true,
       message_sizes,
       window_bytes,
       run_am_flood,
       nullptr,
       1,
       true,
       nullptr,
       "--kind",
       true},
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
      {"random-access", "random updates of a table over all ranks, in several versions (--version), verified",
       1, kPasses, random_access_versions(), true, false, table_sizes, largest_size, run_random_access,
       nullptr, 1, false, complaint_about_random_access, "--version"},
  };
}

}  // namespace aqueduct::bench
