// Active messages over message passing: the conduit mpi-portals, and the hybrid stage of the Portals conduit.
//
// An active message is one message (am_codec.hpp): a head, the arguments, the payload (a Long's, too, which
// is copied to its destination on arrival). Requests and replies have a tag each, so that replies get through
// whatever requests do. Each rank keeps receives posted for both; a request may only be sent while less than
// its share of the target's is outstanding (request_credits.hpp). A credit goes back at once, with the reply
// or by itself with the tag of replies: the share may be one.
//
// Threads: any; one lock, not held while a handler runs. Posting and testing are the message passing's. The
// conduit notices peers that do not answer (parts/portals_watch.hpp) through PendingReplies.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "am/message.hpp"
#include "base/spin_lock.hpp"
#include "observe/resources.hpp"
#include "papers/parts/message_passing/message_passing.hpp"
#include "parts/am_codec.hpp"
#include "parts/pending_replies.hpp"
#include "parts/request_credits.hpp"

namespace aqueduct::parts {

class AmOverMessagePassing final : public PendingReplies {
 public:
  static constexpr std::size_t kMaxPayload = 64 << 10;

  /// `name` begins its error lines.
  AmOverMessagePassing(const char* name, MessagePassing& messages, am::Receiver& receiver);

  static am::Limits limits() { return {.max_medium = kMaxPayload, .max_long = kMaxPayload}; }
  am::Post inject(RankId target, const am::Message& request);
  am::Post reply(const am::Origin& origin, const am::Message& reply);
  unsigned poll(am::Scope scope);
  /// Long payloads may land here and nowhere else.
  void set_segment(const am::SegmentBounds& segment) { segment_ = segment; }

  /// After every poll, calls `found` with the number of messages, with no lock held.
  void set_observer(std::function<void(unsigned messages)> found) { found_ = std::move(found); }

  void settle() override;
  void count_resources(observe::ResourceCounts& counts);
  // For reports: missing replies, and sends without room at the target.
  void list_unanswered(ProbeList& peers) override;
  std::string missing_from(RankId peer) override;

 private:
  /// The buffer of a message that is sent or received.
  struct MessageBuffer {
    Operation operation = 0;
    std::unique_ptr<std::byte[]> bytes;
    MessageBuffer* next = nullptr;
    RankId target = 0;      // of a message that is being sent
    bool is_stuck = false;  // at the last look
  };
  /// The receives for one tag: those that are posted, oldest first, and those whose message has been handled.
  struct Inbox {
    Tag tag;
    std::deque<MessageBuffer*> posted;
    std::vector<MessageBuffer*> used;
  };

  am::Post send(RankId target, AmKind kind, const am::Message& message, unsigned credits = 0);
  am::Post send_locked(RankId target, AmKind kind, const am::Message& message, unsigned credits);
  void settle_sends(unsigned most);
  void free(MessageBuffer* buffer);
  bool receive(Inbox& inbox);
  void handle(std::span<const std::byte> bytes, RankId source);
  void post(Inbox& inbox, MessageBuffer* buffer);
  void post_used(Inbox& inbox, std::size_t least);

  const char* name_;
  MessagePassing& messages_;
  am::Receiver& receiver_;
  am::SegmentBounds segment_;
  unsigned receives_;  // posted for each tag, at least
  SpinLock lock_;
  std::function<void(unsigned)> found_;
  RequestCredits credits_;
  std::vector<MessageBuffer> buffers_;
  MessageBuffer* free_ = nullptr;
  std::deque<MessageBuffer*> sending_;
  Inbox requests_{1, {}, {}};
  Inbox replies_{2, {}, {}};
};

}  // namespace aqueduct::parts
