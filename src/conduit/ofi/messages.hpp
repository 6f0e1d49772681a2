// Active messages over libfabric, on their way out and as they come.
//
// One message each: a prefix, the head and arguments of parts/am_codec.hpp, the payload, padded to 8 bytes.
// Small ones are injected, others copied to a buffer that is free again when the send is complete. They
// arrive in buffers that take many each; handlers run on them in place. What cannot be delivered now (a
// request while only replies may be) is copied to a parcel and waits. Flow control:
// parts/request_credits.hpp.
//
// Replies get through: requests leave some buffers to replies; everything that arrives is taken, and buffers
// of sends come back with completions, which every poll reads.
//
// Threads: inject(), reply() and deliver() any; the rest with the endpoint's lock held.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "conduit/ofi/long_messages.hpp"
#include "conduit/ofi/small_transfers.hpp"
#include "parts/probe_list.hpp"
#include "parts/request_credits.hpp"

namespace aqueduct::conduit::ofi {

/// A message that has come and is to be delivered.
struct Arrival {
  parts::DecodedMessage decoded;
  RankId source = 0;
  Buffer* buffer = nullptr;
};

/// Those that one poll has found.
struct Arrivals {
  Arrival found[Network::kAtOnce];
  std::size_t count = 0;
  bool may_stay = false;     ///< they may lie in their buffers for as long as handlers run
  bool has_waiting = false;  ///< others have come before
};

class Messages final : private OperationHandler {
 public:
  /// `serve` is called while put-sync-send waits.
  Messages(Endpoint& endpoint, std::function<void()> serve);

  Post inject(RankId target, const Message& request);
  Post reply(const Origin& origin, const Message& reply);

  /// What comes from now on goes there.
  void take_into(Arrivals& arrivals) { arrivals_ = &arrivals; }
  /// Goes on with what could not be done when it came.
  void proceed();
  /// The caller will deliver() them.
  void begin_delivery(Arrivals& arrivals);
  unsigned deliver(Arrivals& arrivals, Scope scope);
  /// Instead: they wait for a poll.
  void keep(Arrivals& arrivals);
  /// Nothing is left that only a poll goes on with.
  bool may_sleep() const {
    return waiting_ == 0 && unposted_.empty() && !longs_.has_unsent() && !small_transfers_.has_unsent();
  }
  /// Before this rank leaves: true if what it has sent has left.
  bool has_left();
  void count_resources(observe::ResourceCounts& counts) const {
    counts.holds("parcels of messages", parcels_.lent());
    counts.holds("receive buffers that are not posted", unposted_.size());
    longs_.count_resources(counts);
    const parts::RequestCredits::Sums credits = credits_.sums();
    counts.lends("request credits", credits.outstanding, credits.owed);
  }

  SmallTransfers& small_transfers() { return small_transfers_; }

  // For Longs and small transfers.
  Post send_bytes(RankId target, const std::byte* bytes, std::size_t count);
  /// A message of `bytes` that `write(to)` writes: injected, or from a buffer.
  template <class Write>
  Post send_written(RankId target, std::size_t bytes, SendBuffers::Use use, const Write& write) {
    constexpr std::size_t kOnStack = 512;
    if (bytes <= inject_bytes_ && bytes <= kOnStack) {
      alignas(8) std::byte here[kOnStack];
      write(here);
      touch(target);
      return endpoint_.network.inject(target, here, bytes);
    }
    Buffer* const buffer = endpoint_.sends.take(bytes, use);
    if (!buffer) return am::retry(endpoint_.receiver, observe::Retry::kBuffers);
    write(buffer->bytes);
    return endpoint_.sends.send(target, *buffer, bytes);
  }
  /// Puts a message that is complete in line.
  void ready(ArrivedLong& complete);

  // For reports.
  /// What receives and peers take, beside the provider's own; the same for 4 ranks and for 4,096.
  static std::string memory_in_words(const Settings& settings, const Properties& properties);
  void list_unanswered(parts::ProbeList& peers) { credits_.list_unanswered(peers); }
  unsigned outstanding(RankId peer) const { return credits_.outstanding(peer); }

 private:
  Post send(RankId target, parts::AmKind kind, const Message& message, unsigned credits);
  void pay_credits();
  void touch(RankId peer);
  bool flush_injected();

  const char* what() const override { return "a receive"; }
  void completed(Operation& operation, const Completion& completion) override;
  void abandoned(Operation& operation) override;
  void take_message(std::span<const std::byte> bytes, Buffer& buffer);
  void release(Buffer* buffer);
  void post_receives();
  void deliver(Arrival& arrival, Scope scope, bool may_stay);
  unsigned deliver_waiting(Scope scope);
  void keep(const Arrival& arrival);

  Endpoint& endpoint_;
  const std::size_t inject_bytes_;
  BufferPool receives_;
  parts::RequestCredits credits_;
  parts::ParcelPool parcels_;
  parts::ParcelQueue requests_;
  parts::ParcelQueue replies_;
  unsigned waiting_ = 0;          // in both
  unsigned polls_under_way_ = 0;  // that deliver from receive buffers
  const unsigned most_polls_;
  Arrivals* arrivals_ = nullptr;
  std::vector<Buffer*> unposted_;  // receive buffers for which there was no room
  std::vector<bool> is_touched_;   // peers that something was injected to since the last flush_injected()
  std::vector<RankId> touched_;
  Longs longs_;
  SmallTransfers small_transfers_;
};

}  // namespace aqueduct::conduit::ofi
