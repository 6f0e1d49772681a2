#include "papers/conduit/aries/aries.hpp"

#include "papers/conduit/aries/aries_conduit.hpp"
#include "papers/parts/finish_sending.hpp"

namespace aqueduct::conduit::aries {

unsigned AriesConduit::poll(Scope scope) {
  SpinLock& lock = endpoint_.lock;
  if (!lock.try_lock()) return 0;  // another thread looks
  // A caller that finds nothing may sleep, so events count as well: there may be more.
  const unsigned found = progress();
  const unsigned delivered = messages_.deliver(scope);
  lock.unlock();
  watch_.found(found + delivered);
  return found + delivered;
}

unsigned AriesConduit::progress() {
  const unsigned found = endpoint_.nic.take_completions(endpoint_.settings.local_burst) +
                         messages_.take_arrivals(endpoint_.settings.am_burst);
  messages_.proceed();
  transfers_.proceed();
  return found;
}

void AriesConduit::count_resources(observe::ResourceCounts& counts) {
  const std::lock_guard guard(endpoint_.lock);
  counts.holds("post descriptors", endpoint_.nic.in_use());
  counts.holds("bounce buffers", endpoint_.local.bounces_taken());
  counts.holds("registrations of posts", endpoint_.local.registrations_held());
  counts.holds("records of puts and gets", transfers_.under_way());
  messages_.count_resources(counts);
}

void AriesConduit::finish_sending(std::uint64_t most_ns) {
  parts::finish_sending(endpoint_.world, most_ns, [this] {
    if (!endpoint_.lock.try_lock()) return false;
    progress();
    const bool has_left =
        endpoint_.nic.in_use() == 0 && !messages_.has_unsent() && !transfers_.has_unfinished();
    endpoint_.lock.unlock();
    return has_left;
  });
}

namespace {

std::unique_ptr<Conduit> open(const Opening& opening) {
  return std::make_unique<AriesConduit>(AriesSettings::from_environment(), opening);
}

// The same for 4 ranks and for 4,096.
std::string memory_in_words() {
  const AriesSettings settings = AriesSettings::from_environment();
  return "a peer that a rank talks with takes up to " +
         std::to_string(MessageArea(settings, 1).peer_bytes() >> 10) +
         " KiB for its requests, as they come; a silent one " +
         std::to_string(Endpoint::peer_bytes() + Messages::peer_bytes()) + " bytes";
}

}  // namespace

const Description kDescription = {
    .name = "aries",
    .summary = "uGNI, as on the Cray XC, carried by shared memory or datagrams",
    .uses_neighbourhood = false,
    .max_ranks = kMostRanks < job::kMaxRanks ? kMostRanks : job::kMaxRanks,
    .preference = 0,
    .open = open,
    .limits = [] { return AriesSettings::from_environment().limits(); },
    .nic = "ugni",
    .details = memory_in_words,
};

}  // namespace aqueduct::conduit::aries
