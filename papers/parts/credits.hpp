// Credits: flow control for active messages, so that a target's receive buffers and event queue never
// overflow, however many peers send at once.
//
// A credit is the right to one unit of a target's buffer space and one slot of its event queue. A request
// costs as many credits as it needs units; its reply brings them back. Each rank has both roles: it lends
// credits for its own buffers (the lender), and holds credits for the buffers of others (the holder).
//
// Static partitioning gives every peer its share for good. The dynamic scheme gives every peer a minimum and
// keeps the rest in a bank, from which it goes to those who need it:
//
//   request  holder → lender   uses n credits; says how many more would have avoided the last stall (0 to 7)
//   reply    lender → holder   returns the n; grants the extra ones, all or none, if the bank has them, the
//                              peer is below its maximum and has not been granted too much in this epoch
//   revoke   lender → holder the bank is empty and the peer seems not to need its credits
//   return   holder → lender gives back what exceeds its recent highest use; maybe nothing
//
// An epoch of a lender is a number of requests received. At its end the lender's record of its peers' demands
// decays, and the next message to each holder says so (a bit in the credit byte), so that the holder's record
// of its own use decays as well. A peer that returned nothing is not asked again in the same epoch; one
// revocation is in flight per peer, and a few in all.
//
// Invariants, at any quiet moment (no message in flight): loaned(p) here equals held(me) at p, nothing is in
// use, and the sum of all loans and the bank is what this rank started with. At every moment: a peer never
// uses more than was lent to it, so what was promised never exceeds what the buffers hold.
//
// No progress depends on the dynamic part: the minimum lets the largest message through, alone.
//
// Threads: any. Each peer's account has a lock of its own, held for a few instructions; the bank is one
// atomic. This class neither sends nor waits: the caller carries the bytes and the messages. If a peer dies,
// the job ends.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/spin_lock.hpp"
#include "base/types.hpp"

namespace aqueduct::parts {

/// The byte that travels with every request and reply: one bit, three of `extra`, four of `used`.
struct CreditByte {
  static constexpr unsigned kMostExtra = 7;
  static constexpr unsigned kMostUsed = 15;

  bool epoch_ended = false;  ///< the sender's epoch has ended since its last message to this peer
  std::uint8_t extra = 0;    ///< request: wanted; reply: granted
  std::uint8_t used = 0;     ///< request: used by it; reply: given back

  std::uint8_t encode() const {
    return static_cast<std::uint8_t>((epoch_ended ? 0x80 : 0) | extra << 4 | used);
  }
  static CreditByte decode(std::uint8_t byte) {
    return {(byte & 0x80) != 0, static_cast<std::uint8_t>((byte >> 4) & 7),
            static_cast<std::uint8_t>(byte & 15)};
  }
};

struct CreditSettings {
  RankId peers = 0;            ///< ranks in the job, this one included
  RankId self = 0;             ///< needs no credits
  std::uint16_t per_peer = 0;  ///< what each peer starts with, at least `least`
  std::uint32_t banked = 0;    ///< what the bank starts with
  std::uint16_t least = 8;     ///< revocation leaves a peer this much: enough for the largest message
  bool dynamic = true;         ///< false: the bank is spread over the peers at the start and never changes
  std::uint16_t most_per_peer = 400;
  std::uint16_t lender_limit = 32;  ///< most to grant a peer in an epoch
  std::uint16_t revoke_limit = 32;  ///< most to take back from a peer in an epoch
  std::uint32_t epoch_requests = 1024;
  std::uint8_t most_revocations = 6;  ///< in flight at once
};

/// Counts of rare events so far.
struct CreditCounts {
  std::uint64_t stalls = 0;       ///< as holder: had to wait for credits
  std::uint64_t granted = 0;      ///< as lender: credits, out of the bank
  std::uint64_t refusals = 0;     ///< requests for more that got nothing
  std::uint64_t epochs = 0;       ///< that have ended
  std::uint64_t revocations = 0;  ///< sent
  std::uint64_t returned = 0;     ///< credits that came back to the bank

  CreditCounts& operator+=(const CreditCounts& other);
};

class Credits {
 public:
  explicit Credits(const CreditSettings& settings);

  /// Peers that should be sent a revocation.
  struct Revocations {
    static constexpr unsigned kMost = 8;
    unsigned count = 0;
    std::array<RankId, kMost> peers{};
    std::array<bool, kMost> epoch_ended{};
  };

  struct Returned {
    std::uint16_t credits = 0;
    bool epoch_ended = false;
  };

  // Holder.
  /// Takes `n` of the credits held for `peer`. True: `*byte` goes with the request. False: poll, and try
  /// again; the next request that gets through says what was missing. `n` must not exceed settings().least.
  bool try_acquire(RankId peer, unsigned n, CreditByte* byte);
  /// Undoes try_acquire(), which has returned `byte`, for a request that is not sent after all.
  void put_back(RankId peer, CreditByte byte);
  /// A hint of how many credits could be taken now.
  unsigned available(RankId peer) const;
  void on_reply(RankId peer, CreditByte byte);
  Returned on_revoke(RankId peer, bool epoch_ended);

  // Lender.
  /// A request has come; returns the byte for its reply, and the peers to send revocations to.
  CreditByte on_request(RankId peer, CreditByte byte, Revocations* revocations);
  void on_return(RankId peer, Returned returned);

  // Books.
  const CreditSettings& settings() const { return settings_; }
  unsigned held(RankId peer) const;
  unsigned in_use(RankId peer) const;
  unsigned loaned(RankId peer) const;
  std::uint32_t banked() const { return banked_.load(std::memory_order_relaxed); }
  /// All that this rank has lent or can lend; never changes.
  std::uint64_t total() const { return total_; }
  /// Whether no request waits for a reply and no revocation for an answer. If that holds at all ranks at
  /// once, no message with credits is under way.
  bool is_quiet() const;
  /// Over all peers; nothing but zeros where there are too many to be looked at.
  struct Sums {
    std::uint64_t held = 0, in_use = 0, loaned = 0, revocations = 0;
  };
  Sums sums() const;
  std::uint64_t stalls() const { return stalls_.load(std::memory_order_relaxed); }
  CreditCounts counts() const;
  static constexpr std::size_t bytes_per_peer() { return sizeof(Account); }

 private:
  /// The account between this rank and one peer.
  struct Account {
    mutable SpinLock lock;
    bool revocation_in_flight = false;
    bool returned_nothing = false;  // in this epoch
    bool reached_epoch = false;     // the next message says so
    // As holder.
    std::uint16_t held = 0;
    std::uint16_t in_use = 0;
    std::uint16_t most_used = 0;  // decays
    std::uint16_t stalls = 0;     // decays
    std::uint16_t revoked = 0;    // decays
    std::uint16_t shortfall = 0;  // credits missing when the current stall began
    // As lender.
    std::uint16_t loaned = 0;
    std::uint16_t requested = 0;  // decays
    std::uint16_t granted = 0;    // decays

    void decay_use();
    void decay_demand();
    bool take_epoch();
  };

  bool withdraw(unsigned n);
  void end_epoch();
  void scavenge(Revocations* revocations);

  CreditSettings settings_;
  std::unique_ptr<Account[]> accounts_;
  std::uint64_t total_ = 0;
  std::atomic<std::uint32_t> banked_{0};
  std::atomic<std::uint32_t> requests_{0};
  std::atomic<std::uint32_t> revocations_in_flight_{0};
  std::atomic<RankId> next_to_ask_{0};
  std::atomic<std::uint64_t> stalls_{0};
  // Counted where something rare happens.
  std::atomic<std::uint64_t> granted_{0}, refusals_{0}, epochs_{0}, revocations_{0}, returned_{0};
};

}  // namespace aqueduct::parts
