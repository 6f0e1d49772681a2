// Active messages over message passing: what the mpi conduit is, and what the hybrid stage of the Portals
// conduit sends its active messages by.
//
// An active message is one message: a head, the arguments, the payload (a Long's, too, which is copied to its
// destination on arrival). Requests and replies have a tag each, so that replies get through whatever
// requests do. Each rank keeps receives posted for both; a request may only be sent while less than its share
// of the target's is outstanding, and each is answered, if by nothing else then by a reply without a handler.
//
//   request  a → b   counts as outstanding at b
//   reply    b → a   and no longer
//
// Threads: any; one lock, not held while a handler runs. Posting and testing are the message passing's. A
// peer that does not answer is a peer that is awaited, which is for the conduit to notice
// (parts/portals_watch.hpp).
#pragma once
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "am/message.hpp"
#include "base/spin_lock.hpp"
#include "parts/message_passing/message_passing.hpp"
#include "parts/pending_replies.hpp"

namespace aqueduct::parts {

class Engine final : public PendingReplies {
 public:
  static constexpr std::size_t kMaxPayload = 64 << 10;

  Engine(parts::MessagePassing& messages, am::Receiver& receiver);
  ~Engine();

  static am::Limits limits() { return {.max_medium = kMaxPayload, .max_long = kMaxPayload}; }
  am::Post inject(RankId target, const am::Message& request);
  am::Post reply(const am::Origin& origin, const am::Message& reply);
  unsigned poll(am::Scope scope);
  /// Long payloads may land here and nowhere else.
  void set_segment(const am::SegmentBounds& segment) { segment_ = segment; }

  /// Hears of every poll, with no lock held, how many messages it has brought.
  class Observer {
   public:
    virtual void found(unsigned messages) = 0;

   protected:
    ~Observer() = default;
  };
  void set_observer(Observer& observer) { observer_ = &observer; }

  void settle() override;
  // Debts are replies, and room for what we have sent.
  void find_awaited(parts::PeerWatch::Awaited& awaited) override;
  std::string debts_of(RankId peer) override;

 private:
  struct Head;
  struct Slot {
    parts::Operation operation = 0;
    std::unique_ptr<std::byte[]> buffer;
    Slot* next = nullptr;
    RankId target = 0;      // of a message that is being sent
    bool is_stuck = false;  // it was when we last looked
  };
  /// The receives for one tag: those that are posted, oldest first, and those whose message has been handled.
  struct Inbox {
    parts::Tag tag;
    std::deque<Slot*> posted;
    std::vector<Slot*> used;
  };
  struct Arrived {
    RankId source;
    bool replied;
  };

  am::Post send(RankId target, const am::Message& message, bool is_implicit);
  am::Post send_locked(RankId target, const am::Message& message, bool is_implicit);  // by who holds lock_
  void settle_sends(unsigned most);
  void free(Slot* slot);
  bool receive(Inbox& inbox);
  void handle(const std::byte* buffer, RankId source, std::size_t bytes);
  void post(Inbox& inbox, Slot* slot);
  void post_used(Inbox& inbox, std::size_t least);

  parts::MessagePassing& messages_;
  am::Receiver& receiver_;
  am::SegmentBounds segment_;
  unsigned receives_;  // posted for each tag, at least
  unsigned share_;     // requests outstanding at each peer
  SpinLock lock_;
  Observer* observer_ = nullptr;
  RankId first_awaited_ = 0;  // to look for, so that all have their turn
  std::vector<std::uint16_t> outstanding_;
  std::vector<std::unique_ptr<Slot>> slots_;
  Slot* free_ = nullptr;
  std::deque<Slot*> sending_;
  Inbox requests_{1, {}, {}};
  Inbox replies_{2, {}, {}};
};

}  // namespace aqueduct::parts
