// test_udp_seeds [first [count [half]]]: runs the UDP fabric on simulated networks that go wrong, one run for
// each seed, and proves by counters that the rare paths of the protocol were taken. A run that fails says how
// to repeat it. With the word half, all paths lose every second datagram.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "udp/scenario.hpp"

namespace {

using namespace aqueduct::fabric::udp;

/// What many seeds together must have reached.
bool prove(const char* what, std::uint64_t times) {
  if (times == 0) std::printf("never reached: %s\n", what);
  return times != 0;
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t first = count > 1 ? std::strtoull(words[1], nullptr, 10) : 1;
  const std::uint64_t seeds = count > 2 ? std::strtoull(words[2], nullptr, 10) : (count > 1 ? 1 : 300);
  const bool loses_half = count > 3 && std::strcmp(words[3], "half") == 0;
  const auto begin = std::chrono::steady_clock::now();
  Counters all;
  std::uint64_t messages = 0, virtual_ns = 0, failures = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const test::ScenarioResult result = test::run_scenario(seed, loses_half);
    all += result.counters;
    messages += result.messages;
    virtual_ns += result.virtual_ns;
    if (result.failure.empty()) continue;
    ++failures;
    std::printf("seed %llu fails: %s\n  again: %s %llu%s\n", static_cast<unsigned long long>(seed),
                result.failure.c_str(), words[0], static_cast<unsigned long long>(seed),
                loses_half ? " 1 half" : "");
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%llu seeds, %llu failed; %llu messages in %.1f virtual seconds, %.1f real ones\n",
              static_cast<unsigned long long>(seeds), static_cast<unsigned long long>(failures),
              static_cast<unsigned long long>(messages), static_cast<double>(virtual_ns) / 1e9, took.count());
  all.for_each([](const char* name, const char* text, std::uint64_t value) {
    std::printf("  %-20s %12llu  %s\n", name, static_cast<unsigned long long>(value), text);
  });
  if (failures != 0) return 1;
  constexpr std::uint64_t kEnough = 100;
  if (seeds < kEnough) return 0;
  bool is_proved = true;
  is_proved &= prove("retransmission", all.retransmitted);
  is_proved &= prove("probe", all.probes);
  is_proved &= prove("loss", all.lost);
  is_proved &= prove("cut of the congestion window", all.window_cuts);
  is_proved &= prove("closed congestion window", all.window_closed);
  is_proved &= prove("no room for messages", all.room_closed);
  is_proved &= prove("narrowed path", all.path_narrowed);
  is_proved &= prove("widened path", all.path_widened);
  is_proved &= prove("shared datagram", all.shared);
  is_proved &= prove("full socket", all.socket_full);
  is_proved &= prove("acknowledgement by itself", all.acks_alone);
  is_proved &= prove("duplicate", all.dropped_duplicate);
  is_proved &= prove("replay", all.dropped_old + all.dropped_duplicate);
  is_proved &= prove("forged", all.dropped_forged);
  is_proved &= prove("stray", all.dropped_stray + all.dropped_short + all.dropped_version);
  is_proved &= prove("stale part", all.stale_parts);
  is_proved &= prove("message that names its place", all.placed);
  is_proved &= prove("payload that was copied behind its datagrams", all.copied);
  return is_proved ? 0 : 1;
}
