// Longs whose payload is written beside them: what libfabric does for the protocols of parts/long. The
// payload goes to its destination in pieces, from where it is if the provider lets them, and else from bounce
// buffers.
//
// Threads: with the endpoint's lock held.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>

#include "conduit/ofi/endpoint.hpp"
#include "conduit/ofi/prefix.hpp"
#include "parts/long/choice.hpp"
#include "parts/long/leaving_long.hpp"
#include "parts/parcels.hpp"
#include "parts/pool.hpp"

namespace aqueduct::conduit::ofi {

class Messages;

/// The message of one that comes in parts.
struct ArrivedLong : parts::LongArrival {
  parts::Parcel* parcel = nullptr;
  unsigned credits = 0;
};

class Longs final : private parts::LongNetwork, private OperationHandler, private RemoteWriteHandler {
 public:
  /// `serve` is called while put-sync-send waits.
  Longs(Endpoint& endpoint, Messages& messages, std::function<void()> serve);

  /// Whether large payloads are written; otherwise they go in messages.
  bool are_written() const { return protocol_ && endpoint_.has_segments; }
  Post send(RankId target, parts::AmKind kind, const Message& message, unsigned credits);

  /// A message whose payload comes in pieces. Answers it if it is complete now; null: nothing.
  ArrivedLong* envelope_came(const Prefix& prefix, const parts::DecodedMessage& decoded,
                             parts::Parcel& parcel);
  void give_back(ArrivedLong& arrived) { arrived_.give_back(arrived); }

  void proceed();
  bool has_unfinished() const { return leaving_.lent() != 0; }
  /// Something waits for room, and nothing but a poll goes on with it.
  bool has_unsent() const;
  void count_resources(observe::ResourceCounts& counts) const {
    counts.holds("Longs that leave", leaving_.lent());
    counts.holds("pieces of Longs", pieces_.lent());
    counts.holds("halves of Longs", arrived_.lent());
  }

 private:
  /// A message without its payload: prefix, head, arguments.
  struct ReadyHeader {
    std::uint32_t bytes = 0;
    alignas(8) std::byte header[kMostPrefixBytes];
  };
  struct Piece;
  /// How far the payload of a message is.
  struct Payload {
    parts::LongProtocol* protocol = nullptr;  ///< by which the message goes
    parts::PutReport report{};
    bool are_copied = false;
    bool is_finished = false;  ///< the message, for the protocol
    unsigned under_way = 0;    ///< pieces without completion yet
    Piece* unsent = nullptr;   ///< those that are not written yet
  };
  using Leaving = parts::LeavingLong<ReadyHeader, Payload>;
  /// What one write moves of a payload.
  struct Piece : Operation {
    Leaving* whole = nullptr;
    Buffer* copy = nullptr;  ///< null: it is read where the client has it
    LocalMemory from;
    std::uintptr_t destination = 0;
    Piece* next = nullptr;  ///< of the same message, not written yet
  };

  parts::LongAbilities long_abilities() const override { return endpoint_.properties().long_abilities(); }
  parts::PayloadPut put_payload(parts::LongSend& send, parts::PutReport report) override;
  Post send_envelope(parts::LongSend& send) override;
  void serve() override { serve_(); }
  void finished(parts::LongSend& send) override;

  const char* what() const override { return "a piece of a long message"; }
  void completed(Operation& operation, const Completion& completion) override;
  void written(std::uint32_t data) override;

  parts::LongProtocol& protocol_of_sends();
  void make_pieces(Leaving& leaving, std::size_t most, fid_mr* registration);
  bool write_pieces(Leaving& leaving);
  void abandon_pieces(Leaving& leaving);
  void retire_if_over(Leaving& leaving);

  Endpoint& endpoint_;
  Messages& messages_;
  std::function<void()> serve_;
  const unsigned tag_bits_;
  parts::LongProtocolKind kind_{};
  std::unique_ptr<parts::LongProtocol> protocol_;  // null: Longs go in messages
  std::unique_ptr<parts::LongProtocol> chaining_;  // for sends, once writes that tell the target are refused
  parts::Pool<Leaving> leaving_;
  parts::Pool<Piece> pieces_;
  parts::Pool<ArrivedLong> arrived_;
  std::deque<Leaving*> unfinished_;  // that have pieces which are not written yet
  std::unordered_map<RankId, std::uint16_t> next_tag_;
};

}  // namespace aqueduct::conduit::ofi
