// am-latency: the round trip of an active message and its reply; with --threads, how the rate grows with
// threads.
#include <fmt/format.h>

#include "am_ping_pong.hpp"
#include "limits.hpp"
#include "raw/raw_interface.hpp"
#include "registry.hpp"
#include "transfer.hpp"

namespace aqueduct::bench {
namespace {

/// The least time of the machine for one round trip with payload: the trip of a line, or the two copies (one
/// by each rank) of a Long or Medium, whichever is longer; for an echo, copies of both ranks' data.
Spread round_trip_limit(const Spread& line, const Spread& copy) {
  const Spread two_copies = copy.scaled(2);
  return two_copies.median > line.median ? two_copies : line;
}

const char* limit_name(AmKind kind) {
  switch (kind) {
    case AmKind::kShort:
      return "round trip of one cache line";
    case AmKind::kEcho:
      return "two copies of data that cross over";
    default:
      return "round trip of one cache line, or the two copies if they take longer";
  }
}

Result one_thread(Session& session, const Parameters& parameters, AmKind kind) {
  Result result{.title = fmt::format("{} active message and its reply, round trip", parameters.kind),
                .unit = "ns",
                .limit_name = limit_name(kind)};
  const std::unique_ptr<RawInterface> raw = open_raw_interface(session, parameters);
  if (raw) result.limit_name = raw->ping_pong_name();
  const PrivateMemory memory(window_bytes(parameters));
  for (const std::size_t size : parameters.sizes) {
    std::vector<Batch> batches{ping_pong(session, kind, size)};
    const bool has_limit = !raw && session.pair_can_bounce_a_line();
    if (raw) batches.push_back(raw->ping_pong(kind == AmKind::kShort ? 0 : size));
    if (has_limit) {
      const std::size_t copied = kind == AmKind::kShort ? 8 : size;
      batches.push_back(one_line_round_trip(session));
      batches.push_back(two_line_round_trip(session));
      batches.push_back(plain_copy(session, {.to = session.mapped_data_of(session.partner()),
                                             .from = memory.data(),
                                             .bytes = copied,
                                             .stride = 0,
                                             .slots = 1}));
      if (kind == AmKind::kEcho) batches.push_back(two_copies_round_trip(session, size, memory.data()));
    }
    const auto times = interleave(session, parameters.repetitions, batches);
    Row row{.size = kind == AmKind::kShort ? 0 : size, .value = times[0]};
    if (raw) row.limit = times[1];
    if (has_limit) {
      row.limit = kind == AmKind::kEcho ? times[4] : round_trip_limit(times[1], times[3]);
      row.more["line_each_way"] = times[2].median;
      result.notes.push_back(
          fmt::format("Size {}: a round trip with a cache line for each direction takes {:.0f} ns (median), "
                      "{:.0f} ns at best.",
                      size_text(row.size), times[2].median, times[2].min));
    }
    result.rows.push_back(std::move(row));
  }
  return result;
}

/// One row for one thread, one for all threads; rates, because they add up.
Result many_threads(Session& session, const Parameters& parameters, AmKind kind) {
  constexpr double kThreadedBatchNs = 2'000'000;
  constexpr double kPerSecond = 1e9 / 1e6;
  Result result{.title = fmt::format("{} active messages and replies, {} threads in each rank",
                                     parameters.kind, parameters.threads),
                .unit = "million round trips/s",
                .limit_name = "round trips of one cache line, for one thread",
                .better = Better::kHigher};
  for (const std::size_t size : parameters.sizes) {
    std::vector<Batch> batches{threaded_ping_pong(session, kind, size, 1),
                               threaded_ping_pong(session, kind, size, parameters.threads)};
    const bool has_limit = session.pair_can_bounce_a_line();
    if (has_limit) batches.push_back(one_line_round_trip(session));
    const auto times = interleave(session, parameters.repetitions, batches, kThreadedBatchNs);

    Row one{.size = kind == AmKind::kShort ? 0 : size,
            .value = times[0].inverted(kPerSecond),
            .what = "1 thread"};
    if (has_limit) one.limit = times[2].inverted(kPerSecond);
    one.more["threads"] = 1u;
    Row all{.size = one.size,
            .value = times[1].inverted(kPerSecond * parameters.threads),
            .what = fmt::format("{} threads", parameters.threads)};
    const double scaling = all.value.median / one.value.median;
    all.more["threads"] = parameters.threads;
    all.more["scaling"] = scaling;
    result.notes.push_back(fmt::format("Size {}: {} threads reach {:.2f} times the rate of one.",
                                       size_text(one.size), parameters.threads, scaling));
    result.rows.push_back(std::move(one));
    result.rows.push_back(std::move(all));
  }
  return result;
}

}  // namespace

std::size_t am_latency_data_bytes(const Parameters& parameters) {
  return ping_pong_data_bytes(window_bytes(parameters), parameters.threads);
}

Result run_am_latency(Session& session, const Parameters& parameters) {
  const AmKind kind = am_kind(parameters.kind);
  for (const std::size_t size : parameters.sizes) check_payload(kind, size);
  prepare_ping_pong(session, parameters.threads);
  return parameters.threads == 1 ? one_thread(session, parameters, kind)
                                 : many_threads(session, parameters, kind);
}

}  // namespace aqueduct::bench
