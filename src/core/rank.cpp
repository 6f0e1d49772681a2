#include "core/rank.hpp"

#include <algorithm>

#include "base/fatal.hpp"
#include "core/progress.hpp"
#include "job/place/activity.hpp"
#include "job/place/shared_memory.hpp"
#include "world/world.hpp"

namespace aqueduct::core {

namespace {

// Gives a thread's record back when the thread ends.
struct ThreadExit {
  ~ThreadExit() {
    if (!current_thread()) return;
    Thread& thread = *current_thread();
    current_context.thread = nullptr;
    thread.rank.leave_thread(thread);
  }
};

}  // namespace

Rank* process_rank() { return static_cast<Rank*>(world::current().resident.get()); }
void set_process_rank(Rank* rank) { world::current().resident.reset(rank); }

Thread& enter_process_rank(const char* where) {
  Rank* rank = process_rank();
  if (!rank) fatal(where, "called before gex_Client_Init");
  return rank->enter_thread();
}

Rank::Rank(world::World& world, const job::Membership& membership, RankOptions options)
    : wait_policy(world.wait_policy(options.mode == ThreadMode::kPar)),
      world_(world),
      is_simulated_(world.is_simulated()),
      clock_(world.clock()),
      place_(membership),
      options_(std::move(options)),
      neighbourhoods_(place_.neighbourhoods(options_.conduit->uses_neighbourhood)),
      threaded_(options_.mode == ThreadMode::kPar),
      own_record_(place_, is_simulated_, threaded_, options_.conduit->name),
      handlers_(is_simulated_) {
  // A conduit that carries everything itself has no neighbours, unless the user has said who they are.
  if (options_.conduit->uses_neighbourhood || neighbourhoods_.largest_host() > 1) {
    neighbourhood_ = std::make_unique<Neighbourhood>(world_, neighbourhoods_, place_.rank,
                                                     options_.segment_span, threaded_);
    reading_ = std::make_unique<PayloadReading[]>(2);
  }
  if (place_.reports_failures) {
    if (!options_.conduit->survives_failures)
      fatal("gex_Client_Init",
            "AQUEDUCT_ON_FAILURE=report: conduit %s cannot go on when a rank has died; %s can",
            options_.conduit->name, conduit::names_of_survivors().c_str());
    failures_ = std::make_unique<Failures>(place_.memory_fd, place_.size);
  }
  if (!is_simulated_) {
    auto* const lines = static_cast<job::Activity*>(job::map_shared(
        place_.memory_fd, job::kActivityPlace, place_.size * sizeof(job::Activity), "the activity of ranks"));
    activity_ = lines + place_.rank;
    job::remember_activity(lines, place_.size, place_.rank);
  }
  bootstrap_ = world_.make_bootstrap();
  bootstrap_->set_waiting([this](const std::function<bool()>& condition) { wait_for_bootstrap(condition); },
                          [this] { wake_all_others(); });
  {
    const conduit::ForeignCall call(*options_.conduit);
    conduit_ = options_.conduit->open({world_, place_, *bootstrap_, *this,
                                       options_.mode == ThreadMode::kSeq && !options_.has_progress_thread});
  }
  conduit_->count_resources(first_resources_);
  limits_ = am::limits_for_clients(conduit_->limits(), options_.segment_everything);
  has_network_ = !neighbourhood_ || place_.size > neighbourhood_->size();
  choose_doorbell();
  register_encapsulation(handlers_);
  if (has_network_) beyond_neighbours.count.fetch_add(1, std::memory_order_relaxed);
}

// A rank sleeps in one place. Where neighbours and a network wake it, that is the network's bell, which
// neighbours can reach as well. At a network with a descriptor somebody sleeps (network_watch.hpp); one that
// has neither is looked at every now and then.
void Rank::choose_doorbell() {
  Doorbell* const networks = has_network_ ? conduit_->doorbell(place_.rank) : nullptr;
  if (networks && neighbourhood_)
    neighbourhood_->move_doorbells([this](RankId peer) { return conduit_->doorbell(peer); });
  bell_ = neighbourhood_ ? &neighbourhood_->doorbell(place_.rank) : networks;
  if (has_network_ && !networks && conduit_->wake_descriptor() >= 0) {
    const bool is_alone = !threaded_ && (!neighbourhood_ || neighbourhood_->size() == 1);
    network_watch_ = std::make_unique<NetworkWatch>(*conduit_, bell_, is_alone);
    bell_ = &network_watch_->bell();
  }
  may_oversleep_ = has_network_ && !networks && !network_watch_;
  if (bell_) world_.waits_at(*bell_);
}

// What comes from other hosts comes at sockets, where nobody rings.
void Rank::wait_for_bootstrap(const std::function<bool()>& condition) {
  constexpr std::uint32_t kLongestSleepUs = 1000;
  if (condition()) return;
  constexpr PlainSubject kOthers{observe::WaitKind::kOtherRanks};
  const DescribedSubject subject(kOthers);
  Wait wait(enter_thread(), Scope::kAll, subject);
  do {
    wait.limit_sleep(bootstrap_->awaits_network() ? kLongestSleepUs : ~std::uint32_t{0});
    wait.step();
  } while (!condition());
}

void Rank::wake_all_others() {
  if (is_simulated_) return world_.wake_everybody();
  for (RankId peer = 0; peer < place_.size; ++peer) {
    if (peer == place_.rank) continue;
    Doorbell* bell = conduit_ ? conduit_->doorbell(peer) : nullptr;  // it may still be opening
    if (is_neighbour(peer)) bell = &neighbourhood_->doorbell(peer);
    if (bell) bell->ring_if_needed();
  }
}

Rank::~Rank() = default;

Thread& Rank::enter_thread() {
  if (Thread* const thread = current_thread()) return *thread;
  static thread_local ThreadExit on_thread_exit;
  (void)on_thread_exit;
  const std::lock_guard guard(threads_mutex_);
  Thread* record = nullptr;
  for (auto& candidate : threads_) {
    if (!candidate->in_use) {
      record = candidate.get();
      record->in_use = true;
      break;
    }
  }
  if (!record) {
    threads_.push_back(std::make_unique<Thread>(*this, static_cast<unsigned>(threads_.size())));
    record = threads_.back().get();
    fruitless_calls_to_yield_.store(WaitPolicy::fruitless_calls_to_yield(
                                        std::uint64_t{place_.machine_ranks} * threads_.size(), place_.cores),
                                    std::memory_order_relaxed);
    own_record_.lend(*record);
    mark_neighbours(*record);
    if (options_.make_thread_extension) record->extension = options_.make_thread_extension();
    if (neighbourhood_) neighbourhood_->introduce(threaded_ ? record->index : 0, &record->polling);
    if (failures_) record->polling.reach = 0;  // what the fast paths send is not checked against them
  }
  own_record_.enter(*record);
  current_context.thread = record;
  return *record;
}

void Rank::leave_thread(Thread& thread) {
  const std::lock_guard guard(threads_mutex_);
  own_record_.leave(thread);
  thread.in_use = false;
}

// Of the many in a large neighbourhood most may stay silent, and to mark them would cost memory for each.
void Rank::mark_neighbours(const Thread& thread) {
  if (!neighbourhood_ || is_simulated_) return;
  for (RankId local = 0; local < std::min(neighbourhood_->size(), kAllOpen); ++local)
    thread.with(neighbourhood_->rank_at(local)).is_neighbour.set(1);
}

void Rank::list_unanswered(observe::WaitRecord& record) {
  if (neighbourhood_) neighbourhood_->list_unanswered(record);
  if (!conduit_ || !has_network_) return;
  for (const observe::Missing& missing : conduit_->awaits()) {
    if (missing.peer == kNoRank) {
      record.more = 1;
    } else {
      record.add_missing(missing.peer, missing.what);
    }
  }
}

void Rank::describe(observe::RankState& state) {
  const observe::TeamProgress& world = own_record_.team(OwnRecord::kWorldSlot);
  state.teams.push_back(
      {0, size(), world.barriers.load(), world.named_barriers.load(), world.collectives.load()});
  if (threads_.empty() || !threads_[0]->published) return;
  observe::WaitRecord record{};
  threads_[0]->published->describe(record);
  list_unanswered(record);
  observe::ThreadState thread;
  if (std::optional<observe::Wait> wait = observe::wait_of(record, clock_.now_ns())) {
    own_record_.describe_retries(wait->peer, state);
    thread.wait = std::move(*wait);
  }
  if (const Token* const handling = threads_[0]->handling; handling && handling->entry.client.gex_fnptr) {
    thread.has_answered = true;
    thread.in_handler = handling->is_request ? 1 : 2;
    thread.handler = handling->entry.client.gex_index;
    thread.source = handling->origin.source;
    if (handling->entry.client.gex_name) thread.handler_name = handling->entry.client.gex_name;
  }
  state.threads.push_back(std::move(thread));
}

void Rank::run(Thread& thread, Token& token, const Message& message) {
  if (trace::timeline::is_on() && message.handler >= kFirstClientHandler) [[unlikely]]
    return run_recorded(thread, token, message);
  run_now(thread, token, message);
}

void Rank::run_recorded(Thread& thread, Token& token, const Message& message) {
  const char* const name = token.entry.client.gex_name;
  const trace::timeline::Slice slice(name ? name : "handler", trace::timeline::Kind::kHandler);
  trace::timeline::describe_message(
      token.origin.source, message.payload_bytes,
      trace::timeline::message_key(token.origin.source, token.rank.id(), message.is_reply, message.handler,
                                   message.args, message.nargs, message.payload_bytes),
      message.handler, message.nargs);
  run_now(thread, token, message);
}

void Rank::run_now(Thread& thread, Token& token, const Message& message) {
  Token* const outer = thread.handling;
  thread.handling = &token;
  if (message.category == Category::kShort) {
    HandlerTable::call_short(token.entry, to_handle(token), message.nargs, message.args);
  } else {
    HandlerTable::call_with_payload(token.entry, to_handle(token), message);
  }
  if (thread.handling != &token) [[unlikely]]
    refuse_return(thread, token);
  thread.handling = outer;
}

[[gnu::always_inline]] inline bool Rank::run_plain_medium(Thread& thread, Token& token, Header header,
                                                          std::uint8_t kind) {
  const Slot& slot = token.slot;
  if (header.kind() != kind || slot.envelope->address != 0 || header.payload_bytes() > kInlineBytes)
    return false;
  Token* const outer = thread.handling;
  thread.handling = &token;
  InlineBuffer& inline_buffer = token.is_request ? slot.request() : slot.answer();
  token.entry.call_medium(to_handle(token), inline_buffer.payload, header.payload_bytes(),
                          slot.envelope->args_after, token.entry.client.gex_fnptr);
  if (thread.handling != &token) [[unlikely]]
    refuse_return(thread, token);
  thread.handling = outer;
  return true;
}

[[gnu::always_inline]] inline bool Rank::run_plain_long(Thread& thread, Token& token, Header header,
                                                        std::uint8_t kind) {
  if (header.kind() != kind) return false;
  const am::SegmentBounds& own = objects_.bounds[id()];
  const std::uint64_t address = token.slot.envelope->address;
  const std::size_t bytes = header.payload_bytes();
  if (address - own.base >= own.size || bytes > own.size - (address - own.base)) return false;
  Token* const outer = thread.handling;
  thread.handling = &token;
  token.is_long = true;
  token.entry.call_medium(to_handle(token), reinterpret_cast<void*>(address), bytes,
                          token.slot.envelope->args_after, token.entry.client.gex_fnptr);
  if (thread.handling != &token) [[unlikely]]
    refuse_return(thread, token);
  thread.handling = outer;
  return true;
}

namespace {

bool is_large_medium(const Slot& slot, Header header) {
  return header.category() == Category::kMedium && slot.envelope->address != 0;
}

// Tells the writer of payloads what becomes of them, and gives it the lines back where that pays. (Where all
// places are used in turn, the lines of larger ones leave this core's cache by themselves.)
void done_with_payload(PayloadReading& reading, const Slot& slot, const Message& message) {
  constexpr std::size_t kMostOfStream = 8192;
  const bool is_read = reading.handled(message.handler, message.payload, message.payload_bytes);
  slot.hints(message.is_reply).say(is_read);
  if (is_read && kReadersTakeLines && (slot.map->is_express || message.payload_bytes <= kMostOfStream))
    take_lines(const_cast<void*>(message.payload), message.payload_bytes);
}

}  // namespace

bool Rank::run_request_slow_path(Thread& thread, Token& token, Header header, bool answers) {
  const Category category = header.category();
  token.hold_reply = category == Category::kMedium &&
                     (threaded_ || token.slot.envelope->address != 0);  // see core/mailbox/mailbox.hpp
  if (!run_plain_medium(thread, token, header, token.entry.plain_medium[0]) &&
      !run_plain_long(thread, token, header, token.entry.plain_long[0])) [[unlikely]] {
    check_found(token, header);
    check_entry(token.entry, header.handler(), category, false, header.nargs(), token.origin.source);
    token.is_long = category == Category::kLong;
    token.may_answer = !is_simulated_ && !trace::is_watching();
    std::int32_t spill[am::kMaxArgs];
    const Message message = token.slot.view(header, spill);
    run(thread, token, message);
    if (is_large_medium(token.slot, header) && token.origin.source != id())
      done_with_payload(reading_[0], token.slot, message);
  }
  count_payload(thread, token.origin.source, false, category, header.payload_bytes());
  if (token.replied) {
    if (token.hold_reply) answer(token, token.held);  // else it has answered, and rung the peer's doorbell
  } else if (answers) {
    answer(token, Header::done(token.slot.lap));
  }
  return token.replied;
}

void Rank::run_reply_slow_path(Thread& thread, Token& token, Header header) {
  count_payload(thread, token.origin.source, true, header.category(), header.payload_bytes());
  if (run_plain_medium(thread, token, header, token.entry.plain_medium[1]) ||
      run_plain_long(thread, token, header, token.entry.plain_long[1])) [[likely]]
    return;
  const Category category = header.category();
  check_found(token, header);
  check_entry(token.entry, header.handler(), category, true, header.nargs(), token.origin.source);
  token.is_long = category == Category::kLong;
  std::int32_t spill[am::kMaxArgs];
  const Message message = token.slot.view(header, spill);
  run(thread, token, message);
  if (is_large_medium(token.slot, header) && token.origin.source != id())
    done_with_payload(reading_[1], token.slot, message);
}

void Rank::settle() {
  is_over_ = true;
  current_context.thread = threads_.front().get();
  if (has_network_) conduit_->poll(Scope::kAll);
}

std::string Rank::audit(observe::ResourceCounts& all) {
  observe::ResourceCounts now;
  conduit_->count_resources(now);
  all.add(now);
  return now.difference(first_resources_);
}

void Rank::deliver(const Message& message, const am::Origin& origin) {
  if (is_over_ && message.handler >= kFirstClientHandler) [[unlikely]]
    return;
  const HandlerTable::Entry& entry = handlers_[message.handler];
  check_entry(entry, message.handler, message.category, message.is_reply, message.nargs, origin.source);
  Token token{*this, origin, entry, !message.is_reply, message.category == Category::kLong};
  Thread& thread = this_thread("poll");
  run(thread, token, message);
  count_received(thread, origin.source, message);
}

void Rank::lacks(observe::Retry what) {
  if (Thread* const thread = current_thread()) thread->lacks = what;
}

void Rank::count_retry(RankId peer, observe::Retry why) {
  if (const Thread* const thread = current_thread()) thread->count_retry(peer, why);
}

void Rank::count_served(RankId peer, observe::TransferKind what) {
  const Thread* const thread = current_thread();
  if (!thread) return;
  observe::PeerCounters& counters = thread->with(peer);
  (what == observe::TransferKind::kPut   ? counters.puts_served
   : what == observe::TransferKind::kGet ? counters.gets_served
                                         : counters.atomics_served)
      .add();
}

void Rank::run_carried(Thread& thread, Token& carrier, Endpoint& endpoint, gex_EP_Index_t source_endpoint,
                       const Message& message) {
  // What an endpoint has no handler for goes to the one of endpoint 0, as do the library's own messages.
  const HandlerTable::Entry* entry = &handlers_[message.handler];
  if (endpoint.handlers && (*endpoint.handlers)[message.handler].client.gex_fnptr)
    entry = &(*endpoint.handlers)[message.handler];
  if (!(endpoint.capabilities & GEX_EP_CAPABILITY_AM) && message.handler >= kFirstClientHandler) {
    fatal("poll", "a message from rank %u names endpoint %u, which was made without GEX_EP_CAPABILITY_AM",
          carrier.origin.source, endpoint.index);
  }
  check_entry(*entry, message.handler, message.category, message.is_reply, message.nargs,
              carrier.origin.source);
  Token token{*this,
              carrier.origin,
              *entry,
              carrier.is_request,
              message.category == Category::kLong,
              carrier.hold_reply,
              false,
              false,
              source_endpoint,
              carrier.slot,
              &endpoint};
  run(thread, token, message);
  carrier.replied = token.replied;
  carrier.held = token.held;
}

void Rank::check_found(const Token& token, Header header) const {
  const RankId source = token.origin.source;
  const Category category = header.category();
  const std::size_t bytes = header.payload_bytes();
  const std::uint64_t address = token.slot.envelope->address;
  bool is_possible = header.nargs() <= am::kMaxArgs && category <= Category::kLong &&
                     header.state() == (token.is_request ? SlotState::kRequest : SlotState::kReply);
  if (category == Category::kMedium) {
    is_possible &= address <= (token.slot.map->is_express ? kExpressPlaces : kQueuePlaces) &&
                   bytes <= (address != 0 ? kLargeBytes : kInlineBytes);
  }
  if (category == Category::kLong && bytes != 0) {
    const am::SegmentBounds& own = objects_.bounds[id()];
    is_possible &= address - own.base < own.size && bytes <= own.size - (address - own.base);
  }
  if (is_possible) [[likely]]
    return;
  fatal("poll",
        "shared memory is corrupted: the mailbox that rank %u writes to this rank holds a %s %s of %zu bytes "
        "at "
        "0x%llx with %u arguments, which no rank can send; look for a stray write in rank %u",
        source, name_of(category), token.is_request ? "request" : "reply", bytes,
        static_cast<unsigned long long>(address), header.nargs(), source);
}

void Rank::refuse_return(const Thread& thread, const Token& token) {
  const gex_AM_Entry_t& handler = token.entry.client;
  fatal("poll", "handler %u ('%s') has returned %s", handler.gex_index,
        handler.gex_name ? handler.gex_name : "unnamed",
        thread.held_locks.count != 0 ? "while it holds a handler-safe lock"
                                     : "between a gex_AM_Prepare call and its Commit or Cancel");
}

void Rank::refuse(const HandlerTable::Entry& entry, unsigned handler, Category category, bool is_reply,
                  unsigned nargs, RankId source) {
  const char* kind = is_reply ? "reply" : "request";
  if (!entry.client.gex_fnptr) {
    fatal("poll", "a %s %s from rank %u names handler %u, which is not registered here", name_of(category),
          kind, source, handler);
  }
  const char* name = entry.client.gex_name ? entry.client.gex_name : "unnamed";
  if (!(entry.allowed & use_bit(category, is_reply))) {
    fatal("poll", "a %s %s from rank %u names handler %u ('%s'), which was not registered for that",
          name_of(category), kind, source, handler, name);
  }
  fatal("poll", "a %s %s from rank %u brings %u arguments to handler %u ('%s'), which takes %u",
        name_of(category), kind, source, nargs, handler, name, entry.client.gex_nargs);
}

void Rank::note_arrival(const HandlerTable::Entry& entry, unsigned handler, Category category, bool is_reply,
                        unsigned nargs, RankId source) {
  if (handler < kFirstClientHandler) return;
  trace::note(trace::Category::kMessage, is_reply ? "reply arrived" : "request arrived", 0,
              "%s from rank %u for handler %u ('%s'), %u arguments", name_of(category), source, handler,
              entry.client.gex_name ? entry.client.gex_name : "unnamed", nargs);
}

}  // namespace aqueduct::core
