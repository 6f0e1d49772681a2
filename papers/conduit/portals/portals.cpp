#include "papers/conduit/portals/portals.hpp"

#include "base/fatal.hpp"
#include "papers/conduit/portals/portals_conduit.hpp"

namespace aqueduct::conduit::portals {
namespace {

parts::CreditPlan plan_for(const job::Membership& membership, const Settings& settings) {
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

Limits limits_with(const Settings& settings) {
  if (settings.stage == Stage::kHybrid) return parts::AmOverMessagePassing::limits();
  return {.max_medium = settings.max_medium(), .max_long = LocalMemory::max_at_once(settings)};
}

constexpr ptl_match_bits_t bits_of(Selector selector) { return static_cast<std::uint8_t>(selector); }

}  // namespace

PortalsConduit::PortalsConduit(const job::Membership& membership, Receiver& receiver,
                               const Settings& settings)
    : settings_(settings),
      membership_(membership),
      receiver_(receiver),
      interface_(membership.rank),
      plan_(plan_for(membership, settings)),
      credits_(plan_.settings),
      tokens_(settings.send_tokens),
      request_chunks_(settings.request_chunks, settings.chunk_bytes),
      reply_chunks_(settings.reply_chunks, settings.chunk_bytes),
      chunk_peer_(settings.request_chunks),
      long_kind_(parts::choose_long_protocol(kName, PortalsConduit::long_abilities())),
      long_(parts::make_long_protocol(long_kind_, *this)) {
  // SAFE_EQ: two events for each token, and for each request chunk a reply and the payload of a Long. AM_EQ:
  // one for each credit, and the end of each buffer. SYS_EQ: a revocation and a return with each peer, and an
  // order for memory and an answer, if everything can be reached.
  interface_.open_queues({.safe = 2 * settings_.send_tokens + 2 * settings_.request_chunks + 16,
                          .am = plan_.events + plan_.buffers + 16,
                          .sys = (settings_.everything ? 4 : 2) * std::size_t{membership.size} + 10});
  if (settings_.stage == Stage::kHybrid) {
    messages_.emplace(membership.rank, membership.size,
                      parts::PortalsMpi::Settings{.context = parts::PortalsMpi::Context::kConduit});
    passed_am_.emplace("portals", *messages_, receiver);
    passed_am_->set_observer([this](unsigned messages) { watch_->found(messages); });
    attach_request_chunks();
  } else {
    attach_message_entries();
  }
  watch_.emplace(kName, static_cast<parts::PendingReplies&>(*this),
                 parts::PortalsWatch::Place{kRarEntry, bits_of(Selector::kProbe), kIgnored});
  local_.emplace(interface_, settings_, request_chunks_, request_md_,
                 &marks_[static_cast<unsigned>(Role::kLocal)]);
  if (settings_.everything) {
    lent_.emplace(interface_);
    remote_.emplace(control_, membership, settings_);
  }
}

PortalsConduit::~PortalsConduit() = default;

ptl_handle_me_t PortalsConduit::attach(ptl_pt_index_t entry, Selector selector) {
  ptl_handle_me_t me;
  check(PtlMEAttach(interface_.ni(), entry, InterfaceClient::anybody(), bits_of(selector), kIgnored,
                    PTL_RETAIN, PTL_INS_AFTER, &me),
        "PtlMEAttach");
  return me;
}

ptl_handle_md_t PortalsConduit::attach_memory(ptl_handle_me_t entry, void* start, std::size_t bytes,
                                              unsigned options, Role role, ptl_handle_eq_t queue) {
  ptl_handle_md_t md;
  check(PtlMDAttach(entry, descriptor(start, bytes, options, &marks_[static_cast<unsigned>(role)], queue),
                    PTL_RETAIN, &md),
        "PtlMDAttach");
  return md;
}

// The list of the entry for messages: SYS, the request buffers, the overflow entry, ReqSB.
void PortalsConduit::attach_message_entries() {
  const ptl_handle_eq_t safe = interface_.safe.handle();
  ptl_handle_md_t unused;
  const ptl_handle_me_t sys = attach(kAmEntry, Selector::kSys);
  check(PtlMDAttach(sys, descriptor(nullptr, 0, PTL_MD_OP_PUT, nullptr, interface_.sys.handle()), PTL_RETAIN,
                    &unused),
        "PtlMDAttach of SYS");
  const ptl_handle_me_t overflow = attach(kAmEntry, Selector::kReqRb);
  // One event is enough to end the job; more would only push others out of the queue.
  ptl_md_t one_event = descriptor(nullptr, 0, PTL_MD_OP_PUT | PTL_MD_TRUNCATE | PTL_MD_ACK_DISABLE,
                                  &marks_[static_cast<unsigned>(Role::kOverflow)], safe);
  one_event.threshold = 1;
  check(PtlMDAttach(overflow, one_event, PTL_RETAIN, &unused), "PtlMDAttach of the overflow entry");
  attach_request_chunks();
  buffers_.emplace(interface_, overflow, plan_.buffers, settings_.spare_buffers, settings_.chunk_bytes,
                   settings_.chunks_per_buffer);

  const ptl_md_t replies = descriptor(reply_chunks_.memory(), reply_chunks_.bytes(), 0,
                                      &marks_[static_cast<unsigned>(Role::kRplSb)], safe);
  check(PtlMDBind(interface_.ni(), replies, PTL_RETAIN, &reply_md_), "PtlMDBind of RplSB");
  control_.open();
}

void PortalsConduit::attach_request_chunks() {
  request_md_ =
      attach_memory(attach(kAmEntry, Selector::kReqSb), request_chunks_.memory(), request_chunks_.bytes(),
                    PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE, Role::kReqSb, interface_.safe.handle());
}

void PortalsConduit::segments_attached(std::span<const SegmentBounds> segments) {
  segments_.assign(segments.begin(), segments.end());
  const SegmentBounds& mine = segments_[membership_.rank];
  void* const base = reinterpret_cast<void*>(mine.base);
  attach_memory(attach(kRarEntry, Selector::kRar), base, mine.size,
                PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_END_DISABLE, Role::kLocal,
                PTL_EQ_NONE);
  attach_memory(attach(kRarEntry, Selector::kRarAm), base, mine.size, PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE,
                Role::kRarAm, interface_.am.handle());
  const ptl_handle_md_t source =
      attach_memory(attach(kRarEntry, Selector::kRarSrc), base, mine.size,
                    PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE, Role::kRarSrc, interface_.safe.handle());
  local_->set_segment(mine, source);
  if (passed_am_) passed_am_->set_segment(mine);
}

Limits PortalsConduit::limits() const { return limits_with(settings_); }

unsigned PortalsConduit::poll(Scope scope) {
  unsigned found = poll_safe(settings_.safe_limit);
  if (passed_am_) {
    found += passed_am_->poll(scope);
  } else {
    found += poll_sys();
    if (scope == Scope::kAll) found += poll_am(settings_.am_limit);
  }
  if (unfinished_count_.load(std::memory_order_relaxed) != 0) continue_transfers();
  long_->poll();
  return found;
}

namespace {

std::unique_ptr<Conduit> open(const Opening& opening) {
  Settings settings = Settings::from_environment();
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
    .limits = [] { return limits_with(Settings::from_environment()); },
    .nic = "portals3",
};

}  // namespace aqueduct::conduit::portals
