#include "job/launchers/reachable.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace aqueduct::job::launchers {
namespace {

unsigned count_bits(const void* mask, std::size_t bytes) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    bits += static_cast<unsigned>(std::popcount(static_cast<const unsigned char*>(mask)[i]));
  return bits;
}

std::optional<InterfaceAddress> read(const ifaddrs& entry) {
  if (entry.ifa_addr == nullptr || entry.ifa_netmask == nullptr) return std::nullopt;
  if ((entry.ifa_flags & IFF_UP) == 0 || (entry.ifa_flags & IFF_LOOPBACK) != 0) return std::nullopt;
  InterfaceAddress own;
  if (entry.ifa_addr->sa_family == AF_INET) {
    const auto& address = reinterpret_cast<const sockaddr_in*>(entry.ifa_addr)->sin_addr;
    const auto& mask = reinterpret_cast<const sockaddr_in*>(entry.ifa_netmask)->sin_addr;
    own.address.family = net::Address::Family::kV4;
    std::memcpy(own.address.host.data(), &address, sizeof address);
    own.prefix_bits = count_bits(&mask, sizeof mask);
    const bool is_of_one_link = own.address.host[0] == 169 && own.address.host[1] == 254;
    return is_of_one_link ? std::nullopt : std::optional(own);
  }
  if (entry.ifa_addr->sa_family == AF_INET6) {
    const auto& address = reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr)->sin6_addr;
    const auto& mask = reinterpret_cast<const sockaddr_in6*>(entry.ifa_netmask)->sin6_addr;
    if (IN6_IS_ADDR_LINKLOCAL(&address)) return std::nullopt;
    own.address.family = net::Address::Family::kV6;
    std::memcpy(own.address.host.data(), &address, sizeof address);
    own.prefix_bits = count_bits(&mask, sizeof mask);
    return own;
  }
  return std::nullopt;
}

bool is_on(const net::Address& address, const InterfaceAddress& network) {
  if (address.family != network.address.family) return false;
  for (unsigned bit = 0; bit < network.prefix_bits; ++bit) {
    const unsigned byte = bit / 8, shift = 7 - bit % 8;
    if (((address.host[byte] ^ network.address.host[byte]) >> shift & 1) != 0) return false;
  }
  return true;
}

}  // namespace

std::vector<InterfaceAddress> own_addresses() {
  std::vector<InterfaceAddress> own;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return own;
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    if (const std::optional<InterfaceAddress> address = read(*entry)) own.push_back(*address);
  }
  ::freeifaddrs(first);
  std::stable_sort(own.begin(), own.end(), [](const InterfaceAddress& a, const InterfaceAddress& b) {
    return a.address.family < b.address.family;
  });
  return own;
}

std::optional<net::Address> choose_address(const std::vector<net::Address>& theirs,
                                           const std::vector<InterfaceAddress>& own) {
  for (const net::Address& address : theirs) {
    for (const InterfaceAddress& network : own) {
      if (is_on(address, network)) return address;
    }
  }
  for (const net::Address& address : theirs) {
    for (const InterfaceAddress& network : own) {
      if (address.family == network.address.family) return address;
    }
  }
  return std::nullopt;
}

}  // namespace aqueduct::job::launchers
