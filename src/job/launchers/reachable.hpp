// At which of its addresses a host is reached by others.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "net/address.hpp"

namespace aqueduct::job::launchers {

/// An address of an interface, and how many of its first bits name the network behind it.
struct InterfaceAddress {
  net::Address address;
  unsigned prefix_bits = 0;
};

/// Those of this host that other hosts may reach: of interfaces that are up, neither loopback nor of one link
/// only. IPv4 first.
std::vector<InterfaceAddress> own_addresses();

/// Which of another host's addresses to use: the first on a network that this host is on as well, otherwise
/// the first of a family that this host has. Nothing if there is none.
std::optional<net::Address> choose_address(const std::vector<net::Address>& theirs,
                                           const std::vector<InterfaceAddress>& own);

}  // namespace aqueduct::job::launchers
