// Address as the calls of the system take it.
#pragma once
#include <netinet/in.h>
#include <sys/socket.h>

#include "net/address.hpp"

namespace aqueduct::net {

union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

/// The number of bytes that count. An address without family becomes one of IPv4.
socklen_t to_system(const Address& address, SocketAddress& system);
/// Without family if it is neither IPv4 nor IPv6. An IPv4 address that a socket of IPv6 shows as one of its
/// own is what it is.
Address from_system(const SocketAddress& system);

}  // namespace aqueduct::net
