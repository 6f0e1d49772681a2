// The addresses of this host that others may use.
//
// It leaves out link-local addresses of IPv6, which need an interface, because Address has none.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/address.hpp"

namespace aqueduct::net {

struct NetworkInterface {
  std::string name;          ///< "eth0"
  Address address;           ///< one of its addresses, port 0
  unsigned prefix_bits = 0;  ///< so many of the address's first bits name the network
  bool is_up = false;
  bool is_loopback = false;
};

/// One entry for each address, IPv4 before IPv6.
std::vector<NetworkInterface> network_interfaces();

/// The address meant by `choice`: the name of an interface, or one of this host's addresses in numbers. Port
/// 0. Nothing, with the possible choices in `*why`, if there is no such address that is up.
std::optional<Address> choose_interface(std::string_view choice, std::string* why);

/// The address from which this host reaches `remote`, port 0. Without family if there is no way there. Sends
/// nothing.
Address address_towards(const Address& remote);

}  // namespace aqueduct::net
