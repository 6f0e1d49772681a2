#include "conduit/smp/smp.hpp"

#include "base/fatal.hpp"
#include "conduit/not_in_simulations.hpp"

namespace aqueduct::conduit::smp {
namespace {

// The largest Long whose size fits into an int, which programs use.
constexpr std::size_t kMaxLong = (std::size_t{1} << 31) - 1;
constexpr Limits kLimits = {(std::size_t{64} << 10) + am::kEncapsulationBytes, kMaxLong};

// Every rank is a neighbour, so no message ever comes here.
class Smp final : public Conduit {
 public:
  Limits limits() const override { return kLimits; }
  Post inject(RankId target, const Message&) override {
    fatal("smp", "rank %u is not in the neighbourhood", target);
  }
  Post reply(const Origin& origin, const Message&) override {
    fatal("smp", "rank %u is not in the neighbourhood", origin.source);
  }
  unsigned poll(Scope) override { return 0; }
};

const char* why_not(const job::Membership& membership) {
  if (const char* const reason = not_in_simulations(membership)) return reason;
  return membership.neighbourhoods(true).hosts() > 1
             ? "it reaches only ranks that share memory, and not all of this job's do"
             : nullptr;
}

std::unique_ptr<Conduit> open(const Opening&) { return std::make_unique<Smp>(); }

}  // namespace

const Description kDescription = {
    .name = "smp",
    .summary = "ranks on one host, through shared memory",
    .uses_neighbourhood = true,
    .max_ranks = job::kMaxRanks,
    .preference = 50,
    .why_not = why_not,
    .open = open,
    .limits = [] { return kLimits; },
    .survives_failures = true,
};

}  // namespace aqueduct::conduit::smp
