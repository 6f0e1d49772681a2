// The handler table of an endpoint: 256 entries, of which clients own those from kFirstClientHandler up.
//
// Registration is done by one thread at a time; entries are published before they can be named by a message,
// so dispatch reads them without a lock. An entry is never changed once it is set.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "conduit/conduit.hpp"
#include "gasnetex.h"

namespace aqueduct::core {

using conduit::Category;
using conduit::Message;

inline constexpr unsigned kFirstClientHandler = GEX_AM_INDEX_BASE;
inline constexpr unsigned kHandlers = 256;

/// The library's own handlers, below the clients'. Part of the wire protocol between ranks.
enum class Internal : std::uint8_t {
  kPut = 1,
  kPutDone,
  kGet,
  kGetMedium,
  kGetLong,
  kBarrier,
  kTeamGather,
