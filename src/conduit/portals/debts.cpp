// Who owes us an answer, and what if it never comes (core/peer_watch.hpp).
//
// A probe is a put of no bytes to an entry of its own, with an acknowledgement: the peer's interface answers,
// whatever its client does. That a debtor's interface is silent, or out of reach, ends the job with one line.
#include "base/fatal.hpp"
#include "conduit/portals/portals_conduit.hpp"

namespace aqueduct::conduit::portals {

void PortalsConduit::prepare_probes() {
  ptl_handle_md_t unused;
  check(PtlMDAttach(attach(kRarEntry, Selector::kProbe),
                    descriptor(nullptr, 0, PTL_MD_OP_PUT | PTL_MD_EVENT_END_DISABLE, nullptr, PTL_EQ_NONE),
                    PTL_RETAIN, &unused),
        "PtlMDAttach for probes");
  const ptl_md_t source = descriptor(nullptr, 0, PTL_MD_EVENT_END_DISABLE, nullptr, interface_.safe.handle());
  check(PtlMDBind(interface_.ni(), source, PTL_RETAIN, &probe_md_), "PtlMDBind for probes");
}

// Live, this is where a rank that waits comes by all the time; the clock is asked now and then. In a
// simulation a rank that has nothing to do rests, so it must be woken for the next look; but not for ever, or
// a job that hangs would never be found out. If nothing happens between two looks, and all who were probed
// live, there is no third one.
void PortalsConduit::found_nothing() {
  constexpr std::uint32_t kClockEvery = 64;
  if (!watch_.is_on()) return;
  const std::uint32_t count = fruitless_.load(std::memory_order_relaxed) + 1;
  fruitless_.store(count, std::memory_order_relaxed);
  if (!world_ && count % kClockEvery != 0) return;
  const std::uint64_t now_ns = clock_.now_ns();
  if (!world_) {
    if (watch_.is_due(now_ns)) watch_.look(now_ns, true);
    return;
  }
  const std::uint32_t taken = taken_.load(std::memory_order_relaxed);
  if (watch_.is_due(now_ns)) {
    watch_.look(now_ns, taken != taken_at_look_);
    taken_at_look_ = taken;
    alarm_is_set_ = false;
  }
  const bool wants_another = taken != taken_at_look_ || watch_.is_waiting();
  if (alarm_is_set_ || !wants_another) return;
  alarm_is_set_ = true;
  world_->wake_at(watch_.next_look_ns());
}

// There may be more debtors than can be probed at once. Each look begins elsewhere, so that all have their
// turn.
void PortalsConduit::find_debtors(core::PeerWatch::Debtors& debtors) {
  const std::uint32_t look = looks_.fetch_add(1, std::memory_order_relaxed);
  const auto add = [&](RankId owes) {
    if (owes != 0) debtors.add(owes - 1);
  };
  const auto add_chunks = [&] {
    const std::size_t chunks = chunk_peer_.size();
    const std::size_t first = std::size_t{look} * 31 % chunks;
    for (std::size_t i = 0; i < chunks; ++i) {
      add(chunk_peer_[(first + i) % chunks].load(std::memory_order_relaxed));
    }
  };
  const auto add_parts = [&] {
    const std::size_t parts = parts_.in_use();
    std::size_t skip = parts == 0 ? 0 : std::size_t{look} * 31 % parts;
    const auto visit = [&](Part& part) {
      if (skip != 0) {
        --skip;
      } else {
        add(std::atomic_ref(part.debtor).load(std::memory_order_relaxed));
      }
    };
    parts_.for_each(visit);
    skip = 0;
    parts_.for_each(visit);
  };
  if (look % 2 == 0) add_chunks();
  add_parts();
  add_chunks();
}

PortalsConduit::Debts PortalsConduit::debts_of(RankId peer) {
  Debts debts;
  for (const std::atomic<RankId>& owes : chunk_peer_) {
    if (owes.load(std::memory_order_relaxed) == peer + 1) ++debts.replies;
  }
  parts_.for_each([&](Part& part) {
    if (std::atomic_ref(part.debtor).load(std::memory_order_relaxed) == peer + 1) ++debts.transfers;
  });
  return debts;
}

std::string PortalsConduit::awaits() {
  core::PeerWatch::Debtors debtors;
  find_debtors(debtors);
  std::string text;
  const auto add = [&](unsigned count, const char* one, const char* many, RankId peer) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text += std::to_string(count) + (count == 1 ? one : many) + " of rank " + std::to_string(peer);
  };
  for (const RankId peer : debtors) {
    const Debts debts = debts_of(peer);
    add(debts.replies, " reply", " replies", peer);
    add(debts.transfers, " answer to a put or get", " answers to puts and gets", peer);
  }
  if (debtors.is_full()) text += " and maybe of others";
  return text;
}

void PortalsConduit::probe(RankId peer, std::uint32_t name) {
  check(PtlPutRegion(probe_md_, 0, 0, PTL_ACK_REQ, interface_.process(peer), kRarEntry, kAccess,
                     ProbeBits{name}.encode(), 0, 0),
        "PtlPutRegion of a probe");
}

void PortalsConduit::probe_answered(const ptl_event_t& event) {
  if (event.ni_fail_type == PTL_NI_OK) return watch_.answered(ProbeBits::name_in(event.match_bits));
  const RankId peer = event.initiator.nid;
  const Debts debts = debts_of(peer);
  fatal("portals",
        "rank %u cannot be reached any more (%s); it owes %u replies and %u answers to puts and gets", peer,
        PtlNIFailStr(interface_.ni(), event.ni_fail_type), debts.replies, debts.transfers);
}

void PortalsConduit::gave_up(RankId peer, std::uint64_t waited_ns) {
  const Debts debts = debts_of(peer);
  fatal(
      "portals",
      "rank %u has been silent for %.1f s: it owes %u replies and %u answers to puts and gets, and its "
      "network "
      "interface does not answer either. It is stopped or dead; AQUEDUCT_PEER_TIMEOUT sets how long to wait",
      peer, static_cast<double>(waited_ns) / 1e9, debts.replies, debts.transfers);
}

}  // namespace aqueduct::conduit::portals
