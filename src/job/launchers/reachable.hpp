// Finds the addresses at which others can reach a host.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "net/address.hpp"

namespace aqueduct::job::launchers {

/// An address of an interface, and how many of its first bits name the network.
struct InterfaceAddress {
  net::Address address;
  unsigned prefix_bits = 0;
};

/// The addresses of this host that other hosts may reach: of interfaces that are up, without loopback and
/// link-local ones. IPv4 first.
std::vector<InterfaceAddress> own_addresses();

/// Chooses one of another host's addresses: the first on a network that this host shares, otherwise the first
/// of a family that this host has. Nothing if there is none.
std::optional<net::Address> choose_address(const std::vector<net::Address>& theirs,
                                           const std::vector<InterfaceAddress>& own);

}  // namespace aqueduct::job::launchers
