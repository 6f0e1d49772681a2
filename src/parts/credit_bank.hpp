// Dynamic request credits: what RequestCredits lends every peer is little where there are many, and the rest
// is in a bank, from which a peer that talks borrows. One that is silent costs nothing.
//
//   ask      borrower → lender   the credits for this lender are all taken
//   grant    lender → borrower   so many more from the bank, as many as it has already if they are there; or 0
//   recall   lender → borrower   the bank is empty and somebody else asks
//   return   borrower → lender   so many of the borrowed ones as are not in use now, maybe 0
//
// Each rank plays both parts. A borrower has one question under way at a lender, and asks one that has
// granted nothing again only after kPatience more stalls. A lender has one recall under way in all, and takes
// borrowers in turns: who talks gives little back, who is silent everything.
//
// Invariant: the bank + what is lent from it, counting grants and returns under way, is what the bank began
// with. No progress depends on any of this: what RequestCredits lends is enough to go on.
//
// Not thread-safe: its owner has a lock, and carries the four messages.
#pragma once
#include <unordered_map>
#include <vector>

#include "parts/request_credits.hpp"

namespace aqueduct::parts {

enum class CreditWord : std::uint8_t { kAsk, kGrant, kRecall, kReturn };

class CreditBank {
 public:
  static constexpr unsigned kPatience = 64;

  /// Lends at most `banked` in all, and so many to one peer that it can have kMostCredits outstanding.
  CreditBank(RequestCredits& credits, unsigned banked) : credits_(credits), banked_(banked), free_(banked) {}

  /// A word for a peer.
  struct Letter {
    RankId peer = kNoRank;  ///< kNoRank: nothing is to be said
    CreditWord word = CreditWord::kAsk;
    unsigned count = 0;
  };

  // Borrower.
  /// A request to that rank has found no credit.
  Letter stalled(RankId lender);

  // Both.
  /// A word has come; what to say to whom. Two letters at most: to who spoke, and a recall.
  struct Letters {
    Letter first, second;
  };
  /// False if nobody who keeps to the rules says that.
  bool take(RankId from, CreditWord word, unsigned count, Letters* letters);

  unsigned free() const { return free_; }
  unsigned lent() const { return lent_; }

 private:
  struct Asked {
    bool is_under_way = false;
    unsigned stalls = 0;  // since an answer that granted nothing
  };
  unsigned grant(RankId borrower);
  Letter recall(RankId asker);

  RequestCredits& credits_;
  unsigned banked_;
  unsigned free_;
  unsigned lent_ = 0;
  std::unordered_map<RankId, Asked> asked_;
  std::unordered_map<RankId, unsigned> lent_to_;
  std::vector<RankId> borrowers_;  // who has any, in turns
  RankId recalled_ = kNoRank;      // from whom a return is awaited
};

}  // namespace aqueduct::parts
