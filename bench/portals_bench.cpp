// portals-perf, portals-netpipe: Portals between two processes, live or in virtual time.
#include <fmt/format.h>

#include <array>

#include "measure.hpp"
#include "papers/bench/portals/netpipe_sizes.hpp"
#include "papers/bench/portals/simulated.hpp"
#include "registry.hpp"
#include "stopwatch.hpp"
#include "tools/common/networks.hpp"

namespace aqueduct::bench {
namespace {

using portals::Pattern;
using portals3::seastar::BridgeKind;

struct Kind {
  const char* name;
  Pattern pattern;
};
constexpr std::array kKinds{Kind{"put", Pattern::kPut},
                            Kind{"acknowledged-put", Pattern::kAcknowledgedPut},
                            Kind{"get", Pattern::kGet},
                            Kind{"bidirectional-put", Pattern::kBidirectionalPut},
                            Kind{"bidirectional-get", Pattern::kBidirectionalGet},
                            Kind{"put-stream", Pattern::kPutStream},
                            Kind{"get-stream", Pattern::kGetStream}};

/// The patterns of --kind; `all` means those of the paper's PortalPerf.
std::vector<Pattern> patterns_of(const Parameters& parameters) {
  for (const Kind& kind : kKinds) {
    if (parameters.kind == kind.name) return {kind.pattern};
  }
  return {Pattern::kPut, Pattern::kGet, Pattern::kBidirectionalPut};
}

Row row_of(Pattern pattern, std::size_t bytes, const Spread& nanoseconds, bool several) {
  constexpr double kNsPerUs = 1000;
  const std::size_t counted = counted_bytes(pattern, bytes);
  Row row{.size = bytes, .value = nanoseconds.scaled(1 / kNsPerUs), .what = several ? name_of(pattern) : ""};
  row.more["pattern"] = name_of(pattern);
  row.more["transferred"] = counted;
  row.more["MB_per_s"] = static_cast<double>(counted) * kNsPerUs / nanoseconds.median;
  return row;
}

Result result_of(const Parameters& parameters, std::vector<Row> rows) {
  return {.title = fmt::format("Portals {}", parameters.kind == "all" ? "put, get, bidirectional put"
                                                                      : name_of(patterns_of(parameters)[0])),
          .unit = "us",
          .rows = std::move(rows),
          .notes = {"A put is half a round trip; bandwidths (MB_per_s in the stored rows) count all that is "
                    "transferred."}};
}

BridgeKind bridge_of(const Parameters& parameters) {
  struct Named {
    const char* name;
    BridgeKind kind;
  };
  for (const Named& named : {Named{"qk", BridgeKind::kQk}, Named{"uk", BridgeKind::kUk},
                             Named{"k", BridgeKind::kK}, Named{"accelerated", BridgeKind::kAccelerated}}) {
    if (parameters.bridge == named.name) return named.kind;
  }
  throw Unsuitable(fmt::format("--bridge: qk, uk, k or accelerated, not '{}'", parameters.bridge));
}

/// The interface of this rank and its partner's address.
portals::Side live_side(Session& session) {
  int interfaces = 0;
  portals::Side side;
  portals::must(PtlInit(&interfaces), "PtlInit");
  portals::must(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &side.interface), "PtlNIInit");
  ptl_process_id_t self;
  portals::must(PtlGetId(side.interface, &self), "PtlGetId");
  const auto ids = session.gather(std::uint64_t{self.nid} << 32 | self.pid);
  const std::uint64_t peer = ids[session.partner()];
  side.peer = {.nid = static_cast<ptl_nid_t>(peer >> 32), .pid = static_cast<ptl_pid_t>(peer)};
  side.leads = session.measures();
  side.now_ns = [watch = Stopwatch()] { return watch.ns(); };
  side.meet = [&session] { session.barrier(); };
  return side;
}

Spread measure_live(Session& session, const Parameters& parameters, const portals::Side& side,
                    Pattern pattern, std::size_t bytes) {
  portals::Exchange exchange(side, pattern, bytes);
  const Batch batch = [&](std::uint64_t count) { return exchange.run(count) * static_cast<double>(count); };
  const Spread found = interleave(session, parameters.repetitions, {batch}).front();
  if (!exchange.intact()) throw portals::Failed("what has arrived is not what was sent");
  return found;
}

}  // namespace

std::vector<std::size_t> portals_perf_sizes(const Parameters& parameters) {
  if (parameters.simulate.empty()) return {0, 8, 64, 512, 4 * kKiB, 64 * kKiB, kMiB};
  return {0,        1,        8,        12,        13,        64,         512,  kKiB,
          4 * kKiB, 6 * kKiB, 8 * kKiB, 16 * kKiB, 32 * kKiB, 100 * kKiB, kMiB, 2 * kMiB};
}

std::vector<std::size_t> portals_netpipe_sizes(const Parameters&) { return portals::netpipe_sizes(kMiB); }

Result run_portals(Session& session, const Parameters& parameters) {
  if (session.size() != 2) throw Unsuitable(fmt::format("{} is between two ranks: -n 2", parameters.bench));
  std::vector<Row> rows;
  try {
    const portals::Side side = live_side(session);
    const std::vector<Pattern> patterns = patterns_of(parameters);
    for (const Pattern pattern : patterns) {
      for (const std::size_t bytes : parameters.sizes) {
        rows.push_back(row_of(pattern, bytes, measure_live(session, parameters, side, pattern, bytes),
                              patterns.size() > 1));
      }
    }
  } catch (const portals::Failed& failed) {
    Result result = result_of(parameters, std::move(rows));
    result.failure = failed.what();
    return result;
  }
  return result_of(parameters, std::move(rows));
}

Result simulate_portals(const Parameters& parameters) {
  std::string error;
  const auto model = networks::load(parameters.simulate, parameters.change, &error);
  if (!model) throw Unsuitable("--sim: " + error);
  if (!portals::carries_portals(*model)) {
    throw Unsuitable(fmt::format("--sim: {} does not say what Portals costs there", model->name));
  }
  portals::SimulatedPair pair{.model = &*model, .bridge = bridge_of(parameters), .seed = parameters.seed};
  if (!pair.faults.add(parameters.faults, &error)) throw Unsuitable("--faults: " + error);
  const std::vector<Pattern> patterns = patterns_of(parameters);
  std::vector<portals::Task> tasks;
  for (const Pattern pattern : patterns) {
    for (const std::size_t bytes : parameters.sizes) tasks.push_back({.pattern = pattern, .bytes = bytes});
  }
  std::vector<Row> rows;
  try {
    const std::vector<portals::Measured> measured = portals::measure(pair, tasks);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const Spread same{.median = measured[i].ns, .min = measured[i].ns, .max = measured[i].ns};
      rows.push_back(row_of(tasks[i].pattern, tasks[i].bytes, same, patterns.size() > 1));
      rows.back().more["interrupts"] =
          static_cast<double>(measured[i].interrupts) / static_cast<double>(measured[i].operations);
    }
  } catch (const portals::Failed& failed) {
    throw Unsuitable(failed.what());
  }
  return result_of(parameters, std::move(rows));
}

}  // namespace aqueduct::bench
