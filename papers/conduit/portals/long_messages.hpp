// Longs whose header and payload travel separately: implements the network of parts/long over Portals.
//
// A payload is put directly from the client's memory. That memory is held before the message begins, so a
// Long that has begun never waits.
//
// Threads: any.
#pragma once
#include <memory>

#include "papers/conduit/portals/rma.hpp"
#include "parts/long/choice.hpp"
#include "parts/long/leaving_long.hpp"
#include "parts/pool.hpp"

namespace aqueduct::conduit::portals {

/// A header with its body, ready to be put from its chunk.
struct ReadyHeader {
  RankId target = 0;
  ptl_handle_md_t md = PTL_INVALID_HANDLE;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  ptl_match_bits_t bits = 0;
  std::size_t remote_offset = 0;
  ptl_hdr_data_t data = 0;

  void put(const InterfaceClient& interface) const;
};

/// A Long whose header has come, with the resources of its reply.
struct ArrivedLong : parts::LongArrival {
  std::uint8_t handler = 0;
  std::uint8_t nargs = 0;
  std::uint32_t chunk = 0;     ///< of the initiator
  parts::CreditByte credit{};  ///< for the reply
  std::int32_t args[kMaxArgs]{};
};

/// Follows the arguments of a header, unless the payload's event says the same.
struct LongDestination {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

class Longs final : private parts::LongNetwork, private OperationClient {
 public:
  Longs(PortalsPort& port, Operations& operations, PutsAndGets& progress);

  /// Whether an event tells the target where a payload has landed; otherwise the header does.
  bool tells_of_payloads() const { return kind_ == parts::LongProtocolKind::kReassembly; }

  /// Holds the memory of a payload; kRetry: a resource must become free first.
  Post hold(const Message& message, HeldMemory* held) {
    return operations_.local().hold(message.payload, message.payload_bytes, LocalMemory::Extent::kWhole, 0,
                                    held);
  }
  /// Sends a Long whose payload is held. It has its token already, which is free again when the payload has
  /// left.
  void send(const Message& message, const ReadyHeader& header, Lid lid, const HeldMemory& held);

  // Arrivals. Each returns the Long that is complete now, which the caller delivers and gives back; null:
  // none.
  ArrivedLong* header_came(RankId source, bool is_reply, Lid lid, const HeaderBits& bits,
                           const std::byte* body, parts::CreditByte credit);
  ArrivedLong* payload_came(const ptl_event_t& event, bool is_reply);
  void give_back(ArrivedLong& arrived) { arrived_.give_back(arrived); }

  void poll() { protocol_->poll(); }
  void count_resources(observe::ResourceCounts& counts) const {
    counts.holds("Longs that leave", leaving_.lent());
    counts.holds("Longs that come", arrived_.lent());
    counts.holds("halves of Longs", protocol_->memory().waiting);
  }

 private:
  using Leaving = parts::LeavingLong<ReadyHeader, HeldMemory>;

  parts::LongAbilities long_abilities() const override;
  parts::PayloadPut put_payload(parts::LongSend& send, parts::PutReport report) override;
  Post send_envelope(parts::LongSend& send) override;
  void serve() override;
  void finished(parts::LongSend& send) override { leaving_.give_back(Leaving::of(send)); }

  void sent(void* owner) override { protocol_->put_left(*static_cast<parts::LongSend*>(owner)); }
  void over(void* owner) override { protocol_->put_landed(*static_cast<parts::LongSend*>(owner)); }

  PortalsPort& port_;
  Operations& operations_;
  PutsAndGets& progress_;
  parts::SharedPool<Leaving> leaving_;
  parts::SharedPool<ArrivedLong> arrived_;
  const parts::LongProtocolKind kind_;
  std::unique_ptr<parts::LongProtocol> protocol_;
};

}  // namespace aqueduct::conduit::portals
