// What a conduit is measured against with `--against raw`: the interface below it, used as barely as can be,
// between rank 0 and its partner, which are the same processes that the conduit is measured between.
//
// A network's own is a class that implements this and a line in open_raw_interface().
#pragma once
#include <memory>
#include <string>

#include "measure.hpp"
#include "parameters.hpp"

namespace aqueduct::bench {

class RawInterface {
 public:
  virtual ~RawInterface() = default;

  /// Batches of both, in words for the table.
  virtual std::string ping_pong_name() const = 0;
  virtual std::string stream_name() const = 0;

  /// Round trips of messages of `bytes`; 0: as short as one with a header is.
  virtual Batch ping_pong(std::size_t bytes) = 0;
  /// Messages of `bytes` from rank 0 to its partner, until the last has arrived; 0: likewise.
  virtual Batch stream(std::size_t bytes) = 0;

  /// Puts of `bytes` one after the other, where the interface has them; otherwise what a put is without them.
  virtual std::string put_name() const { return ping_pong_name(); }
  virtual Batch put(std::size_t bytes) { return ping_pong(bytes); }
};

/// That of the conduit in use; null where `parameters` do not ask for it. Collective. Throws Unsuitable for a
/// conduit that has none. The session outlives it.
std::unique_ptr<RawInterface> open_raw_interface(Session& session, const Parameters& parameters);

/// Over UDP sockets that are connected to each other: busy-polled datagrams, and a stream that the kernel
/// cuts (UDP_SEGMENT) and joins (UDP_GRO), with as much flow control as it takes to lose nothing.
std::unique_ptr<RawInterface> open_raw_udp(Session& session);

/// VELO, packet by packet.
std::unique_ptr<RawInterface> open_raw_extoll(Session& session);

/// What the conduit's plug-in brings along; null if it is none, or brings nothing.
std::unique_ptr<RawInterface> open_raw_plugin(Session& session, const Parameters& parameters);

}  // namespace aqueduct::bench
