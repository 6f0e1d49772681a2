// put-flood: non-blocking puts in one direction, also from several threads (--threads) to several peers
// (--peers); the time per put until the last is complete.
#include "many_flood.hpp"
#include "registry.hpp"
#include "transfer.hpp"

namespace aqueduct::bench {
namespace {

/// Puts of one thread before it waits for them.
constexpr std::uint64_t kPutsInFlight = 256;

/// What all threads of rank 0 put, and where: each thread has places of its own.
struct PutFlood {
  Session& session;
  FloodShape shape;
  std::byte* from;
  std::size_t bytes;

  double operator()(std::uint64_t count) const {
    if (!session.measures()) return 0;
    for (std::uint64_t i = 0; i < kWarmUp; ++i) put(0, i);
    gex_NBI_Wait(GEX_EC_PUT, 0);
    return run_together(shape.threads, [&](unsigned thread) {
      const std::uint64_t share = shape.share_of(thread, count);
      for (std::uint64_t i = 0; i < share; ++i) {
        put(thread, i);
        if (i % kPutsInFlight == kPutsInFlight - 1) gex_NBI_Wait(GEX_EC_PUT, 0);
      }
      gex_NBI_Wait(GEX_EC_PUT, 0);
    });
  }

 private:
  void put(unsigned thread, std::uint64_t number) const {
    const Window window(bytes);
    const std::size_t place = thread * window.bytes() + number % window.slots * window.stride;
    const gex_Rank_t peer = shape.peers[(thread + number) % shape.peers.size()];
    gex_RMA_PutNBI(session.team(), peer, session.data_of(peer) + place, from + place, bytes, GEX_EVENT_DEFER,
                   0);
  }
};

}  // namespace

std::size_t put_flood_data_bytes(const Parameters& parameters) {
  return window_bytes(parameters) * parameters.threads;
}

Result run_put_flood(Session& session, const Parameters& parameters) {
  Result result{.title = "flood of puts, time per put", .unit = "ns"};
  const std::unique_ptr<RawInterface> raw = open_raw_interface(session, parameters);
  if (raw) result.limit_name = raw->stream_name();
  const PrivateMemory memory(put_flood_data_bytes(parameters));
  for (const std::size_t size : parameters.sizes) {
    const auto flood = [&](const FloodShape& shape) {
      return PutFlood{.session = session, .shape = shape, .from = memory.data(), .bytes = size};
    };
    add_flood_rows(session, parameters, size, flood, raw.get(), &result);
  }
  return result;
}

}  // namespace aqueduct::bench
