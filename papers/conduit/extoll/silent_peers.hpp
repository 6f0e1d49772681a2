// Peers that may never answer (parts/answer_watch.hpp). A probe is a get of the first byte of a peer's
// segment, which the peer's card answers by itself.
#pragma once
#include <array>

#include "papers/conduit/extoll/messages.hpp"
#include "papers/parts/answer_watch.hpp"
#include "parts/pending_replies.hpp"

namespace aqueduct::conduit::extoll {

/// Lists peers whose answers are missing: replies or credits, answers to puts and gets, room in mailboxes.
class Pending final : public parts::PendingReplies {
 public:
  Pending(Endpoint& endpoint, Messages& messages) : endpoint_(endpoint), messages_(messages) {}
  void list_unanswered(parts::ProbeList& peers) override;
  std::string missing_from(RankId rank) override;

 private:
  Endpoint& endpoint_;
  Messages& messages_;
};

class Watch final : public parts::AnswerWatch, private CommandHandler {
 public:
  Watch(Endpoint& endpoint, Pending& pending);

 private:
  void probe(RankId peer, std::uint32_t name) override;
  void told(RmaCommand& command) override { answered(command.probe); }
  void over(RmaCommand&) override {}

  Endpoint& endpoint_;
  std::array<RmaCommand, parts::PeerWatch::kMostProbes> probes_;
  std::array<std::byte, parts::PeerWatch::kMostProbes> bytes_{};  // that probes read
  Registered registered_;
};

}  // namespace aqueduct::conduit::extoll
