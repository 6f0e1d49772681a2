#include "net/system_address.hpp"

#include <cstring>

namespace aqueduct::net {

socklen_t to_system(const Address& address, SocketAddress& system) {
  system = {};
  if (address.family == Address::Family::kV6) {
    system.v6.sin6_family = AF_INET6;
    system.v6.sin6_port = htons(address.port);
    std::memcpy(&system.v6.sin6_addr, address.host.data(), sizeof system.v6.sin6_addr);
    return sizeof system.v6;
  }
  system.v4.sin_family = AF_INET;
  system.v4.sin_port = htons(address.port);
  std::memcpy(&system.v4.sin_addr, address.host.data(), sizeof system.v4.sin_addr);
  return sizeof system.v4;
}

Address from_system(const SocketAddress& system) {
  Address address;
  if (system.any.sa_family == AF_INET) {
    address.family = Address::Family::kV4;
    address.port = ntohs(system.v4.sin_port);
    std::memcpy(address.host.data(), &system.v4.sin_addr, sizeof system.v4.sin_addr);
  } else if (system.any.sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&system.v6.sin6_addr)) {
    constexpr std::size_t kPrefixBytes = 12;
    address.family = Address::Family::kV4;
    address.port = ntohs(system.v6.sin6_port);
    std::memcpy(address.host.data(), system.v6.sin6_addr.s6_addr + kPrefixBytes, sizeof system.v4.sin_addr);
  } else if (system.any.sa_family == AF_INET6) {
    address.family = Address::Family::kV6;
    address.port = ntohs(system.v6.sin6_port);
    std::memcpy(address.host.data(), &system.v6.sin6_addr, sizeof system.v6.sin6_addr);
  }
  return address;
}

}  // namespace aqueduct::net
