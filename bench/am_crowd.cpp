// am-crowd: every rank sends Short active messages for a while, each to the next rank (ring) or to random
// ranks; how many arrive in a second on all ranks together. With more ranks than cores this shows how ranks
// yield cores to each other: in a ring every rank has room for 64 messages and then depends on another rank.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "registry.hpp"
#include "stopwatch.hpp"

namespace aqueduct::bench {
namespace {

enum CrowdHandler : gex_AM_Index_t { kCount = GEX_AM_INDEX_BASE };

// The handler finds its state here; one thread of each rank runs it.
std::uint64_t messages_counted = 0;

void count_message(gex_Token_t, gex_AM_Arg_t) { ++messages_counted; }

constexpr double kPassNs = 500'000'000;

/// The targets of a rank, never itself.
class CrowdTargets {
 public:
  CrowdTargets(const Session& session, bool is_ring)
      : rank_(session.rank()),
        size_(session.size()),
        is_ring_(is_ring),
        state_(0x9e3779b97f4a7c15u * (rank_ + 1)) {}

  gex_Rank_t next() {
    if (is_ring_) return rank_ + 1 == size_ ? 0 : rank_ + 1;
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    const auto other = static_cast<gex_Rank_t>((state_ >> 32) * (size_ - 1) >> 32);
    return other < rank_ ? other : other + 1;
  }

 private:
  gex_Rank_t rank_, size_;
  bool is_ring_;
  std::uint64_t state_;
};

void send_for(double ns, gex_TM_t team, CrowdTargets& targets) {
  constexpr unsigned kBetweenLooks = 64;  // at the clock
  const Stopwatch watch;
  while (watch.ns() < ns) {
    for (unsigned i = 0; i < kBetweenLooks; ++i) gex_AM_RequestShort1(team, targets.next(), kCount, 0, 0);
  }
}

}  // namespace

Result run_am_crowd(Session& session, const Parameters& parameters) {
  gex_AM_Entry_t handlers[] = {{kCount, reinterpret_cast<gex_AM_Fn_t>(count_message),
                                GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, nullptr, nullptr}};
  session.register_handlers(handlers);
  const bool is_ring = parameters.kind == "ring";
  Result result{.title = fmt::format("short active messages from every rank to {}",
                                     is_ring ? "the next" : "random ranks"),
                .unit = "million messages/s",
                .better = Better::kHigher};
  CrowdTargets targets(session, is_ring);
  std::vector<double> rates;
  std::vector<std::uint64_t> of_each;
  std::uint64_t before = 0;
  for (unsigned pass = 0; pass < parameters.repetitions; ++pass) {
    session.barrier();
    const Stopwatch watch;
    send_for(kPassNs, session.team(), targets);
    session.barrier();
    const double ns = watch.ns();
    of_each = session.gather(messages_counted);
    const std::uint64_t counted = std::accumulate(of_each.begin(), of_each.end(), std::uint64_t{0});
    rates.push_back(static_cast<double>(counted - before) * 1000 / ns);
    before = counted;
  }
  result.rows.push_back({.size = 0, .value = spread_of(rates)});
  result.notes.push_back(fmt::format("A rank has received {} to {} messages in all passes together.",
                                     std::ranges::min(of_each), std::ranges::max(of_each)));
  return result;
}

}  // namespace aqueduct::bench
