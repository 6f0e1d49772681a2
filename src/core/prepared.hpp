// A thread's message between its Prepare and its Commit (core/negotiated.hpp).
#pragma once
#include <memory>

#include "core/neighbourhood.hpp"
#include "core/token.hpp"

namespace aqueduct::core {

/// What a gex_AM_SrcDesc_t points to; the header's inline code reads the address and size that it starts
/// with.
struct Prepared : aq_source_descriptor_ {
  Prepared(Rank& rank, bool reply)
      : aq_source_descriptor_{nullptr, 0},
        is_reply(reply),
        marker{rank, {}, HandlerTable::no_entry(), false, false} {}

  bool active = false;
  std::uint8_t plain_kind = Header::kNoKind;  ///< what prepare_plain() has prepared, while it is active
  Category category = Category::kMedium;
  bool is_express = false;   ///< a plain one will go to the express mailbox
  bool is_reserved = false;  ///< `reservation` is the slot that a request will go to; not of a plain one
  bool has_canary = false;   ///< api/payload_canary.hpp; in debug clients only
  const bool is_reply;
  unsigned nargs = 0;
  Outbox* outbox = nullptr;  ///< of a plain one
  Peer peer;
  Token* token = nullptr;  ///< of the request that a reply answers
  void* destination = nullptr;
  gex_Event_t* lc = nullptr;
  Neighbourhood::Reservation reservation;
  /// Where no slot can be written in place; kept for the next time. Aligned, because copies are faster then.
  struct alignas(kPage) Page {
    std::byte bytes[kPage];
  };
  std::unique_ptr<Page[]> buffer;

  /// While a message is prepared the thread counts as running the handler of this token, which has no rights:
  /// so calls that communicate are refused.
  Token marker;
};

}  // namespace aqueduct::core
