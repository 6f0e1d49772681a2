#include "credit_books.hpp"

#include <algorithm>
#include <string>

#include "base/fatal.hpp"
#include "conduit/portals/portals_conduit.hpp"
#include "core/credit_audit.hpp"
#include "core/progress.hpp"
#include "job/world.hpp"

namespace aqueduct::scenarios {

void CreditBooks::open(RankId ranks) {
  ranks_.assign(ranks, nullptr);
  arrived_ = 0;
  closed_ = 0;
  before_ += this_run_;
  this_run_ = {};
}

core::CreditCounts CreditBooks::counts() const {
  core::CreditCounts all = before_;
  return all += this_run_;
}

void CreditBooks::join() {
  core::Rank& rank = *core::process_rank();
  const auto* conduit = dynamic_cast<const conduit::portals::PortalsConduit*>(&rank.conduit());
  if (!conduit) return;
  ranks_[rank.id()] = &conduit->credits();
  if (conduit->credits().total() != conduit->plan().events) {
    fatal("credits", "%llu credits are lent or banked; %u were planned",
          static_cast<unsigned long long>(conduit->credits().total()), conduit->plan().events);
  }
}

void CreditBooks::meet() {
  core::Thread& thread = core::this_thread("meet");
  const std::uint64_t meeting = closed_;
  ++arrived_;
  core::wait_until(thread, core::Scope::kAll, [&] { return closed_ != meeting || try_to_close(); });
}

// All have come, so nobody sends of its own accord any more; what is still answered, granted or revoked ends.
bool CreditBooks::try_to_close() {
  if (arrived_ != ranks_.size()) return false;
  const bool has_books = ranks_.front() != nullptr;
  if (has_books && !std::ranges::all_of(ranks_, &core::Credits::is_quiet)) return false;
  if (has_books) {
    const std::string wrong = core::audit_credits(ranks_);
    if (!wrong.empty()) fatal("credits", "%s", wrong.c_str());
    ++audits_;
    this_run_ = {};
    for (const core::Credits* books : ranks_) this_run_ += books->counts();
  }
  arrived_ = 0;
  ++closed_;
  core::process_rank()->world()->wake_everybody();
  return true;
}

}  // namespace aqueduct::scenarios
