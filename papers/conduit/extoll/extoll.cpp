#include "papers/conduit/extoll/extoll.hpp"

#include "papers/conduit/extoll/extoll_conduit.hpp"
#include "papers/parts/finish_sending.hpp"

namespace aqueduct::conduit::extoll {
namespace {

constexpr RankId kMostNodes = 0xfffe;  // ids of nodes have 16 bits, of which two are reserved
constexpr unsigned kNoticesAtOnce = 32;

}  // namespace

unsigned ExtollConduit::poll(Scope scope) {
  SpinLock& lock = endpoint_.lock;
  if (!lock.try_lock()) return 0;  // another thread looks
  // A caller that finds nothing may sleep, so packets count as well: there may be more.
  const unsigned found = progress();
  const unsigned delivered = messages_.deliver(scope);
  lock.unlock();
  watch_.found(found + delivered);
  return found + delivered;
}

unsigned ExtollConduit::progress() {
  unsigned found = messages_.receive();
  if (endpoint_.nic.may_have_notices()) found += take_notices();
  messages_.proceed();
  transfers_.proceed();
  endpoint_.nic.check_peers();
  return found;
}

unsigned ExtollConduit::take_notices() {
  Nic::Notice notice;
  for (unsigned i = 0; i < kNoticesAtOnce; ++i) {
    if (!endpoint_.nic.next_notice(&notice)) return i;
    if (notice.source == kNoRank) continue;
    notice.command ? notice.command->tell() : messages_.data_came(notice);
  }
  return kNoticesAtOnce;
}

void ExtollConduit::count_resources(observe::ResourceCounts& counts) {
  const std::lock_guard guard(endpoint_.lock);
  counts.holds("RMA commands", endpoint_.nic.in_use());
  counts.holds("bounce buffers", endpoint_.local.bounces_taken());
  counts.holds("registrations of commands", endpoint_.local.registrations_held());
  counts.holds("records of puts and gets", transfers_.under_way());
  messages_.count_resources(counts);
}

void ExtollConduit::finish_sending(std::uint64_t most_ns) {
  parts::finish_sending(endpoint_.world, most_ns, [this] {
    if (!endpoint_.lock.try_lock()) return false;
    progress();
    const bool has_left = messages_.is_idle() && endpoint_.nic.in_use() == 0 &&
                          !transfers_.has_unfinished() && aqueduct::extoll::has_all_left();
    endpoint_.lock.unlock();
    return has_left;
  });
}

namespace {

std::unique_ptr<Conduit> open(const Opening& opening) {
  return std::make_unique<ExtollConduit>(ExtollSettings::from_environment(), opening);
}

// The same for 4 ranks and for 4,096.
std::string memory_in_words() {
  return "a peer that a rank talks with takes " +
         std::to_string(Endpoint::peer_bytes() + Messages::peer_bytes()) + " bytes, a silent one one";
}

}  // namespace

const Description kDescription = {
    .name = kName,
    .summary = "VELO and RMA, as on EXTOLL cards, carried by shared memory or datagrams",
    .uses_neighbourhood = false,
    .max_ranks = kMostNodes < job::kMaxRanks ? kMostNodes : job::kMaxRanks,
    .preference = 0,
    .open = open,
    .limits = [] { return ExtollSettings::limits(); },
    .nic = "extoll",
    .details = memory_in_words,
};

}  // namespace aqueduct::conduit::extoll
