#include "udp/simulated_network.hpp"

#include <algorithm>
#include <cstring>

namespace aqueduct::fabric::udp::test {
namespace {

unsigned node_at(const net::Address& address) { return address.port - 1u; }

std::uint64_t digest(const PacketName& name, std::span<const std::byte> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325u ^ (std::uint64_t{name.sender} << 32 | name.target) ^ name.number;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
  }
  for (; i < bytes.size(); ++i) sum = (sum ^ static_cast<std::uint64_t>(bytes[i])) * 0x100000001b3u;
  return sum ^ sum >> 32;
}

}  // namespace

net::Address SimulatedNetwork::address_of(unsigned node) {
  net::Address address = net::Address::loopback();
  address.port = static_cast<std::uint16_t>(node + 1);
  return address;
}

void SimulatedNetwork::launch(std::uint64_t at_ns, unsigned from, unsigned to,
                              std::shared_ptr<std::vector<std::byte>> bytes) {
  on_their_way_.push({at_ns, order_++, from, to, std::move(bytes)});
}

void SimulatedNetwork::carry(unsigned from, unsigned to, std::vector<std::byte> bytes) {
  ++carried_;
  carried_bytes_ += bytes.size();
  Way& way = link(from, to);
  if (overhears) overhears(from, to, bytes);
  if (way.carried++ % 2 == 1 && faults_.every_second) return;
  if (clock_.now < way.cut_until_ns || bytes.size() > way.largest || draw(faults_.loss)) return;
  if (draw(faults_.stray)) {
    std::vector<std::byte> other(bytes.begin(),
                                 bytes.begin() + static_cast<std::ptrdiff_t>(random_() % (bytes.size() + 1)));
    for (int i = 0; i < 4 && !other.empty(); ++i)
      other[random_() % other.size()] = static_cast<std::byte>(random_());
    launch(clock_.now + 1, from, to, std::make_shared<std::vector<std::byte>>(std::move(other)));
  }
  const bool comes_again = draw(faults_.replay);
  if (draw(faults_.corruption))
    bytes[random_() % bytes.size()] ^= static_cast<std::byte>(1u << random_() % 8);
  const auto shared = std::make_shared<std::vector<std::byte>>(std::move(bytes));
  way.busy_until_ns = std::max(way.busy_until_ns, clock_.now) +
                      static_cast<std::uint64_t>(static_cast<double>(shared->size()) / faults_.bytes_per_ns);
  const auto at = [&] {
    return way.busy_until_ns + faults_.latency_ns + (faults_.jitter_ns ? random_() % faults_.jitter_ns : 0);
  };
  launch(at(), from, to, shared);
  if (draw(faults_.duplication)) launch(at(), from, to, shared);
  if (comes_again) launch(at() + random_() % 200'000'000, from, to, shared);
}

void SimulatedNetwork::deliver() {
  while (!on_their_way_.empty() && on_their_way_.top().at_ns <= clock_.now) {
    const Flight flight = on_their_way_.top();
    on_their_way_.pop();
    Place& place = nodes_[flight.to];
    if (place.inbox_bytes + flight.bytes->size() > faults_.receive_room && !place.inbox.empty()) continue;
    place.inbox_bytes += flight.bytes->size();
    place.inbox.emplace_back(flight.from, flight.bytes);
  }
}

net::Address SimulatedSocket::address() const { return SimulatedNetwork::address_of(node_); }

std::size_t SimulatedSocket::largest_datagram(const net::Address& peer) {
  const SimulatedNetwork::Way& way = network_.link(node_, node_at(peer));
  return way.says_so ? std::min(way.largest, network_.faults_.largest_datagram)
                     : network_.faults_.largest_datagram;
}

std::size_t SimulatedSocket::receive_room() const { return network_.faults_.receive_room; }

std::size_t SimulatedSocket::send(std::span<const Burst> bursts, unsigned) {
  std::size_t taken = 0;
  for (const Burst& burst : bursts) {
    if (network_.draw(network_.faults_.no_room)) return taken;
    std::vector<std::byte> all;
    for (const iovec& part : burst.parts) {
      const auto* const from = static_cast<const std::byte*>(part.iov_base);
      all.insert(all.end(), from, from + part.iov_len);
    }
    for (std::size_t at = 0; at < all.size(); at += burst.datagram_bytes) {
      const std::size_t bytes = std::min(burst.datagram_bytes, all.size() - at);
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at);
      network_.carry(node_, node_at(burst.to), {begin, begin + static_cast<std::ptrdiff_t>(bytes)});
    }
    ++taken;
  }
  return taken;
}

std::span<const Arrived> SimulatedSocket::receive() {
  auto& place = network_.nodes_[node_];
  constexpr int kOverwritten = 0xdd;
  constexpr std::size_t kMostJoined = 0xffff;
  for (const Shown& shown : shown_) std::memset(shown.memory.get(), kOverwritten, shown.bytes);
  shown_.clear();
  arrived_.clear();
  std::vector<net::Address> from;
  // As a kernel does, but not always.
  const bool joins = ++receives_ % 4 != 0;
  std::size_t last_bytes = 0;  // of the last datagram
  for (std::size_t most = 1 + network_.random_() % 16; most != 0 && !place.inbox.empty(); --most) {
    const std::vector<std::byte>& bytes = *place.inbox.front().second;
    const net::Address address = SimulatedNetwork::address_of(place.inbox.front().first);
    place.inbox_bytes -= bytes.size();
    const bool is_joined = joins && !shown_.empty() && from.back() == address &&
                           last_bytes == shown_.back().datagram_bytes && bytes.size() <= last_bytes &&
                           shown_.back().bytes + bytes.size() <= kMostJoined;
    if (!is_joined) {
      shown_.push_back(
          {std::make_unique_for_overwrite<std::byte[]>(std::max(bytes.size(), fabric::Place::kMostBuffered)),
           0, bytes.size()});
      from.push_back(address);
    }
    std::copy(bytes.begin(), bytes.end(), shown_.back().memory.get() + shown_.back().bytes);
    shown_.back().bytes += bytes.size();
    last_bytes = bytes.size();
    place.inbox.pop_front();
  }
  for (std::size_t i = 0; i < shown_.size(); ++i)
    arrived_.push_back({from[i],
                        {shown_[i].memory.get(), shown_[i].bytes},
                        network_.faults_.hides_sizes ? 0 : shown_[i].datagram_bytes});
  return arrived_;
}

bool SimulatedSocket::exchange_received(std::size_t index, BufferPool::Buffer& buffer) {
  shown_[index].memory.swap(buffer);
  return true;
}

void TestSeal::seal(const PacketName& name, std::span<std::byte> datagram, std::size_t) const {
  const std::uint64_t sum = digest(name, datagram.first(datagram.size() - kTagBytes));
  const std::uint64_t tag[2] = {sum, ~sum};
  std::memcpy(datagram.data() + datagram.size() - kTagBytes, tag, kTagBytes);
}

void TestSeal::seal_parts(const PacketName& name, std::span<const iovec> parts,
                          std::span<std::byte, kTagBytes> tag) const {
  std::vector<std::byte> datagram;
  for (const iovec& part : parts) {
    const auto* const begin = static_cast<const std::byte*>(part.iov_base);
    datagram.insert(datagram.end(), begin, begin + part.iov_len);
  }
  datagram.resize(datagram.size() + kTagBytes);
  seal(name, datagram, 0);
  std::memcpy(tag.data(), datagram.data() + datagram.size() - kTagBytes, kTagBytes);
}

bool TestSeal::open(const PacketName& name, std::span<std::byte> datagram, std::size_t) const {
  const std::uint64_t sum = digest(name, datagram.first(datagram.size() - kTagBytes));
  const std::uint64_t tag[2] = {sum, ~sum};
  return std::memcmp(datagram.data() + datagram.size() - kTagBytes, tag, kTagBytes) == 0;
}

}  // namespace aqueduct::fabric::udp::test
