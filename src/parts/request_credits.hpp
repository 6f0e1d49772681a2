// Request credits: how many requests may be outstanding at each peer, so that what waits here is bounded.
//
// A request takes a credit of its target's. Its reply brings it back. Where the handler does not reply the
// credit is owed: it goes back with whatever else is sent there, or, once `due` are owed, by a message of its
// own. (Fewer can wait if due is at most half of the limit: the peer has the others left and is not stuck.)
// Peers that are due have their turns in the order in which they became so.
//
// At every moment, between two ranks and in one direction: outstanding at the sender = requests under way or
// waiting + replies and credits under way + owed at the receiver <= limit.
//
// The limit of a peer that talks much may grow, and shrink again (credit_bank.hpp).
//
// Memory: a peer costs some ten bytes from the first request on; silent peers cost nothing. Not thread-safe:
// its owner has a lock.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/peer_map.hpp"
#include "base/types.hpp"
#include "parts/probe_list.hpp"

namespace aqueduct::parts {

/// The most that one peer may have outstanding, with what it has borrowed.
inline constexpr unsigned kMostBorrowed = 255;

class RequestCredits {
 public:
  /// `limit` is at most kMostCredits, and due at most that.
  RequestCredits(RankId ranks, unsigned limit, unsigned due) : ranks_(ranks), limit_(limit), due_(due) {}

  // Requests of ours.
  /// Takes so many credits of the target, at most least(). False: there are not so many.
  bool try_take(RankId target, unsigned credits = 1) {
    PeerCredits& peer = at(target);
    if (peer.outstanding + credits > limit_ + peer.borrowed) return false;
    peer.outstanding = static_cast<std::uint8_t>(peer.outstanding + credits);
    return true;
  }
  /// The request was not sent.
  void put_back(RankId target, unsigned credits = 1) {
    at(target).outstanding = static_cast<std::uint8_t>(at(target).outstanding - credits);
  }
  /// False, and nothing has come back, if so many were not outstanding there; kTooMany says so in words.
  bool came_back(RankId source, unsigned credits) {
    PeerCredits& peer = at(source);
    if (credits > peer.outstanding) return false;
    peer.outstanding = static_cast<std::uint8_t>(peer.outstanding - credits);
    return true;
  }

  /// Of a peer that was heard of. For others it is eight bytes for every 64.
  static constexpr std::size_t peer_bytes() { return sizeof(PeerCredits); }

  static constexpr const char* kTooMany = "more credits come back than were lent";

  // What was borrowed beside them (credit_bank.hpp).
  unsigned least() const { return limit_; }
  unsigned limit(RankId lender) { return limit_ + at(lender).borrowed; }
  /// False, and nothing has changed, if that would be more than kMostBorrowed.
  bool raise(RankId lender, unsigned more) {
    if (more > kMostBorrowed - limit(lender)) return false;
    at(lender).borrowed = static_cast<std::uint8_t>(at(lender).borrowed + more);
    return true;
  }
  /// Gives up what was borrowed and is not in use; returns how much that is.
  unsigned lower(RankId lender) {
    PeerCredits& peer = at(lender);
    const unsigned less = std::min<unsigned>(peer.borrowed, limit_ + peer.borrowed - peer.outstanding);
    peer.borrowed = static_cast<std::uint8_t>(peer.borrowed - less);
    return less;
  }

  // Requests of others.
  /// Of a request that is over and had no reply; or of credits that were taken and could not be sent.
  void owe(RankId source, unsigned credits) {
    PeerCredits& peer = at(source);
    peer.owed = static_cast<std::uint8_t>(peer.owed + credits);
    if (peer.is_due || peer.owed < due_) return;
    peer.is_due = true;
    due_peers_.push_back(source);
  }
  /// All that is owed, to go with a message there.
  unsigned take_owed(RankId target) {
    PeerCredits& peer = at(target);
    const unsigned owed = peer.owed;
    peer.owed = 0;
    return owed;
  }
  std::size_t due_peers() const { return due_peers_.size() - taken_; }
  /// The next peer that is due, and all that it is owed; nothing if something else has taken that along.
  unsigned take_due(RankId* peer);

  /// Over all peers: credits that this rank has taken, and those that it owes. (What is under way is
  /// neither.)
  struct Sums {
    std::uint64_t outstanding = 0, owed = 0;
  };
  Sums sums() const;

  // Reports: whom we wait for.
  unsigned outstanding(RankId peer) const {
    const PeerCredits* const known = peers_.find(peer);
    return known ? known->outstanding : 0;
  }
  /// Each call begins elsewhere, so that all have their turn.
  void list_unanswered(ProbeList& peers);

 private:
  struct PeerCredits {
    std::uint8_t outstanding = 0;  // requests to it whose credit has not come back
    std::uint8_t owed = 0;         // credits that we have not given back to it
    std::uint8_t borrowed = 0;     // that may be outstanding beyond the limit
    bool is_due = false;           // it is among due_peers_
  };

  PeerCredits& at(RankId rank) { return peers_.at(rank); }

  RankId ranks_;
  unsigned limit_;
  unsigned due_;
  RankId first_listed_ = 0;
  PeerMap<PeerCredits> peers_;
  std::vector<RankId> due_peers_;  // in their order, behind those that have been taken
  std::size_t taken_ = 0;
};

}  // namespace aqueduct::parts
