// Converts Address for system calls.
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

/// Returns the number of bytes used. An address without family becomes one of IPv4.
socklen_t to_system(const Address& address, SocketAddress& system);
/// Without family if it is neither IPv4 nor IPv6. An IPv4 address mapped into IPv6 becomes IPv4 again.
Address from_system(const SocketAddress& system);

}  // namespace aqueduct::net
