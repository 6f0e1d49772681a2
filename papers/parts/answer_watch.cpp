#include "papers/parts/answer_watch.hpp"

#include "base/env.hpp"
#include "base/silence.hpp"

namespace aqueduct::parts {
namespace {

constexpr const char* kTimeoutVariable = "AQUEDUCT_PEER_TIMEOUT";
constexpr std::int64_t kTimeoutS = 600, kSimulatedTimeoutS = 1;

std::uint64_t timeout_ns(bool is_simulated) {
  const std::int64_t seconds =
      env::integer({kTimeoutVariable}, 0, 1'000'000).value_or(is_simulated ? kSimulatedTimeoutS : kTimeoutS);
  return static_cast<std::uint64_t>(seconds) * 1'000'000'000;
}

}  // namespace

AnswerWatch::AnswerWatch(const char* name, PendingReplies& pending, world::World& world)
    : pending_(pending),
      name_(name),
      clock_(world.clock()),
      world_(world),
      watch_(*this, timeout_ns(world.is_simulated())) {}

// Live, this is where a rank that waits comes by all the time; the clock is asked now and then. In a
// simulation a rank that has nothing to do rests, so it must be woken for the next look; but not for ever, or
// a job that hangs would never be found out. If nothing happens between two looks, and all who were probed
// live, there is no third one.
void AnswerWatch::found_nothing() {
  constexpr std::uint32_t kClockEvery = 64;
  if (!watch_.is_on()) return;
  const std::uint32_t count = fruitless_.load(std::memory_order_relaxed) + 1;
  fruitless_.store(count, std::memory_order_relaxed);
  if (!world_.is_simulated() && count % kClockEvery != 0) return;
  if (watch_.is_waiting()) take_answers();
  const std::uint64_t now_ns = clock_.now_ns();
  if (!world_.is_simulated()) {
    if (watch_.is_due(now_ns)) watch_.look(now_ns, true);
    return;
  }
  const std::uint32_t taken = taken_.load(std::memory_order_relaxed);
  if (watch_.is_due(now_ns)) {
    if (watch_.look(now_ns, taken != taken_at_look_)) taken_at_look_ = taken;
    alarm_is_set_ = false;
  }
  const bool wants_another = taken != taken_at_look_ || watch_.is_waiting();
  if (alarm_is_set_ || !wants_another) return;
  alarm_is_set_ = true;
  world_.wake_at(watch_.next_look_ns());
}

void AnswerWatch::gave_up(RankId peer, std::uint64_t waited_ns) {
  Silence silence = world_.silence(peer);
  silence.ns = waited_ns;
  silence.setting = kTimeoutVariable;
  fatal_silence(name_, peer, silence,
                "missing from it: " + missing_in_words(peer) + "; nor does its network interface answer");
}

std::string AnswerWatch::missing_in_words(RankId peer) {
  const std::string missing = pending_.missing_from(peer);
  return missing.empty() ? "nothing any more" : missing;
}

}  // namespace aqueduct::parts
