// A rank: everything that one member of the job knows of it. The process has a pointer to its rank and each
// thread one to its record (base/context.hpp). What belongs to the process rather than to the rank stands
// elsewhere; docs/architecture.md, "A rank is an object", lists it.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/context.hpp"
#include "base/wait_policy.hpp"
#include "conduit/registry/registry.hpp"
#include "core/failures.hpp"
#include "core/handlers.hpp"
#include "core/mailbox/payload_reading.hpp"
#include "core/neighbourhood.hpp"
#include "core/network_watch.hpp"
#include "core/objects.hpp"
#include "core/own_record.hpp"
#include "core/thread.hpp"
#include "job/bootstrap/bootstrap.hpp"
#include "job/place/activity.hpp"
#include "job/place/membership.hpp"
#include "observe/state.hpp"
#include "trace/trace.hpp"
#include "world/world.hpp"

namespace aqueduct::core {

/// What the layers above keep per rank.
class RankExtension {
 public:
  virtual ~RankExtension() = default;
};

enum class ThreadMode : std::uint8_t { kSeq, kPar, kParsync };

struct RankOptions {
  ThreadMode mode = ThreadMode::kSeq;
  const conduit::Description* conduit = nullptr;
  bool reference_only =
      false;  ///< put, get and barrier through active messages even where something better exists
  bool debug_client = false;         ///< check also what costs messages, or the inline paths
  bool segment_everything = false;   ///< all memory of a rank can be reached, not only its segment
  bool has_progress_thread = false;  ///< that the client has asked for
  bool segmentless = false;          ///< and no rank has a segment: the client was compiled for that
  std::size_t max_segment_bytes = 0;
  std::size_t segment_span = 0;
  std::function<std::unique_ptr<ThreadExtension>()> make_thread_extension;
};

class Rank final : public am::Receiver, public world::Resident {
 public:
  /// `world` is where it lives, and outlives it.
  Rank(world::World& world, const job::Membership& membership, RankOptions options);
  ~Rank() override;

  RankId id() const { return place_.rank; }
  RankId size() const { return place_.size; }
  const job::Membership& place() const { return place_; }
  /// Who shares memory with whom: each host of this layout is a neighbourhood.
  const job::Layout& neighbourhoods() const { return neighbourhoods_; }
  /// By a thread that waits: where the rank is bound to one core as if it had one thread, and has more by
  /// now, it gives that up. Threads of a conduit do not count.
  void look_for_threads() {
    if (place_.binding && !has_network_ && !job::has_one_thread()) [[unlikely]]
      place_.binding.give_up();
  }
  const RankOptions& options() const { return options_; }
  /// The least of all ranks' largest segments, once they have agreed on it.
  std::size_t max_global_segment() const { return max_global_segment_; }
  void set_max_global_segment(std::size_t bytes) { max_global_segment_ = bytes; }
  bool threaded() const { return threaded_; }
  world::World& world() const { return world_; }
  bool is_simulated() const { return is_simulated_; }
  /// Fills in what a report on a simulation says about this rank.
  void describe(observe::RankState& state) override;
  /// Adds who owes answers to this rank, as far as is known. By a thread of it.
  void list_unanswered(observe::WaitRecord& record);
  /// What this rank says about itself in shared memory.
  OwnRecord& own_record() { return own_record_; }
  const OwnRecord& own_record() const { return own_record_; }
  void is_leaving() override { finish_sending(); }
  void settle() override;
  std::string audit(observe::ResourceCounts& all) override;
  /// A rank that leaves has sent things that others wait for, and some networks need its help to deliver
  /// them.
  void finish_sending() {
    constexpr std::uint64_t kMostNs = 1'000'000'000;
    if (has_network()) conduit_->finish_sending(kMostNs);
  }
  Clock& clock() const { return clock_; }
  conduit::Conduit& conduit() { return *conduit_; }
  Neighbourhood* neighbourhood() { return neighbourhood_.get(); }
  job::Bootstrap& bootstrap() { return *bootstrap_; }
  /// Where this rank says that it waits; null in a simulation.
  job::Activity* activity() const { return activity_; }
  am::Limits limits() const { return limits_; }
  HandlerTable& handlers() { return handlers_; }
  Objects& objects() { return objects_; }
  const Objects& objects() const { return objects_; }

  /// Whether operations may simply copy to and from the segments that are mapped here. What they do then is
  /// not traced and takes no virtual time, nor is the context in which they are called checked.
  bool may_inline() const {
    return !options_.reference_only && !options_.debug_client && !is_simulated_ && !trace::is_watching();
  }
  /// Whether the header's code copies to and from the segment of `peer` by itself, without a call. Nobody
  /// looks for messages then. So a rank's own segment is left to the library, which looks every so often: a
  /// client may do nothing else until a message has come. Beside a network so are those of all neighbours.
  bool is_left_to_header(RankId peer) const {
    return may_inline() && (size() == 1 || (!has_network_ && peer != id()));
  }

  /// True if messages may also come from the conduit, not only from neighbours.
  bool has_network() const { return has_network_; }

  /// True if active messages to `rank` go through shared memory.
  bool is_neighbour(RankId rank) const { return neighbourhood_ && neighbourhood_->contains(rank); }

  /// Where the threads of this rank sleep, if neighbours ring there; else null, as it is
  /// while the conduit is being opened. Where a network does not (may_oversleep()), nobody sleeps for long.
  Doorbell* doorbell() { return bell_; }
  bool may_oversleep() const { return may_oversleep_; }
  /// One sleep of a thread that has announced itself there: until somebody rings, something comes from the
  /// network, or the time is over. False if it was the time.
  bool sleep(std::uint32_t bell_seen, std::uint64_t timeout_ns) {
    return network_watch_ ? network_watch_->sleep(bell_seen, timeout_ns)
                          : bell_->sleep(bell_seen, timeout_ns);
  }

  /// The record of the calling thread, made if there is none.
  Thread& enter_thread();
  void leave_thread(Thread& thread);
  /// Calls `visit(thread)` for each record, also of threads that have ended.
  template <class Visit>
  void for_each_thread(Visit&& visit) {
    const std::lock_guard guard(threads_mutex_);
    for (const auto& thread : threads_) visit(*thread);
  }

  WaitPolicy wait_policy;
  /// WaitPolicy::fruitless_calls_to_yield() for the threads that this rank has had, and as many in each of
  /// the others on this machine.
  std::uint32_t fruitless_calls_to_yield() const {
    return fruitless_calls_to_yield_.load(std::memory_order_relaxed);
  }
  std::unique_ptr<RankExtension> extension;

  /// What poll() looks at besides the mailboxes of neighbours: the network, and tasks of Extended, which are
  /// work that cannot be done in a handler.
  struct BeyondNeighbours {
    std::atomic<int> count{0};  ///< one for a network, and one for each task; 0: poll() need not look
    /// What tasks have under way that ends without a message or a ring: nobody sleeps meanwhile.
    std::atomic<int> unannounced{0};
    std::function<bool(Thread&)> run_tasks;  ///< true: something is complete that a thread may wait for
  } beyond_neighbours;

  /// What this rank has got of long messages that come in pieces.
  Reassembly reassembly;

  /// Runs the handler of a message that `carrier`, which is being handled, has brought to an endpoint.
  void run_carried(Thread& thread, Token& carrier, Endpoint& endpoint, gex_EP_Index_t source_endpoint,
                   const Message& message);

  /// Runs the handler of a message that came by the network.
  void deliver(const Message& message, const am::Origin& origin) override;
  /// Null unless the job goes on when a rank dies.
  bool has_several_threads() {
    const std::lock_guard guard(threads_mutex_);
    return threads_.size() > 1;
  }
  Failures* failures() const { return failures_.get(); }
  bool outlives_others() const override { return failures_ != nullptr; }
  bool wants_segment_everything() const override { return options_.segment_everything; }
  void lacks(observe::Retry what) override;
  void count_retry(RankId peer, observe::Retry why) override;
  void count_served(RankId peer, observe::TransferKind what) override;

  /// Runs the handler of a neighbour's request, and answers it: in any case, or only with a reply. True if
  /// there was one.
  [[gnu::always_inline]] bool run_request(Thread& thread, RankId source, Slot slot, Header header,
                                          bool answers) {
    const HandlerTable::Entry& entry = handlers_[header.handler()];
    Token token{*this, {source, 0}, entry, true, false, false, false, true, 0, slot};
    if (header.kind() != entry.plain_short[0]) [[unlikely]]
      return run_request_slow_path(thread, token, header, answers);
    run_plain_short(thread, token);
    if (answers && !token.replied) [[unlikely]]
      answer(token, Header::done(slot.lap));
    return token.replied;
  }

  /// Runs the handler of a neighbour's reply.
  [[gnu::always_inline]] void run_reply(Thread& thread, RankId source, Slot slot, Header header) {
    const HandlerTable::Entry& entry = handlers_[header.handler()];
    thread.with(source).replies_received.add();
    Token token{*this, {source, 0}, entry, false, false, false, false, false, 0, slot};
    if (header.kind() != entry.plain_short[1]) [[unlikely]]
      return run_reply_slow_path(thread, token, header);
    run_plain_short(thread, token);
  }

 private:
  /// Ends the job if the handler that a message names does not take such messages.
  static void check_entry(const HandlerTable::Entry& entry, std::uint8_t handler, Category category,
                          bool is_reply, unsigned nargs, RankId source) {
    if (!(entry.allowed & use_bit(category, is_reply)) ||
        (entry.client.gex_nargs != nargs && entry.client.gex_nargs != kAnyNargs)) [[unlikely]] {
      refuse(entry, handler, category, is_reply, nargs, source);
    }
    if (trace::on(trace::Category::kMessage)) [[unlikely]]
      note_arrival(entry, handler, category, is_reply, nargs, source);
  }
  /// Ends the job if no rank can have sent a neighbour's message: reading it would go beyond where messages
  /// lie. Messages that need no other check cannot do that.
  void check_found(const Token& token, Header header) const;
  [[noreturn]] static void refuse(const HandlerTable::Entry& entry, unsigned handler, Category category,
                                  bool is_reply, unsigned nargs, RankId source);
  [[gnu::cold]] static void note_arrival(const HandlerTable::Entry& entry, unsigned handler,
                                         Category category, bool is_reply, unsigned nargs, RankId source);
  static void run(Thread& thread, Token& token, const Message& message);
  static void run_now(Thread& thread, Token& token, const Message& message);
  /// Runs the handler inside a slice of the timeline.
  [[gnu::cold]] static void run_recorded(Thread& thread, Token& token, const Message& message);
  /// Ends the job: a handler has returned while it held a lock or a prepared message.
  [[noreturn]] static void refuse_return(const Thread& thread, const Token& token);
  /// The same as run_request() and run_reply() for all other messages. The token is as for those.
  bool run_request_slow_path(Thread& thread, Token& token, Header header, bool answers);
  void run_reply_slow_path(Thread& thread, Token& token, Header header);
  /// Runs the handler of a Medium message that needs no check (plain_medium), if its payload is in an
  /// inline buffer and ends there.
  static bool run_plain_medium(Thread& thread, Token& token, Header header, std::uint8_t kind);
  /// The same for a Long message (plain_long), if its payload lies in this rank's segment.
  bool run_plain_long(Thread& thread, Token& token, Header header, std::uint8_t kind);
  /// Runs the handler of a Short message that has been found to need no check
  /// (HandlerTable::Entry::plain_short).
  [[gnu::always_inline]] static void run_plain_short(Thread& thread, Token& token) {
    Token* const outer = thread.handling;
    thread.handling = &token;
    token.entry.call_short(token.entry.client.gex_fnptr, to_handle(token), token.slot.envelope->args);
    if (thread.handling != &token) [[unlikely]]
      refuse_return(thread, token);
    thread.handling = outer;
  }
  [[gnu::noinline]] void answer(const Token& token, Header header) {
    token.slot.publish(header);
    neighbourhood_->doorbell(token.origin.source).ring_if_needed();
  }

  /// Counts a message that came by the network.
  static void count_received(Thread& thread, RankId source, const Message& message) {
    (message.is_reply ? thread.with(source).replies_received : thread.with(source).requests_received).add();
    count_payload(thread, source, message.is_reply, message.category, message.payload_bytes);
  }
  /// Counts the payload of a message, of whichever way, that is not a plain Short one.
  static void count_payload(Thread& thread, RankId source, bool is_reply, Category category,
                            std::size_t bytes) {
    observe::PeerCounters& counters = thread.with(source);
    counters.bytes_received.add(bytes);
    if (is_reply || category == Category::kShort) return;
    (category == Category::kMedium ? counters.medium_received : counters.long_received).add();
  }
  void wait_for_bootstrap(const std::function<bool()>& condition);
  void wake_all_others();
  void mark_neighbours(const Thread& thread);
  void choose_doorbell();

  world::World& world_;
  const bool is_simulated_;
  Clock& clock_;
  job::Membership place_;
  RankOptions options_;
  job::Layout neighbourhoods_;
  std::size_t max_global_segment_ = 0;
  Doorbell* bell_ = nullptr;
  bool may_oversleep_ = false;
  bool threaded_;
  bool has_network_ = false;
  OwnRecord own_record_;
  std::unique_ptr<Neighbourhood> neighbourhood_;
  std::unique_ptr<job::Bootstrap> bootstrap_;
  job::Activity* activity_ = nullptr;
  std::unique_ptr<Failures> failures_;
  std::unique_ptr<conduit::Conduit> conduit_;
  std::unique_ptr<NetworkWatch> network_watch_;
  observe::ResourceCounts first_resources_;  // of the conduit, when it was opened
  bool is_over_ = false;                     // the client has returned from its main: its handlers do not run
  am::Limits limits_;
  HandlerTable handlers_;
  std::unique_ptr<PayloadReading[]> reading_;  // of requests and of replies; null without neighbours
  Objects objects_;
  std::mutex threads_mutex_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::atomic<std::uint32_t> fruitless_calls_to_yield_{0};
};

/// The rank of this process, or of the simulated node that runs now; null before it has started.
Rank* process_rank();
void set_process_rank(Rank* rank);

/// The calling thread's record. Ends the job with a clear line if the library has not been started.
inline Thread& this_thread(const char* where);
Thread& enter_process_rank(const char* where);
inline Thread& this_thread(const char* where) {
  if (Thread* const thread = current_thread()) [[likely]]
    return *thread;
  return enter_process_rank(where);
}

}  // namespace aqueduct::core
