// TCP sockets that never block: the few calls that the bootstrap and its rendezvous need. Errors are values;
// what they mean is the caller's to say.
#pragma once
#include "net/address.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::net {

/// Listens at `where` (port 0: any that is free; no family: at all of the host's IPv4 addresses). Invalid
/// with errno if that is not possible.
Descriptor listen_at(const Address& where);

/// The next connection that waits at `listener`, invalid with errno if there is none.
Descriptor accept_from(int listener);

/// Begins to connect. Invalid with errno if that fails at once; if it does later, the first transfer says so.
Descriptor connect_to(const Address& where);

/// This end and the other end of a connection; without family where the system does not tell.
Address local_address(int socket);
Address peer_address(int socket);

/// The address of this host from which packets to `where` leave, without a port; without a host where the
/// system knows no way there.
Address own_address_towards(const Address& where);

/// What became of a transfer.
struct Transferred {
  std::size_t bytes = 0;
  bool is_closed = false;  ///< by the other end, or broken: `error` then is not zero
  int error = 0;
};

/// As many bytes as can be taken or given now.
Transferred receive_some(int socket, void* to, std::size_t bytes);
Transferred send_some(int socket, const void* from, std::size_t bytes);

}  // namespace aqueduct::net
