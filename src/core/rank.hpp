// A rank: everything that one member of the job knows. There is no other mutable state in the library except the pointer
// to the rank of this process and each thread's pointer to its record.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/patience.hpp"
#include "conduit/registry.hpp"
#include "core/handlers.hpp"
#include "core/neighbourhood.hpp"
#include "core/objects.hpp"
#include "core/thread.hpp"
#include "job/exchange.hpp"
#include "job/membership.hpp"

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
  bool reference_only = false;  ///< put, get and barrier through active messages even where something better exists
  std::size_t max_segment_bytes = 0;
  std::size_t segment_span = 0;
  std::function<std::unique_ptr<ThreadExtension>()> make_thread_extension;
};

class Rank final : public conduit::Receiver {
 public:
  Rank(const job::Membership& membership, RankOptions options);
  ~Rank();

  RankId id() const { return place_.rank; }
  RankId size() const { return place_.size; }
  const job::Membership& place() const { return place_; }
  const RankOptions& options() const { return options_; }
  bool threaded() const { return threaded_; }
  Clock& clock() const { return machine_clock(); }
  conduit::Conduit& conduit() { return *conduit_; }
  Neighbourhood* neighbourhood() { return neighbourhood_.get(); }
  job::Exchange& exchange() { return *exchange_; }
  conduit::Limits limits() const { return limits_; }
  HandlerTable& handlers() { return handlers_; }
  Objects& objects() { return objects_; }

  /// True if messages may also come from the conduit, not only from neighbours.
  bool has_network() const { return has_network_; }

  /// True if active messages to `rank` go through shared memory.
  bool is_neighbour(RankId rank) const { return neighbourhood_ && neighbourhood_->contains(rank); }

  /// The record of the calling thread, made if there is none.
  Thread& enter_thread();
  void leave_thread(Thread& thread);

  Patience patience;
  std::unique_ptr<RankExtension> extension;

  /// Work that cannot be done in a handler; run by poll() while `pending` is not zero.
  struct Chores {
    std::atomic<int> pending{0};
    std::function<void(Thread&)> run;
  } chores;

  void deliver(const Message& message, const conduit::Origin& origin) override;
  void deliver_on(Thread& thread, const Message& message, const conduit::Origin& origin);
  /// The same for a short message, without the detour over a Message.
  void deliver_short(Thread& thread, RankId source, bool is_reply, std::uint8_t handler, unsigned nargs,
                     const std::int32_t* args) {
    const HandlerTable::Entry& entry = handlers_[handler];
    if (!accepts(entry, Category::kShort, is_reply, nargs)) [[unlikely]] {
      refuse({Category::kShort, is_reply, handler, static_cast<std::uint8_t>(nargs)}, {source, 0});
    }
    Token token{*this, {source, 0}, entry, !is_reply, false};
    Token* const outer = thread.handling;
    thread.handling = &token;
    HandlerTable::call_short(entry, to_handle(token), nargs, args);
    thread.handling = outer;
  }

 private:
  static bool accepts(const HandlerTable::Entry& entry, Category category, bool is_reply, unsigned nargs) {
    return (entry.allowed & use_bit(category, is_reply)) &&
           (entry.client.gex_nargs == nargs || entry.client.gex_nargs == kAnyNargs);
  }
  [[noreturn]] void refuse(const Message& message, const conduit::Origin& origin) const;

  job::Membership place_;
  RankOptions options_;
  bool threaded_;
  bool has_network_ = false;
  std::unique_ptr<Neighbourhood> neighbourhood_;
  std::unique_ptr<job::Exchange::Area> private_exchange_area_;  // where there is no neighbourhood
  std::unique_ptr<job::Exchange> exchange_;
  std::unique_ptr<conduit::Conduit> conduit_;
  conduit::Limits limits_;
  HandlerTable handlers_;
  Objects objects_;
  std::mutex threads_mutex_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

/// The rank of this process; null before the library has started.
Rank* process_rank();
void set_process_rank(Rank* rank);

/// The calling thread's record. Ends the job with a clear line if the library has not been started.
inline Thread& this_thread(const char* where);
Thread& enter_process_rank(const char* where);
inline Thread& this_thread(const char* where) {
  if (current_thread) [[likely]] return *current_thread;
  return enter_process_rank(where);
}

}  // namespace aqueduct::core
