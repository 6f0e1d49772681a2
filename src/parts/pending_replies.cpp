#include "parts/pending_replies.hpp"

namespace aqueduct::parts {

std::string awaited_by(PendingReplies& pending) {
  parts::PeerWatch::Awaited awaited;
  pending.find_awaited(awaited);
  std::string text;
  for (const RankId peer : awaited) {
    const std::string debts = pending.debts_of(peer);
    if (debts.empty()) continue;
    if (!text.empty()) text += ", ";
    text += debts + " of rank " + std::to_string(peer);
  }
  if (awaited.is_full()) text += " and maybe of others";
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
