// The network interface below a conduit, used directly, for `--against raw`. It runs between rank 0 and its
// partner, the same processes as the conduit's measurement.
//
// A new network needs a class that implements this and a line in open_raw_interface().
#pragma once
#include <memory>
#include <string>

#include "measure.hpp"
#include "parameters.hpp"

namespace aqueduct::bench {

struct FloodShape;  // many_flood.hpp

class RawInterface {
 public:
  virtual ~RawInterface() = default;

  /// Names for the table.
  virtual std::string ping_pong_name() const = 0;
  virtual std::string stream_name() const = 0;

  /// Round trips of messages of `bytes`; 0: as short as one with a header is.
  virtual Batch ping_pong(std::size_t bytes) = 0;
  /// Messages of `bytes` from rank 0 to its partner, until the last has arrived; 0: likewise.
  virtual Batch stream(std::size_t bytes) = 0;

  /// Messages of `bytes` from several threads of rank 0 to several ranks; null: it has no such flood.
  virtual Batch flood(std::size_t /*bytes*/, const FloodShape& /*shape*/) { return nullptr; }

  /// Puts of `bytes` one after the other, if the interface has puts; otherwise round trips.
  virtual std::string put_name() const { return ping_pong_name(); }
  virtual Batch put(std::size_t bytes) { return ping_pong(bytes); }

  /// Barriers of all ranks, where the interface has them; otherwise no name.
  virtual std::string barrier_name() const { return {}; }
  virtual Batch barrier() { return {}; }
};

/// Opens the interface of the conduit in use; null unless `parameters` ask for it. Collective. Throws
/// Unsuitable for a conduit without one. The session outlives it.
std::unique_ptr<RawInterface> open_raw_interface(Session& session, const Parameters& parameters);

/// Over UDP sockets that are connected to each other: busy-polled datagrams, and a stream that the kernel
/// cuts (UDP_SEGMENT) and joins (UDP_GRO), with as much flow control as it takes to lose nothing.
std::unique_ptr<RawInterface> open_raw_udp(Session& session);

/// Defined by the program, for conduits that need more than the library; null for all others.
std::unique_ptr<RawInterface> open_further_raw(Session& session, const Parameters& parameters);

/// The interface of the conduit's plug-in; null if the conduit is not a plug-in or offers none.
std::unique_ptr<RawInterface> open_raw_plugin(Session& session, const Parameters& parameters);

}  // namespace aqueduct::bench
