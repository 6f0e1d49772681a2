// A token: what a running handler can ask about its message, and its right to reply.
//
// Lives on the stack of the thread that runs the handler; a gex_Token_t points to it and is valid until the
// handler returns. Only that thread may use it.
#pragma once
#include "am/message.hpp"
#include "core/handlers.hpp"
#include "core/mailbox/mailbox.hpp"
#include "core/objects.hpp"

namespace aqueduct::core {

class Rank;

struct Token {
  Rank& rank;
  am::Origin origin;
  const HandlerTable::Entry& entry;
  bool is_request;
  bool is_long;
  bool hold_reply =
      false;  ///< the handler may still read the request in the slot: answer when it has returned
  bool replied = false;
  bool may_answer = false;           ///< a small reply may simply be written into the slot
  gex_EP_Index_t peer_endpoint = 0;  ///< of the rank that sent it
  Slot slot{};  ///< where a neighbour's message lies; without envelope if it came by the network
  Endpoint* endpoint = nullptr;  ///< where it arrived; null: endpoint 0
  Header held{};                 ///< the reply that is held, if there is one

  /// The two ends of a reply.
  Peer peer() const { return {origin.source, peer_endpoint, endpoint ? endpoint->index : gex_EP_Index_t{0}}; }
};

inline gex_Token_t to_handle(Token& token) { return reinterpret_cast<gex_Token_t>(&token); }
inline Token& from_handle(gex_Token_t token) { return *reinterpret_cast<Token*>(token); }

}  // namespace aqueduct::core
