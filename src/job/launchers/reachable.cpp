#include "job/launchers/reachable.hpp"

#include "net/network_interface.hpp"

namespace aqueduct::job::launchers {
namespace {

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
  for (const net::NetworkInterface& each : net::network_interfaces()) {
    const net::Address& address = each.address;
    const bool is_of_one_link =
        address.family == net::Address::Family::kV4 && address.host[0] == 169 && address.host[1] == 254;
    if (each.is_up && !each.is_loopback && each.prefix_bits != 0 && !is_of_one_link)
      own.push_back({address, each.prefix_bits});
  }
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
