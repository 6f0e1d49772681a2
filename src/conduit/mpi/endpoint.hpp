// What the parts of the conduit share: the session, the stream of small messages, transfers of bytes beside
// it, and the credits of all of them.
//
// Threads: whoever calls holds the session.
#pragma once
#include <algorithm>

#include "base/fatal.hpp"
#include "conduit/mpi/bulk.hpp"
#include "conduit/mpi/start.hpp"
#include "conduit/mpi/stream.hpp"
#include "parts/am_codec.hpp"
#include "parts/credit_bank.hpp"
#include "parts/request_credits.hpp"

namespace aqueduct::conduit::mpi {

/// What stands before them.
inline constexpr std::size_t kMostHeadBytes = sizeof(std::uint64_t) + parts::kMostHeaderBytes;
/// A request takes a credit for each of these.
inline constexpr std::size_t kBytesOfACredit = 512;

struct Endpoint {
  Session& session;
  RankId rank;
  Receiver& receiver;
  SegmentBounds segment{};
  parts::RequestCredits credits;
  parts::CreditBank bank;
  Stream stream;
  Bulk bulk;

  Endpoint(Session& shared, RankId self, RankId ranks, Receiver& client);

  static Limits limits() { return {.max_medium = am::kMostMedium, .max_long = am::kMostMedium}; }

  /// Of the receives that are posted for all peers.
  static std::size_t receive_bytes();

  /// What a request with that payload takes: one for each 512 bytes, so that what is under way fits MPI's
  /// fast box and the caches, and the next one finds memory that is warm. At most a quarter of all.
  unsigned credits_of(std::size_t bytes) const {
    if (bytes < kBytesOfACredit) [[likely]]
      return 1;
    return static_cast<unsigned>(std::min<std::size_t>(1 + bytes / kBytesOfACredit, credits.least() / 4 + 1));
  }
  /// Takes what a request to that rank needs, or says what is lacking.
  bool may_request(RankId target, unsigned count) {
    if (session.is_over()) [[unlikely]]
      say_that_it_is_over(target);
    if (target == stalled_on_ && credits.outstanding(target) > goes_on_at_) [[unlikely]]
      return lacks(observe::Retry::kCredits);
    stalled_on_ = kNoRank;
    if (!credits.try_take(target, count)) [[unlikely]] {
      stall(target);
      return lacks(observe::Retry::kCredits);
    }
    if (stream.has_room()) [[likely]]
      return true;
    credits.put_back(target, count);
    return lacks(observe::Retry::kBuffers);
  }
  /// Ends the job if so many credits of ours were not taken.
  void came_back(RankId source, unsigned count) {
    if (count != 0 && !credits.came_back(source, count)) [[unlikely]]
      malformed(source, parts::RequestCredits::kTooMany);
  }
  /// Sends messages for credits that have been owed for too long.
  void give_credits_back();
  /// A message of kind HeadKind::kCreditWord.
  void take_word(const Stream::Arrival& arrival);

  [[noreturn]] static void malformed(RankId source, const char* why);
  [[noreturn]] static void say_that_it_is_over(RankId target);

 private:
  void stall(RankId target);
  void send_word(const parts::CreditBank::Letter& letter);
  bool lacks(observe::Retry what) {
    receiver.lacks(what);
    return false;
  }

  RankId stalled_on_ = kNoRank;  // the last rank that had no credits for a request
  unsigned goes_on_at_ = 0;      // when so few are outstanding there
};

}  // namespace aqueduct::conduit::mpi
