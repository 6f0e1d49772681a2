#include "papers/parts/peer_watch.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace aqueduct::parts {

PeerWatch::Probe* PeerWatch::find(RankId peer) {
  Probe* free = nullptr;
  for (Probe& probe : probes_) {
    if (probe.name != 0 && probe.peer == peer) return &probe;
    if (probe.name == 0) free = &probe;
  }
  return free;
}

bool PeerWatch::look(std::uint64_t now_ns, bool all) {
  const std::uint64_t step_ns = timeout_ns_ / kLooks;
  ProbeList peers;
  client_.list_unanswered(peers);
  // What is to be done is decided under the lock and done after it.
  std::array<Probe, kMostProbes> to_send{};
  unsigned sending = 0;
  Probe given_up;
  std::uint64_t waited_ns = 0;
  {
    const std::unique_lock guard(lock_, std::try_to_lock);
    if (!guard || !is_due(now_ns)) return false;  // another thread looks, or has just looked
    next_look_ns_.store(now_ns + step_ns, std::memory_order_relaxed);
    const std::uint64_t before_ns = std::exchange(last_look_ns_, now_ns);
    if (before_ns == 0) return false;  // the first time there is nothing to compare with
    counted_ns_ += std::min(now_ns - before_ns, 2 * step_ns);
    for (Probe& probe : probes_) {
      if (probe.name == 0) continue;
      if (!peers.contains(probe.peer) && !peers.is_full()) {
        probe.name = 0;  // it has paid, so it lives
        waiting_.fetch_sub(1, std::memory_order_relaxed);
      } else if (counted_ns_ - probe.since_ns >= timeout_ns_) {
        given_up = probe;
        waited_ns = counted_ns_ - probe.since_ns;
      }
    }
    for (const RankId peer : peers) {
      Probe* const probe = find(peer);
      if (!probe) break;
      if (probe->name == 0) {
        if (!all) continue;
        names_ = std::max(names_ + 1, 1u);
        *probe = {peer, names_, counted_ns_};
        waiting_.fetch_add(1, std::memory_order_relaxed);
      }
      to_send[sending++] = *probe;
    }
  }
  if (given_up.name != 0) client_.gave_up(given_up.peer, waited_ns);
  for (unsigned i = 0; i < sending; ++i) client_.probe(to_send[i].peer, to_send[i].name);
  return true;
}

void PeerWatch::answered(std::uint32_t name) {
  const std::lock_guard guard(lock_);
  for (Probe& probe : probes_) {
    if (name == 0 || probe.name != name) continue;
    probe.name = 0;
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
}

}  // namespace aqueduct::parts
