#include "many_flood.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "stopwatch.hpp"

namespace aqueduct::bench {
namespace {

/// Long enough that the start of threads, which is not timed, and their last messages do not count for much.
constexpr double kManyBatchNs = 8'000'000;
/// Operations of a batch at least. Where threads share cores one operation can take as long as a batch,
/// because a thread waits for its turn: that would be measured in place of a flood.
constexpr std::uint64_t kLeastOperations = 4096;

}  // namespace

FloodShape FloodShape::of(const Session& session, unsigned threads, unsigned peers) {
  FloodShape shape{.threads = threads, .peers = {}};
  const gex_Rank_t others = session.size() - 1;
  for (gex_Rank_t i = 0; i < peers; ++i) shape.peers.push_back(1 + (session.size() / 2 - 1 + i) % others);
  return shape;
}

std::uint64_t FloodShape::received_by(gex_Rank_t rank, std::uint64_t count) const {
  const auto found = std::ranges::find(peers, rank);
  if (found == peers.end()) return 0;
  const auto index = static_cast<std::uint64_t>(found - peers.begin());
  std::uint64_t received = 0;
  for (unsigned thread = 0; thread < threads; ++thread) {
    const std::uint64_t share = share_of(thread, count);
    const std::uint64_t first = (index + peers.size() - thread % peers.size()) % peers.size();
    if (share > first) received += (share - first - 1) / peers.size() + 1;
  }
  return received;
}

std::string FloodShape::text() const {
  return fmt::format("{} thread{}, {} peer{}", threads, threads == 1 ? "" : "s", peers.size(),
                     peers.size() == 1 ? "" : "s");
}

double run_together(unsigned threads, const std::function<void(unsigned thread)>& work) {
  if (threads == 1) {
    const Stopwatch watch;
    work(0);
    return watch.ns();
  }
  std::atomic<unsigned> ready{0};
  std::atomic<bool> goes{false};
  std::vector<std::thread> all;
  for (unsigned thread = 0; thread < threads; ++thread) {
    all.emplace_back([&, thread] {
      ready.fetch_add(1);
      while (!goes.load(std::memory_order_acquire)) sched_yield();
      work(thread);
    });
  }
  while (ready.load() != threads) sched_yield();
  const Stopwatch watch;
  goes.store(true, std::memory_order_release);
  for (std::thread& each : all) each.join();
  return watch.ns();
}

void add_flood_rows(Session& session, const Parameters& parameters, std::size_t size, const MakeFlood& batch,
                    RawInterface* raw, Result* result) {
  std::vector<FloodShape> shapes{FloodShape::of(session, 1, 1)};
  if (parameters.threads > 1 || parameters.peers > 1)
    shapes.push_back(FloodShape::of(session, parameters.threads, parameters.peers));
  std::vector<Batch> batches;
  std::vector<std::optional<std::size_t>> limits;  // of each shape, in batches
  for (const FloodShape& shape : shapes) batches.push_back(batch(shape));
  for (const FloodShape& shape : shapes) {
    Batch bare;
    if (raw) bare = shape.is_one_to_one() ? raw->stream(size) : raw->flood(size, shape);
    limits.push_back(bare ? std::optional(batches.size()) : std::nullopt);
    if (bare) batches.push_back(std::move(bare));
  }
  const bool is_plain = shapes.size() == 1;
  const auto times = interleave(session, parameters.repetitions, batches, is_plain ? kBatchNs : kManyBatchNs,
                                is_plain ? 1 : kLeastOperations);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Row row{.size = size,
            .value = times[i],
            .limit = limits[i] ? std::optional(times[*limits[i]]) : std::nullopt,
            .what = shapes[i].text()};
    row.more["threads"] = shapes[i].threads;
    row.more["peers"] = static_cast<unsigned>(shapes[i].peers.size());
    result->rows.push_back(std::move(row));
  }
  if (shapes.size() == 1) return;
  result->notes.push_back(fmt::format("Size {}: {} reach {:.2f} times the rate of one thread and one peer.",
                                      size_text(size), shapes[1].text(), times[0].median / times[1].median));
}

}  // namespace aqueduct::bench
