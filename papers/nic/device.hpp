// The common contract between the library of a network interface and the code that moves its messages.
// nic/ugni/device.hpp, nic/extoll/device.hpp and nic/portals3/nal.hpp extend it.
//
// The library is portable: it decides what a command does and who gets events. A Mover moves messages, and
// decides when: at once over a live fabric (nic/fabric_device.hpp), or when a simulated interface would
// (nic/simulated_device.hpp). A Device is the mover of one process, and also provides the costs of calls,
// waiting and limits; if processes share a mover, as in Portals, each has a bridge for these.
//
//   initiator                              target
//   post: device.send(transfer) ────────▶  where = library.arrived({source, header, bytes})
//   library.sent(transfer)                 where? land the payload there, then library.landed(*where)
//   the payload is the library's again     else drop it
//
// Memory: a Transfer belongs to the library and is lent to the device from send(), or from arrived(), until
// sent() or landed(), which is called once for each. Its header, its payload and the memory that it names do
// not change meanwhile. The arguments of arrived() are valid until it returns.
//
// Threads: the library calls send() and posted() from any thread; send() of a Device with its lock held, so
// it must not call back nor suspend a fiber. enter() and wait() are called with no lock held and may suspend.
// The mover calls the library from any thread with no lock held that send() needs, one call at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "fabric/fabric.hpp"
#include "papers/nic/live_wait.hpp"
#include "papers/nic/progress.hpp"

namespace aqueduct::nic {

/// A header that has arrived. Its payload may still be on its way.
struct Incoming {
  fabric::NodeId source = 0;
  std::span<const std::byte> header;
  std::size_t payload_bytes = 0;
};

/// The functions of the library for a device.
template <class Transfer>
class Library {
 public:
  /// Returns where the whole payload goes; null: there is none, or the device drops it.
  virtual Transfer* arrived(const Incoming& incoming) = 0;
  virtual void landed(Transfer& transfer, bool whole) = 0;
  virtual void sent(Transfer& transfer) = 0;
  /// A message that was reported as sent has not arrived, or not whole. `header` is its header.
  virtual void undeliverable(fabric::NodeId target, std::span<const std::byte> header) = 0;
  /// A node is gone for good.
  virtual void lost(fabric::NodeId node) = 0;

 protected:
  ~Library() = default;
};

/// The memory that a transfer carries or lands in: `pieces` of `bytes` in all, or one piece, `payload`.
template <class Transfer>
std::span<const fabric::Piece> pieces_of(const Transfer& transfer) {
  if constexpr (requires { transfer.pieces; }) {
    return transfer.pieces;
  } else {
    return {&transfer.payload, transfer.payload.bytes != 0 ? 1u : 0u};
  }
}
template <class Transfer>
std::size_t bytes_of(const Transfer& transfer) {
  if constexpr (requires { transfer.pieces; }) {
    return transfer.bytes;
  } else {
    return transfer.payload.bytes;
  }
}

/// `ToLibrary` has the functions of this interface's library for its mover.
template <class Transfer, class ToLibrary = Library<Transfer>>
class Mover : public Progress {
 public:
  virtual ~Mover() = default;

  /// The library calls it once, first.
  virtual void set_library(ToLibrary& library) = 0;
  virtual fabric::NodeId self() const = 0;
  virtual fabric::NodeId nodes() const = 0;

  /// Always takes the transfer; one that cannot leave now waits in the mover.
  virtual void send(Transfer& transfer) = 0;

  /// The bell at which the process on `node` may sleep until something comes for it; null: none.
  virtual Doorbell* doorbell(fabric::NodeId node) {
    (void)node;
    return nullptr;
  }
};

template <class Transfer, class Limits, class Call>
class Device : public Mover<Transfer> {
 public:
  virtual Limits limits() const = 0;

  /// Every call of the interface begins with this.
  virtual void enter(Call call, std::size_t amount) = 0;

  virtual std::uint64_t now_ns() = 0;
  /// Rests until `activity` is no longer `seen`, or until `deadline_ns`; may return early. Makes progress
  /// meanwhile if nobody else does.
  virtual void wait(const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) = 0;
  /// Something was posted that a thread of the process may wait for.
  virtual void posted() = 0;
};

}  // namespace aqueduct::nic
