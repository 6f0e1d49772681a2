#include "papers/parts/portals_watch.hpp"

#include "base/fatal.hpp"
#include "base/silence.hpp"

namespace aqueduct::parts {
namespace {

// A peer that was silent may answer all probes at once.
constexpr std::size_t kAnswers = std::size_t{parts::PeerWatch::kMostProbes} * (parts::PeerWatch::kLooks + 2);

}  // namespace

PortalsWatch::PortalsWatch(const char* name, PendingReplies& pending, const Place& place)
    : AnswerWatch(name, pending, world::current()), place_(place), client_(name), name_(name) {
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

void PortalsWatch::take_answers() {
  ptl_event_t event;
  for (;;) {
    const int code = PtlEQGet(answers_, &event);
    if (code == PTL_EQ_EMPTY) return;
    // A lost event does no harm: a peer that answers at all answers the next probe as well.
    if (code != PTL_EQ_DROPPED) client_.check(code, "PtlEQGet of probes");
    if (event.type != PTL_EVENT_ACK) continue;
    if (event.ni_fail_type != PTL_NI_OK) {
      const RankId peer = event.initiator.nid;
      const std::string missing = missing_in_words(peer);
      if (const Silence silence = world::current().silence(peer); silence.ns != 0)
        fatal_silence(name_, peer, silence, "missing from it: " + missing);
      fatal_about(peer, name_, "rank %u cannot be reached any more (%s); missing from it: %s", peer,
                  PtlNIFailStr(client_.ni(), event.ni_fail_type), missing.c_str());
    }
    answered(static_cast<std::uint32_t>(event.hdr_data));
  }
}

void PortalsWatch::probe(RankId peer, std::uint32_t name) {
  client_.check(
      PtlPutRegion(source_, 0, 0, PTL_ACK_REQ, client_.process(peer), place_.entry, 0, place_.bits, 0, name),
      "PtlPutRegion of a probe");
}

}  // namespace aqueduct::parts
