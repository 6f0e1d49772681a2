// put-bandwidth, get-bandwidth: bytes per second of a stream of non-blocking transfers, beside plain copies.
#include <algorithm>
#include <utility>

#include "registry.hpp"
#include "stopwatch.hpp"
#include "transfer.hpp"

namespace aqueduct::bench {
namespace {

/// Transfers in flight before the stream waits for them.
constexpr std::uint64_t kInFlight = 64;
/// A stream has no fewer: the first and the last would count too much.
std::uint64_t least_transfers(std::size_t size) {
  constexpr std::size_t kBytes = std::size_t{32} << 20;
  return std::clamp<std::uint64_t>(kBytes / size, 1, kInFlight);
}

[[gnu::noinline]] double stream_puts(gex_TM_t team, gex_Rank_t to, CopyPlan plan, std::uint64_t count) {
  const Stopwatch watch;
  for (std::uint64_t i = plan.first; i != plan.first + count; ++i) {
    const std::size_t offset = (i & (plan.slots - 1)) * plan.stride;
    gex_RMA_PutNBI(team, to, plan.to + offset, const_cast<std::byte*>(plan.from + offset), plan.bytes,
                   GEX_EVENT_DEFER, 0);
    keep_memory();
    if (i % kInFlight == kInFlight - 1) gex_NBI_Wait(GEX_EC_PUT, 0);
  }
  gex_NBI_Wait(GEX_EC_PUT, 0);
  return watch.ns();
}

[[gnu::noinline]] double stream_gets(gex_TM_t team, gex_Rank_t from, CopyPlan plan, std::uint64_t count) {
  const Stopwatch watch;
  for (std::uint64_t i = plan.first; i != plan.first + count; ++i) {
    const std::size_t offset = (i & (plan.slots - 1)) * plan.stride;
    gex_RMA_GetNBI(team, plan.to + offset, from, const_cast<std::byte*>(plan.from + offset), plan.bytes, 0);
    keep_memory();
    if (i % kInFlight == kInFlight - 1) gex_NBI_Wait(GEX_EC_GET, 0);
  }
  gex_NBI_Wait(GEX_EC_GET, 0);
  return watch.ns();
}

Result bandwidth(const char* title, Session& session, const Parameters& parameters, Direction direction,
                 TransferLoop loop) {
  const std::unique_ptr<RawInterface> raw = open_raw_interface(session, parameters);
  std::vector<Row> rows = measure_transfers(session, parameters, direction, loop, raw.get(),
                                            &RawInterface::stream, least_transfers);
  for (Row& row : rows) {
    const auto bytes = static_cast<double>(row.size);  // bytes per nanosecond are gigabytes per second
    row.value = row.value.inverted(bytes);
    if (row.limit) row.limit = row.limit->inverted(bytes);
  }
  return {.title = title,
          .unit = "GB/s",
          .limit_name = raw ? raw->stream_name() : "plain copies between the same buffers",
          .better = Better::kHigher,
          .rows = std::move(rows)};
}

}  // namespace

Result run_put_bandwidth(Session& session, const Parameters& parameters) {
  return bandwidth("stream of puts", session, parameters, Direction::kPut, stream_puts);
}

Result run_get_bandwidth(Session& session, const Parameters& parameters) {
  return bandwidth("stream of gets", session, parameters, Direction::kGet, stream_gets);
}

}  // namespace aqueduct::bench
