#include <sched.h>

#include <mutex>

#include "conduit/mpi/bare.hpp"
#include "conduit/mpi/mpi_conduit.hpp"
#include "conduit/mpi/start.hpp"
#include "conduit/plugin/plugin.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::mpi {
namespace {

constexpr unsigned kAtOnce = 32;         // messages that one poll takes
constexpr unsigned kMostBusyPolls = 16;  // that leave the rest undone

}  // namespace

MpiConduit::MpiConduit(const Opening& opening)
    : world_(opening.world),
      place_(opening.place),
      session_(opening),
      endpoint_(session_, opening.place.rank, opening.place.size, opening.receiver),
      messages_(endpoint_),
      transfers_(endpoint_, opening.place.size, [this] { return poll(Scope::kReplies, false); }) {
  session_.set_at_end([this] {
    endpoint_.stream.cancel();
    transfers_.close();
  });
  offer_bare_interface(session_);
}

void MpiConduit::segments_attached(std::span<const SegmentBounds> segments) {
  const std::lock_guard guard(session_);
  endpoint_.segment = segments[endpoint_.rank];
  transfers_.open_window(segments, place_.neighbourhoods(kDescription.uses_neighbourhood));
}

// Returns when no other message is there: somebody may wait for the last one, and a look at nothing takes a
// third as long as a message.
unsigned MpiConduit::poll(Scope scope, bool may_deliver) {
  const std::lock_guard guard(session_);
  unsigned count = 0;
  while (count < kAtOnce && !session_.is_over()) {
    if (may_deliver && messages_.deliver_parked(scope)) {
      ++count;
      continue;
    }
    if (count != 0 && !endpoint_.stream.has_more()) break;
    Stream::Arrival arrival;
    if (!endpoint_.stream.receive(&arrival)) break;
    ++count;
    take(arrival, scope, may_deliver);
  }
  if (session_.is_over()) return count;
  transfers_.finish_answer();
  if (count != 0 && ++busy_polls_ < kMostBusyPolls) return count;
  return count + do_the_rest();
}

void MpiConduit::take(const Stream::Arrival& arrival, Scope scope, bool may_deliver) {
  const std::uint8_t mark = arrival.mark();
  if (!is_head(mark) || mark >= static_cast<std::uint8_t>(HeadKind::kLargeMessage)) {
    transfers_.finish_answer();  // handlers take their time
    return messages_.take(arrival, scope, may_deliver);
  }
  if (mark == static_cast<std::uint8_t>(HeadKind::kCreditWord)) {
    endpoint_.take_word(arrival);
  } else {
    transfers_.take(arrival);
  }
  endpoint_.stream.give_back(arrival.buffer);
}

// Small messages are with MPI when they are sent. Those that are gone receive nothing.
void MpiConduit::finish_sending(std::uint64_t most_ns) {
  if (!session_.may_be_taken()) return;
  const auto is_sending = [this] {
    const std::lock_guard guard(session_);
    return !session_.is_over() && endpoint_.bulk.is_sending();
  };
  const std::uint64_t until_ns = world_.clock().now_ns() + most_ns;
  while (is_sending() && world_.clock().now_ns() < until_ns && !world_.everyone_leaves()) {
    if (poll(Scope::kReplies, false) == 0) ::sched_yield();
  }
}

void MpiConduit::count_resources(observe::ResourceCounts& counts) {
  if (!session_.may_be_taken()) return;
  const std::lock_guard guard(session_);
  if (session_.is_over()) return;
  counts.holds("messages that leave", endpoint_.stream.under_way());
  counts.holds("transfers beside messages", endpoint_.bulk.under_way());
  messages_.count_resources(counts);
  transfers_.count_resources(counts);
  const parts::RequestCredits::Sums credits = endpoint_.credits.sums();
  counts.lends("request credits", credits.outstanding, credits.owed);
}

// Reports.

void MpiConduit::list_unanswered(parts::ProbeList& peers) {
  const std::lock_guard guard(session_);
  endpoint_.credits.list_unanswered(peers);
}

std::string MpiConduit::missing_from(RankId peer) {
  const std::lock_guard guard(session_);
  return parts::counted(endpoint_.credits.outstanding(peer), "reply or credit", "replies or credits");
}

namespace {

// The same for 4 ranks and for 4,096.
std::string memory_in_words() {
  return "a rank has " + std::to_string(Endpoint::receive_bytes() >> 10) +
         " KiB of receives for all peers; a peer that it talks with takes " +
         std::to_string(parts::RequestCredits::peer_bytes() + Transfers::peer_bytes()) +
         " bytes, a silent one less than one";
}

}  // namespace

const Description kDescription = {
    .name = AQUEDUCT_CONDUIT_NAME,
    .summary = AQUEDUCT_CONDUIT_SUMMARY,
    .uses_neighbourhood = true,
    .max_ranks = job::kMaxRanks,
    .preference = 0,
    .open = [](const Opening& opening) -> std::unique_ptr<Conduit> {
      return std::make_unique<MpiConduit>(opening);
    },
    .limits = Endpoint::limits,
    .details = memory_in_words,
};

}  // namespace aqueduct::conduit::mpi

AQUEDUCT_CONDUIT_PLUGIN(aqueduct::conduit::mpi::kDescription);
