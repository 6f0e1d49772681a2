// Where all nodes of a job are reached, in few bytes: nodes of one host share its address. Made once, then
// read by any thread.
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "fabric/fabric.hpp"
#include "net/address.hpp"

namespace aqueduct::fabric::udp {

class PeerTable {
 public:
  /// Adds the address of the next node.
  void add(const net::Address& address) {
    net::Address host = address;
    host.port = 0;
    const auto [entry, is_new] = numbers_.try_emplace(host.text(), static_cast<std::uint32_t>(hosts_.size()));
    if (is_new) hosts_.push_back(host);
    peers_.push_back({entry->second, address.port});
  }
  /// Ends the making: no address will be added any more.
  void close() {
    numbers_ = {};
    peers_.shrink_to_fit();
  }

  static constexpr std::size_t kPeerBytes = 6;

  NodeId size() const { return static_cast<NodeId>(peers_.size()); }
  net::Address operator[](NodeId node) const {
    net::Address address = hosts_[peers_[node].host];
    address.port = peers_[node].port;
    return address;
  }

 private:
#pragma pack(push, 2)
  struct PeerPlace {
    std::uint32_t host;
    std::uint16_t port;
  };
#pragma pack(pop)
  static_assert(sizeof(PeerPlace) == kPeerBytes);

  std::vector<PeerPlace> peers_;
  std::vector<net::Address> hosts_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace aqueduct::fabric::udp
