// wait-modes: the round trip of a Short active message and its reply, with both ranks in each mode of
// gasnet_set_waitmode.
#include "am_ping_pong.hpp"
#include "limits.hpp"
#include "registry.hpp"

namespace aqueduct::bench {
namespace {

struct WaitMode {
  int mode;
  const char* name;
};
constexpr WaitMode kModes[] = {
    {GASNET_WAIT_SPIN, "spin"}, {GASNET_WAIT_BLOCK, "block"}, {GASNET_WAIT_SPINBLOCK, "spinblock"}};

/// Runs the batch with all ranks in that mode, then sets the default mode.
Batch under(int mode, Batch batch) {
  return [mode, batch = std::move(batch)](std::uint64_t count) {
    gasnet_set_waitmode(mode);
    const double ns = batch(count);
    gasnet_set_waitmode(GASNET_WAIT_SPINBLOCK);
    return ns;
  };
}

}  // namespace

Result run_wait_modes(Session& session, const Parameters& parameters) {
  Result result{.title = "short active message and its reply by mode of waiting, round trip",
                .unit = "ns",
                .limit_name = "round trip of one cache line"};
  prepare_ping_pong(session, 1);
  std::vector<Batch> batches;
  for (const WaitMode& mode : kModes)
    batches.push_back(under(mode.mode, ping_pong(session, AmKind::kShort, 8)));
  const bool has_limit = session.pair_can_bounce_a_line();
  if (has_limit) batches.push_back(one_line_round_trip(session));
  const auto times = interleave(session, parameters.repetitions, batches);
  for (std::size_t i = 0; i < std::size(kModes); ++i) {
    Row row{.size = 0, .value = times[i], .what = kModes[i].name};
    if (has_limit) row.limit = times.back();
    row.more["mode"] = kModes[i].name;
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace aqueduct::bench
