// Notices peers over Portals that may never answer (parts/answer_watch.hpp).
//
// A probe is a put of no bytes, with an acknowledgement, to a match entry for this purpose only: the peer's
// interface answers, whatever its program does. A peer that is out of reach ends the job at once.
//
// Threads: any, after construction. Answers come by a separate event queue, which is read only while a probe
// is under way.
#pragma once
#include "papers/nic/portals3/client.hpp"
#include "papers/parts/answer_watch.hpp"

namespace aqueduct::parts {

class PortalsWatch final : public AnswerWatch {
 public:
  /// The target of probes on every rank: a match entry after the others of the portal table entry.
  struct Place {
    ptl_pt_index_t entry;
    ptl_match_bits_t bits;     ///< bits of no other message there
    ptl_match_bits_t ignored;  ///< by the match entry
  };

  /// `name` begins its error lines.
  PortalsWatch(const char* name, PendingReplies& pending, const Place& place);

 private:
  void probe(RankId peer, std::uint32_t name) override;
  void take_answers() override;

  Place place_;
  portals3::Client client_;
  const char* name_;
  ptl_handle_eq_t answers_ = PTL_EQ_NONE;
  ptl_handle_md_t source_ = PTL_INVALID_HANDLE;
};

}  // namespace aqueduct::parts
