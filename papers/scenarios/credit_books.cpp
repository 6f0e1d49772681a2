#include "credit_books.hpp"

#include <string>

#include "base/fatal.hpp"
#include "core/progress.hpp"
#include "papers/conduit/portals/portals_conduit.hpp"
#include "papers/parts/credit_audit.hpp"
#include "world/world.hpp"

namespace aqueduct::scenarios {

void CreditBooks::open(RankId ranks) {
  ranks_.assign(ranks, nullptr);
  receive_bytes_ = 0;
  arrived_ = suspect_ = 0;
  closed_ = 0;
  before_ += this_run_;
  this_run_ = {};
}

parts::CreditCounts CreditBooks::counts() const {
  parts::CreditCounts all = before_;
  return all += this_run_;
}

void CreditBooks::join() {
  core::Rank& rank = *core::process_rank();
  const auto* conduit = dynamic_cast<const conduit::portals::PortalsConduit*>(&rank.conduit());
  if (!conduit) return;
  ranks_[rank.id()] = &conduit->credits();
  receive_bytes_ = conduit->receive_bytes();
  if (conduit->credits().total() != conduit->plan().events) {
    fatal("credits", "%llu credits are lent or banked; %u were planned",
          static_cast<unsigned long long>(conduit->credits().total()), conduit->plan().events);
  }
}

void CreditBooks::meet() {
  core::Thread& thread = core::this_thread("meet");
  const std::uint64_t meeting = closed_;
  ++arrived_;
  core::wait_until(
      thread, core::Scope::kAll, [&] { return closed_ != meeting || try_to_close(); },
      core::PlainSubject{observe::WaitKind::kOtherRanks});
}

// This is called often, and usually reads one rank's accounts; only a positive result reads all.
bool CreditBooks::is_quiet() {
  const auto ranks = static_cast<RankId>(ranks_.size());
  for (RankId i = 0; i < ranks; ++i) {
    const RankId rank = (suspect_ + i) % ranks;
    if (ranks_[rank]->is_quiet()) continue;
    suspect_ = rank;
    return false;
  }
  return true;
}

// All have come, so nobody sends new requests; replies, grants and revocations under way come to an end.
bool CreditBooks::try_to_close() {
  if (arrived_ != ranks_.size()) return false;
  const bool has_books = ranks_.front() != nullptr;
  if (has_books && !is_quiet()) return false;
  if (has_books) {
    const std::string wrong = parts::audit_credits(ranks_);
    if (!wrong.empty()) fatal("credits", "%s", wrong.c_str());
    ++audits_;
    this_run_ = {};
    for (const parts::Credits* books : ranks_) this_run_ += books->counts();
  }
  arrived_ = 0;
  ++closed_;
  core::process_rank()->world().wake_everybody();
  return true;
}

}  // namespace aqueduct::scenarios
