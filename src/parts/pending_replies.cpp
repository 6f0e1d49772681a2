#include "parts/pending_replies.hpp"

namespace aqueduct::parts {

std::vector<observe::Missing> missing_answers(PendingReplies& pending) {
  parts::ProbeList peers;
  pending.list_unanswered(peers);
  std::vector<observe::Missing> answers;
  for (const RankId peer : peers) {
    if (std::string missing = pending.missing_from(peer); !missing.empty())
      answers.push_back({peer, std::move(missing)});
  }
  if (peers.is_full()) answers.push_back({kNoRank, {}});
  return answers;
}

std::string counted(unsigned count, const char* one, const char* many) {
  if (count == 0) return {};
  return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

std::string and_also(const std::string& some, const std::string& more) {
  return some.empty() || more.empty() ? some + more : some + " and " + more;
}

}  // namespace aqueduct::parts
