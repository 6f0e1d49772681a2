// A token: what a running handler can ask about its message, and its right to reply.
//
// Lives on the stack of the thread that runs the handler; a gex_Token_t points to it and is valid until the handler
// returns. Only that thread may use it.
#pragma once
#include "conduit/conduit.hpp"
#include "core/handlers.hpp"

namespace aqueduct::core {

class Rank;

struct Token {
  Rank& rank;
  conduit::Origin origin;
  const HandlerTable::Entry& entry;
  bool is_request;
  bool is_long;
  bool replied = false;
};

inline gex_Token_t to_handle(Token& token) { return reinterpret_cast<gex_Token_t>(&token); }
inline Token& from_handle(gex_Token_t token) { return *reinterpret_cast<Token*>(token); }

}  // namespace aqueduct::core
