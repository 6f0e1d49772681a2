// Peers that may never answer (parts/answer_watch.hpp). A probe is a get of one word, which the peer's
// interface answers by itself.
#pragma once
#include "papers/conduit/aries/messages.hpp"
#include "papers/parts/answer_watch.hpp"
#include "parts/pending_replies.hpp"

namespace aqueduct::conduit::aries {

/// Lists peers whose answers are missing: replies or credits, and answers to puts and gets.
class Pending final : public parts::PendingReplies {
 public:
  Pending(Endpoint& endpoint, const Messages& messages) : endpoint_(endpoint), messages_(messages) {}
  void list_unanswered(parts::ProbeList& peers) override;
  std::string missing_from(RankId peer) override;

 private:
  Endpoint& endpoint_;
  const Messages& messages_;
};

class Watch final : public parts::AnswerWatch, private PostHandler {
 public:
  Watch(Endpoint& endpoint, Pending& pending)
      : AnswerWatch(kName, pending, endpoint.world), PostHandler(PostUse::kProbe), endpoint_(endpoint) {}

 private:
  void probe(RankId peer, std::uint32_t name) override;
  void completed(PostDescriptor& descriptor, std::uint16_t event) override;

  Endpoint& endpoint_;
  unsigned under_way_ = 0;
};

}  // namespace aqueduct::conduit::aries
