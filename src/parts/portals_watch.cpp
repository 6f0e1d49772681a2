#include "parts/portals_watch.hpp"

#include "base/env.hpp"
#include "base/fatal.hpp"

namespace aqueduct::parts {
namespace {

constexpr std::int64_t kTimeoutS = 600, kSimulatedTimeoutS = 1;
// A peer that has been silent may answer all our probes at once.
constexpr std::size_t kAnswers = std::size_t{parts::PeerWatch::kMostProbes} * (parts::PeerWatch::kLooks + 2);

std::uint64_t timeout_ns(bool is_simulated) {
  const std::int64_t seconds = env::integer({"AQUEDUCT_PEER_TIMEOUT"}, 0, 1'000'000)
                                   .value_or(is_simulated ? kSimulatedTimeoutS : kTimeoutS);
  return static_cast<std::uint64_t>(seconds) * 1'000'000'000;
}

}  // namespace

PortalsWatch::PortalsWatch(const char* name, PendingReplies& pending, const Place& place)
    : pending_(pending),
      place_(place),
      client_(name),
      name_(name),
      clock_(world::current().clock()),
      world_(world::current()),
      watch_(*this, timeout_ns(world_.is_simulated())) {
  client_.check(PtlEQAlloc(client_.ni(), kAnswers, PTL_EQ_HANDLER_NONE, &answers_), "PtlEQAlloc for probes");
  ptl_handle_me_t entry;
  client_.check(PtlMEAttach(client_.ni(), place_.entry, portals3::Client::anybody(), place_.bits,
                            place_.ignored, PTL_RETAIN, PTL_INS_AFTER, &entry),
                "PtlMEAttach for probes");
  ptl_handle_md_t target;
  client_.check(PtlMDAttach(entry,
                            portals3::descriptor(nullptr, 0, PTL_MD_OP_PUT | PTL_MD_EVENT_END_DISABLE,
                                                 nullptr, PTL_EQ_NONE),
                            PTL_RETAIN, &target),
                "PtlMDAttach for probes");
  client_.check(
      PtlMDBind(client_.ni(), portals3::descriptor(nullptr, 0, PTL_MD_EVENT_END_DISABLE, nullptr, answers_),
                PTL_RETAIN, &source_),
      "PtlMDBind for probes");
}

// Live, this is where a rank that waits comes by all the time; the clock is asked now and then. In a
// simulation a rank that has nothing to do rests, so it must be woken for the next look; but not for ever, or
// a job that hangs would never be found out. If nothing happens between two looks, and all who were probed
// live, there is no third one.
void PortalsWatch::found_nothing() {
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

void PortalsWatch::take_answers() {
  ptl_event_t event;
  for (;;) {
    const int code = PtlEQGet(answers_, &event);
    if (code == PTL_EQ_EMPTY) return;
    // One that was lost is missed by nobody: who answers at all answers the next probe, too.
    if (code != PTL_EQ_DROPPED) client_.check(code, "PtlEQGet of probes");
    if (event.type != PTL_EVENT_ACK) continue;
    if (event.ni_fail_type != PTL_NI_OK) {
      fatal(name_, "rank %u cannot be reached any more (%s); missing from it: %s", event.initiator.nid,
            PtlNIFailStr(client_.ni(), event.ni_fail_type), missing_in_words(event.initiator.nid).c_str());
    }
    watch_.answered(static_cast<std::uint32_t>(event.hdr_data));
  }
}

void PortalsWatch::probe(RankId peer, std::uint32_t name) {
  client_.check(
      PtlPutRegion(source_, 0, 0, PTL_ACK_REQ, client_.process(peer), place_.entry, 0, place_.bits, 0, name),
      "PtlPutRegion of a probe");
}

void PortalsWatch::gave_up(RankId peer, std::uint64_t waited_ns) {
  fatal(name_,
        "rank %u has been silent for %.1f s; missing from it: %s. Its network interface does not answer "
        "either: "
        "it is stopped or dead. AQUEDUCT_PEER_TIMEOUT sets how long to wait",
        peer, static_cast<double>(waited_ns) / 1e9, missing_in_words(peer).c_str());
}

std::string PortalsWatch::missing_in_words(RankId peer) {
  const std::string missing = pending_.missing_from(peer);
  return missing.empty() ? "nothing any more" : missing;
}

}  // namespace aqueduct::parts
