#include "hosts/reach.hpp"

namespace aqueduct::job {

ReachProbes::ReachProbes(const std::vector<net::Address>& addresses, const net::JobKey& key,
                         std::uint32_t participants, std::uint64_t now_ns)
    : under_way_(addresses.size()), until_ns_(now_ns + kReachPatienceNs) {
  Greeting greeting;
  greeting.purpose = Greeting::Purpose::kFind;
  greeting.participants = participants;
  for (const net::Address& address : addresses) probes_.push_back({Greeter(address, greeting, key)});
}

std::vector<ReachProbes::Result> ReachProbes::advance(std::uint64_t now_ns) {
  std::vector<Result> results;
  for (std::uint32_t index = 0; index < probes_.size(); ++index) {
    Probe& probe = probes_[index];
    if (probe.is_over) continue;
    const Greeter::State state = probe.greeter.advance();
    if (state == Greeter::State::kUnderWay && now_ns < until_ns_) continue;
    probe.is_over = true;
    --under_way_;
    std::string why_not;
    if (state == Greeter::State::kClosed) why_not = probe.greeter.why();
    if (state == Greeter::State::kUnderWay)
      why_not = "no answer within " + std::to_string(kReachPatienceNs / 1'000'000'000) + " s";
    const bool is_ours = state == Greeter::State::kAnswered &&
                         probe.greeter.answer().version == kGreetingVersion &&
                         probe.greeter.answer().verdict == GreetingVerdict::kWelcome;
    if (state == Greeter::State::kAnswered && !is_ours)
      why_not = "it speaks another version of the bootstrap";
    results.push_back({index, std::move(why_not)});
  }
  return results;
}

}  // namespace aqueduct::job
