// The network interface below a conduit, used directly between the same processes, so that `aqueduct bench
// --against raw` can measure the conduit against it. The tool links no network library, so a plug-in may
// define a second symbol, `aqueduct_bare_interface`, of type BareInterface (bench/bare/).
//
// All ranks of a job that runs on that conduit call it, with one thread, while nobody sends. A pair of ranks
// takes part; `leads` is true on the one that measures, whose result, in nanoseconds, counts. A function may
// be null.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace aqueduct::conduit::plugin {

struct BareRun {
  RankId partner;  ///< the other one of the pair
  bool leads;
  std::size_t bytes;
  std::uint64_t warm_up;  ///< operations that are not timed
  std::uint64_t count;    ///< operations that are timed
};

struct BareInterface {
  /// Called first, on all ranks of the job; later messages have at most `most_bytes`.
  void (*open)(std::size_t most_bytes);
  /// Names for a table.
  const char* ping_pong_name;
  const char* stream_name;
  const char* put_name;
  /// Round trips of a message.
  double (*ping_pong)(const BareRun& run);
  /// Messages in one direction, until the last has arrived.
  double (*stream)(const BareRun& run);
  /// Puts one after the other, each complete at the target. Null: there are none.
  double (*put)(const BareRun& run);
  /// Barriers of all ranks, which all take part. Null: there are none.
  const char* barrier_name = nullptr;
  double (*barrier)(const BareRun& run) = nullptr;
};

}  // namespace aqueduct::conduit::plugin

extern "C" {
// NOLINTNEXTLINE(readability-identifier-naming): a symbol of C
[[gnu::visibility("default")]] extern const aqueduct::conduit::plugin::BareInterface aqueduct_bare_interface;
}
