// TCP sockets that never block: the calls that the bootstrap and its rendezvous need. Errors are values,
// which the caller interprets.
#pragma once
#include "net/address.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::net {

/// Listens at `where` (port 0: any that is free; no family: at all of the host's IPv4 addresses). Invalid
/// with errno if that is not possible.
Descriptor listen_at(const Address& where);

/// The next connection that waits at `listener`, invalid with errno if there is none.
Descriptor accept_from(int listener);

/// Begins to connect. Invalid with errno if that fails at once; the first transfer reports a later failure.
Descriptor connect_to(const Address& where);

/// The addresses of this end and the other end of a connection; without family if the system does not know.
Address local_address(int socket);
Address peer_address(int socket);

/// The address of this host from which packets to `where` leave, without a port; without a host if there is
/// no route.
Address own_address_towards(const Address& where);

/// The result of a transfer.
struct Transferred {
  std::size_t bytes = 0;
  bool is_closed = false;  ///< the other end has closed it, or it is broken: then `error` is not zero
  int error = 0;
};

/// Transfer as many bytes as possible now.
Transferred receive_some(int socket, void* to, std::size_t bytes);
Transferred send_some(int socket, const void* from, std::size_t bytes);

}  // namespace aqueduct::net
