#include "parts/credit_bank.hpp"

#include <algorithm>

namespace aqueduct::parts {

CreditBank::Letter CreditBank::stalled(RankId lender) {
  if (banked_ == 0 || credits_.limit(lender) == kMostBorrowed) return {};
  Asked& asked = asked_[lender];
  if (asked.is_under_way || (asked.stalls != 0 && asked.stalls++ < kPatience)) return {};
  asked = {.is_under_way = true};
  return {lender, CreditWord::kAsk, 0};
}

bool CreditBank::take(RankId from, CreditWord word, unsigned count, Letters* letters) {
  switch (word) {
    case CreditWord::kAsk: {
      const unsigned granted = grant(from);
      letters->first = {from, CreditWord::kGrant, granted};
      if (granted == 0) letters->second = recall(from);
      return count == 0;
    }
    case CreditWord::kGrant: {
      const auto asked = asked_.find(from);
      if (asked == asked_.end() || !asked->second.is_under_way) return false;
      asked->second = {.is_under_way = false, .stalls = count == 0 ? 1u : 0u};
      return credits_.raise(from, count);
    }
    case CreditWord::kRecall:
      letters->first = {from, CreditWord::kReturn, credits_.lower(from)};
      return count == 0;
    case CreditWord::kReturn: {
      if (recalled_ != from || count > lent_to_[from]) return false;
      recalled_ = kNoRank;
      lent_ -= count;
      free_ += count;
      if ((lent_to_[from] -= count) == 0) std::erase(borrowers_, from);
      return true;
    }
  }
  return false;
}

// As many as it has, so that a peer that goes on talking has what it needs after a few questions.
unsigned CreditBank::grant(RankId borrower) {
  unsigned& has = lent_to_[borrower];
  const unsigned granted = std::min({free_, credits_.least() + has, kMostBorrowed - credits_.least() - has});
  if (has == 0 && granted != 0) borrowers_.push_back(borrower);
  has += granted;
  lent_ += granted;
  free_ -= granted;
  return granted;
}

// Whoever comes first goes to the end of the line.
CreditBank::Letter CreditBank::recall(RankId asker) {
  if (recalled_ != kNoRank || borrowers_.empty()) return {};
  std::rotate(borrowers_.begin(), borrowers_.begin() + 1, borrowers_.end());
  if (borrowers_.back() == asker) return {};
  recalled_ = borrowers_.back();
  return {recalled_, CreditWord::kRecall, 0};
}

}  // namespace aqueduct::parts
