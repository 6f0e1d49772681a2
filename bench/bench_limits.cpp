// limits: the speed of the machine itself, without the library.
#include "limits.hpp"
#include "registry.hpp"
#include "transfer.hpp"

namespace aqueduct::bench {

Result run_limits(Session& session, const Parameters& parameters) {
  if (!session.pair_shares_memory()) throw Unsuitable("limits: the two ranks do not share memory");
  Result result{.title = "the machine's own limits", .unit = "ns"};

  const auto lines = interleave(session, parameters.repetitions,
                                {one_line_round_trip(session), two_line_round_trip(session)});
  result.rows.push_back({.size = 64, .value = lines[0], .what = "round trip of one cache line"});
  result.rows.push_back({.size = 64, .value = lines[1], .what = "round trip, a line each way"});

  const PrivateMemory memory(window_bytes(parameters));
  std::byte* const shared = session.mapped_data_of(session.partner());
  for (const std::size_t size : parameters.sizes) {
    const Window window(size);
    const CopyPlan out{
        .to = shared, .from = memory.data(), .bytes = size, .stride = window.stride, .slots = window.slots};
    const CopyPlan in{
        .to = memory.data(), .from = shared, .bytes = size, .stride = window.stride, .slots = window.slots};
    const auto copies =
        interleave(session, parameters.repetitions, {plain_copy(session, out), plain_copy(session, in)});
    result.rows.push_back({.size = size, .value = copies[0], .what = "copy to the partner"});
    result.rows.push_back({.size = size, .value = copies[1], .what = "copy from the partner"});
  }
  return result;
}

}  // namespace aqueduct::bench
