#include "net/network_interface.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

#include "net/descriptor.hpp"
#include "net/system_address.hpp"

namespace aqueduct::net {
namespace {

/// In numbers, without a port.
std::string host_text(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(address.family == Address::Family::kV6 ? AF_INET6 : AF_INET, address.host.data(), text,
              sizeof text);
  return text;
}

Address parse_host(std::string_view text) {
  const std::string terminated(text);
  Address address;
  if (::inet_pton(AF_INET, terminated.c_str(), address.host.data()) == 1) {
    address.family = Address::Family::kV4;
  } else if (::inet_pton(AF_INET6, terminated.c_str(), address.host.data()) == 1) {
    address.family = Address::Family::kV6;
  }
  return address;
}

unsigned prefix_bits_of(const ifaddrs& entry) {
  if (!entry.ifa_netmask) return 0;
  SocketAddress mask = {};
  const bool is_v4 = entry.ifa_addr->sa_family == AF_INET;
  std::memcpy(static_cast<void*>(&mask), entry.ifa_netmask, is_v4 ? sizeof mask.v4 : sizeof mask.v6);
  const auto bits = [](const auto& bytes) {
    unsigned count = 0;
    for (const std::byte byte : std::as_bytes(std::span(&bytes, 1)))
      count += static_cast<unsigned>(std::popcount(std::to_integer<unsigned char>(byte)));
    return count;
  };
  return is_v4 ? bits(mask.v4.sin_addr) : bits(mask.v6.sin6_addr);
}

}  // namespace

std::vector<NetworkInterface> network_interfaces() {
  std::vector<NetworkInterface> found;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return found;
  for (const ifaddrs* entry = list; entry; entry = entry->ifa_next) {
    if (!entry->ifa_addr) continue;
    const sa_family_t family = entry->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    SocketAddress system = {};
    std::memcpy(static_cast<void*>(&system), entry->ifa_addr,
                family == AF_INET ? sizeof system.v4 : sizeof system.v6);
    if (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&system.v6.sin6_addr)) continue;
    Address address = from_system(system);
    address.port = 0;
    found.push_back({entry->ifa_name, address, prefix_bits_of(*entry), (entry->ifa_flags & IFF_UP) != 0,
                     (entry->ifa_flags & IFF_LOOPBACK) != 0});
  }
  ::freeifaddrs(list);
  std::stable_sort(found.begin(), found.end(), [](const NetworkInterface& a, const NetworkInterface& b) {
    return a.address.family < b.address.family;
  });
  return found;
}

std::optional<Address> choose_interface(std::string_view choice, std::string* why) {
  const Address wanted = parse_host(choice);
  std::string offered;
  bool is_down = false;
  for (const NetworkInterface& interface : network_interfaces()) {
    if (wanted ? interface.address == wanted : interface.name == choice) {
      if (interface.is_up) return interface.address;
      is_down = true;
    }
    if (interface.is_up)
      offered += (offered.empty() ? "" : ", ") + interface.name + " (" + host_text(interface.address) + ")";
  }
  *why = std::string(choice) + (is_down ? " is down" : " is no interface or address of this host") +
         "; there are " + (offered.empty() ? "none" : offered);
  return std::nullopt;
}

Address address_towards(const Address& remote) {
  SocketAddress system;
  const socklen_t bytes = to_system(remote, system);
  const Descriptor probe(::socket(system.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  // Connecting a datagram socket only looks up the route. Some systems refuse port 0.
  if (remote.port == 0)
    (system.any.sa_family == AF_INET ? system.v4.sin_port : system.v6.sin6_port) = htons(9);
  if (!probe || ::connect(probe.get(), &system.any, bytes) != 0) return {};
  socklen_t room = sizeof system;
  if (::getsockname(probe.get(), &system.any, &room) != 0) return {};
  Address local = from_system(system);
  local.port = 0;
  return local;
}

}  // namespace aqueduct::net
