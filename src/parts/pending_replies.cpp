#include "parts/pending_replies.hpp"

namespace aqueduct::parts {

std::string missing_answers(PendingReplies& pending) {
  parts::PeerWatch::ProbeList peers;
  pending.list_unanswered(peers);
  std::string text;
  for (const RankId peer : peers) {
    const std::string missing = pending.missing_from(peer);
    if (missing.empty()) continue;
    if (!text.empty()) text += ", ";
    text += missing + " of rank " + std::to_string(peer);
  }
  if (peers.is_full()) text += " and maybe of others";
  return text;
}

std::string counted(unsigned count, const char* one, const char* many) {
  if (count == 0) return {};
  return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

std::string and_also(const std::string& some, const std::string& more) {
  return some.empty() || more.empty() ? some + more : some + " and " + more;
}

}  // namespace aqueduct::parts
