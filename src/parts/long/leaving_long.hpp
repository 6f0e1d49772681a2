// A Long that leaves, as a conduit keeps it from start() until finished(): what the protocol needs, the
// envelope as the network sends it, and the memory that it holds here.
//
// `Envelope` and `Local` are the conduit's. Records come from a pool (parts/pool.hpp) and are not reset.
#pragma once
#include "parts/long/long_protocol.hpp"

namespace aqueduct::parts {

template <class Envelope, class Local>
struct LeavingLong : LongSend {
  std::uint32_t name = 0;  ///< its number in the pool, by which a peer can name it
  Envelope envelope{};
  Local local{};

  static LeavingLong& of(LongSend& send) { return static_cast<LeavingLong&>(send); }
  /// For Pool::take().
  static void set_name(LeavingLong& fresh, std::size_t number) {
    fresh.name = static_cast<std::uint32_t>(number);
  }
};

}  // namespace aqueduct::parts
