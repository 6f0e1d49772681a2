// put-latency, get-latency: the time of one blocking transfer, beside a plain copy between the same buffers.
#include <utility>

#include "registry.hpp"
#include "stopwatch.hpp"
#include "transfer.hpp"

namespace aqueduct::bench {
namespace {

// The size is a run-time value, as for a client that does not know its sizes at compile time.
[[gnu::noinline]] double blocking_puts(gex_TM_t team, gex_Rank_t to, CopyPlan plan, std::uint64_t count) {
  const Stopwatch watch;
  for (std::uint64_t i = plan.first; i != plan.first + count; ++i) {
    const std::size_t offset = (i & (plan.slots - 1)) * plan.stride;
    gex_RMA_PutBlocking(team, to, plan.to + offset, const_cast<std::byte*>(plan.from + offset), plan.bytes,
                        0);
    keep_memory();
  }
  return watch.ns();
}

[[gnu::noinline]] double blocking_gets(gex_TM_t team, gex_Rank_t from, CopyPlan plan, std::uint64_t count) {
  const Stopwatch watch;
  for (std::uint64_t i = plan.first; i != plan.first + count; ++i) {
    const std::size_t offset = (i & (plan.slots - 1)) * plan.stride;
    gex_RMA_GetBlocking(team, plan.to + offset, from, const_cast<std::byte*>(plan.from + offset), plan.bytes,
                        0);
    keep_memory();
  }
  return watch.ns();
}

Result latency(const char* title, Session& session, const Parameters& parameters, Direction direction,
               TransferLoop loop) {
  const std::unique_ptr<RawInterface> raw = open_raw_interface(session, parameters);
  std::vector<Row> rows =
      measure_transfers(session, parameters, direction, loop, raw.get(),
                        direction == Direction::kPut ? &RawInterface::put : &RawInterface::ping_pong);
  const auto name_of = [&] { return direction == Direction::kPut ? raw->put_name() : raw->ping_pong_name(); };
  return {.title = title,
          .unit = "ns",
          .limit_name = raw ? name_of() : "a plain copy between the same buffers",
          .rows = std::move(rows)};
}

}  // namespace

Result run_put_latency(Session& session, const Parameters& parameters) {
  return latency("blocking put", session, parameters, Direction::kPut, blocking_puts);
}

Result run_get_latency(Session& session, const Parameters& parameters) {
  return latency("blocking get", session, parameters, Direction::kGet, blocking_gets);
}

}  // namespace aqueduct::bench
