// Peers that may never answer (parts/answer_watch.hpp). A probe is a get of one word, which the peer's
// interface answers by itself.
#include "base/fatal.hpp"
#include "papers/conduit/aries/aries_conduit.hpp"

namespace aqueduct::conduit::aries {

// There may be more such peers than can be probed at once; those that answer make place.
void AriesConduit::list_unanswered(parts::PeerWatch::ProbeList& peers) {
  const auto guard = parts::lock_for_report(lock_, world_.is_simulated());
  for (const Outstanding& request : outstanding_) {
    if (request.is_unanswered) peers.add(request.peer);
  }
  nic_.for_each_taken([&](const Descriptor& descriptor) {
    if (descriptor.use != Use::kProbe) peers.add(descriptor.peer);
  });
}

std::string AriesConduit::missing_from(RankId peer) {
  const auto guard = parts::lock_for_report(lock_, world_.is_simulated());
  unsigned missing = 0, answers = 0;
  for (const Outstanding& request : outstanding_) missing += request.is_unanswered && request.peer == peer;
  nic_.for_each_taken([&](const Descriptor& descriptor) {
    const bool is_put_or_get = descriptor.use == Use::kTransfer || descriptor.use == Use::kLongPayload;
    answers += is_put_or_get && descriptor.peer == peer;
  });
  return parts::and_also(parts::counted(missing, "reply or credit", "replies or credits"),
                         parts::counted(answers, "answer to a put or get", "answers to puts and gets"));
}

void AriesConduit::probe(RankId peer, std::uint32_t name) {
  const std::lock_guard guard(lock_);
  if (probes_under_way_ == parts::PeerWatch::kMostProbes) return;
  Descriptor* const descriptor = nic_.take(Use::kProbe, peer);
  if (!descriptor) return;
  descriptor->probe = name;
  gni_post_descriptor_t& post = descriptor->post;
  post.type = GNI_POST_FMA_GET;
  post.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  post.dlvr_mode = settings_.delivery;
  post.local_addr = reinterpret_cast<std::uint64_t>(descriptor->immediate);
  post.local_mem_hndl = area_memory_;
  post.remote_addr = remote_area(peer);
  post.remote_mem_hndl = areas_[peer].memory;
  post.length = kWord;
  if (nic_.post_fma(*descriptor, "GNI_PostFma") == Post::kRetry) return nic_.give_back(*descriptor);
  ++probes_under_way_;
}

// Live, whoever has started a peer that is gone says why, and so do posts that fail after a while.
void AriesConduit::probe_answered(Descriptor& descriptor) {
  const RankId peer = descriptor.peer;
  --probes_under_way_;
  if (!descriptor.is_lost) answered(descriptor.probe);
  const bool must_end = descriptor.is_lost && world_.is_simulated();
  nic_.give_back(descriptor);
  if (must_end)
    fatal_about(peer, kName, "rank %u cannot be reached any more; missing from it: %s", peer,
                missing_in_words(peer).c_str());
}

}  // namespace aqueduct::conduit::aries
