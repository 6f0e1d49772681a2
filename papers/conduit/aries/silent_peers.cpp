#include "papers/conduit/aries/silent_peers.hpp"

#include "base/fatal.hpp"

namespace aqueduct::conduit::aries {

// There may be more such peers than can be probed at once; each answer allows another probe.
void Pending::list_unanswered(parts::ProbeList& peers) {
  const auto guard = parts::lock_for_report(endpoint_.lock, endpoint_.world.is_simulated());
  messages_.list_unanswered(peers);
  endpoint_.nic.for_each_taken([&](const PostDescriptor& descriptor) {
    if (descriptor.handler->use != PostUse::kProbe) peers.add(descriptor.peer);
  });
}

std::string Pending::missing_from(RankId peer) {
  const auto guard = parts::lock_for_report(endpoint_.lock, endpoint_.world.is_simulated());
  const unsigned missing = messages_.answers_missing_from(peer);
  unsigned answers = 0;
  endpoint_.nic.for_each_taken([&](const PostDescriptor& descriptor) {
    const PostUse use = descriptor.handler->use;
    const bool is_put_or_get = use == PostUse::kTransfer || use == PostUse::kLongPayload;
    answers += is_put_or_get && descriptor.peer == peer;
  });
  return parts::and_also(parts::counted(missing, "reply or credit", "replies or credits"),
                         parts::counted(answers, "answer to a put or get", "answers to puts and gets"));
}

void Watch::probe(RankId peer, std::uint32_t name) {
  const std::lock_guard guard(endpoint_.lock);
  if (under_way_ == parts::PeerWatch::kMostProbes) return;
  PostDescriptor* const descriptor = endpoint_.nic.take(*this, peer);
  if (!descriptor) return;
  descriptor->probe = name;
  gni_post_descriptor_t& post = descriptor->post;
  post.type = GNI_POST_FMA_GET;
  post.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  post.dlvr_mode = endpoint_.settings.delivery;
  post.local_addr = reinterpret_cast<std::uint64_t>(descriptor->immediate);
  post.local_mem_hndl = endpoint_.area_memory;
  post.remote_addr = endpoint_.remote_area(peer);
  post.remote_mem_hndl = endpoint_.areas[peer].memory;
  post.length = kWord;
  if (endpoint_.nic.post_fma(*descriptor, "GNI_PostFma") == Post::kRetry)
    return endpoint_.nic.give_back(*descriptor);
  ++under_way_;
}

// In a live job the supervisor says why a peer is gone, and so do failed posts after a while.
void Watch::completed(PostDescriptor& descriptor, std::uint16_t) {
  const RankId peer = descriptor.peer;
  --under_way_;
  if (!descriptor.is_lost) answered(descriptor.probe);
  const bool must_end = descriptor.is_lost && endpoint_.world.is_simulated();
  endpoint_.nic.give_back(descriptor);
  if (must_end)
    fatal_about(peer, kName, "rank %u cannot be reached any more; missing from it: %s", peer,
                missing_in_words(peer).c_str());
}

}  // namespace aqueduct::conduit::aries
