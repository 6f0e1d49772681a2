#include "papers/conduit/portals/portals.hpp"

#include "base/fatal.hpp"
#include "papers/conduit/portals/portals_conduit.hpp"

namespace aqueduct::conduit::portals {
namespace {

parts::CreditPlan plan_for(const job::Membership& membership, const PortalsSettings& settings) {
  parts::CreditPlanInput input;
  input.ranks = membership.size;
  input.self = membership.rank;
  input.chunk_bytes = settings.chunk_bytes;
  input.chunks_per_buffer = settings.chunks_per_buffer;
  input.spare_buffers = settings.spare_buffers;
  input.dynamic = settings.dynamic_credits;
  input.per_peer = settings.credits_per_peer;
  input.banked = settings.banked_credits;
  parts::CreditPlan plan = parts::plan_credits(input);
  plan.settings.most_per_peer = std::max(settings.max_credits_per_peer, plan.settings.least);
  plan.settings.epoch_requests = settings.epoch_requests;
  return plan;
}

Limits limits_with(const PortalsSettings& settings) {
  if (settings.stage == Stage::kHybrid) return parts::AmOverMessagePassing::limits();
  return {.max_medium = settings.max_medium(), .max_long = LocalMemory::max_at_once(settings)};
}

}  // namespace

PortalsConduit::PassedMessages::PassedMessages(PortalsPort& port)
    : messages(port.self(), port.membership.size,
               parts::PortalsMpi::Settings{.context = parts::PortalsMpi::Context::kConduit}),
      am(kName, messages, port.receiver) {
  am.set_observer([&port](unsigned messages_found) { port.watch->found(messages_found); });
}

// Portals searches match entries in the order in which they are attached.
PortalsConduit::PortalsConduit(const job::Membership& membership, Receiver& receiver,
                               const PortalsSettings& settings)
    : port_(membership, receiver, settings), plan_(plan_for(membership, settings)), credits_(plan_.settings) {
  // SAFE_EQ: two events for each token, and for each request chunk a reply and the payload of a Long. AM_EQ:
  // one for each credit, and the end of each buffer. SYS_EQ: a revocation and a return with each peer, and an
  // order for memory and an answer, if everything can be reached.
  port_.interface.open_queues({.safe = 2 * settings.send_tokens + 2 * settings.request_chunks + 16,
                               .am = plan_.events + plan_.buffers + 16,
                               .sys = (settings.everything ? 4 : 2) * std::size_t{membership.size} + 10});
  if (settings.stage == Stage::kHybrid) {
    passed_.emplace(port_);
    port_.attach_request_chunks(operations_);  // for bounce buffers only
  } else {
    messages_.emplace(port_, operations_, puts_and_gets_, control_, credits_, plan_);
  }
  port_.watch.emplace(kName, pending_,
                      parts::PortalsWatch::Place{kRarEntry, bits_of(Selector::kProbe), kIgnored});
  operations_.open();
  if (settings.everything) {
    lent_.emplace(port_.interface, control_);
    remote_.emplace(control_, membership, settings);
    puts_and_gets_.set_remote(*remote_);
  }
}

PortalsConduit::~PortalsConduit() = default;

void PortalsConduit::segments_attached(std::span<const SegmentBounds> segments) {
  port_.segments.assign(segments.begin(), segments.end());
  const SegmentBounds& mine = port_.segment();
  void* const base = reinterpret_cast<void*>(mine.base);
  constexpr unsigned kPuts = PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE;
  port_.attach_memory(port_.attach(kRarEntry, Selector::kRar), base, mine.size,
                      kPuts | PTL_MD_OP_GET | PTL_MD_EVENT_END_DISABLE, nullptr, PTL_EQ_NONE);
  port_.attach_memory(port_.attach(kRarEntry, Selector::kRarAm), base, mine.size, kPuts,
                      messages_ ? messages_->request_payloads().mark() : nullptr,
                      port_.interface.am.handle());
  SafeEvents& payloads = messages_ ? messages_->reply_payloads() : operations_;
  const ptl_handle_md_t source =
      port_.attach_memory(port_.attach(kRarEntry, Selector::kRarSrc), base, mine.size, kPuts, payloads.mark(),
                          port_.interface.safe.handle());
  operations_.local().set_segment(mine, source);
  if (passed_) passed_->am.set_segment(mine);
}

Limits PortalsConduit::limits() const { return limits_with(port_.settings); }

unsigned PortalsConduit::poll(Scope scope) {
  unsigned found = port_.poll_safe();
  found += passed_ ? passed_->am.poll(scope) : messages_->poll(scope);
  puts_and_gets_.poll();
  if (messages_) messages_->poll_longs();
  return found;
}

void PortalsConduit::count_resources(observe::ResourceCounts& counts) {
  counts.holds("send tokens", port_.tokens.taken());
  counts.holds("request chunks", port_.request_chunks.taken_chunks());
  counts.holds("operations of Portals", operations_.in_use());
  counts.holds("descriptors of memory", operations_.local().held());
  counts.holds("puts and gets", puts_and_gets_.under_way());
  if (messages_) messages_->count_resources(counts);
  if (passed_) {
    passed_->am.count_resources(counts);
    passed_->messages.count_resources(counts);
  }
}

namespace {

std::unique_ptr<Conduit> open(const Opening& opening) {
  PortalsSettings settings = PortalsSettings::from_environment();
  settings.everything = settings.stage == Stage::kFirehose && opening.receiver.wants_segment_everything();
  return std::make_unique<PortalsConduit>(opening.place, opening.receiver, settings);
}

}  // namespace

const Description kDescription = {
    .name = "portals",
    .summary = "Portals 3.3, as on the Cray XT, carried by shared memory",
    .uses_neighbourhood = false,
    .max_ranks = job::kMaxRanks,
    .preference = 0,
    .open = open,
    .limits = [] { return limits_with(PortalsSettings::from_environment()); },
    .nic = "portals3",
};

}  // namespace aqueduct::conduit::portals
