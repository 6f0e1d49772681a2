#include "sim/datagrams.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace aqueduct::sim {
namespace {

constexpr std::size_t kHeaderBytes = 28;  // IPv4 and UDP
constexpr std::size_t kLargestOfAll = 65507;
constexpr unsigned kPatience = 16;
constexpr Time kPause = kMicrosecond;
constexpr std::uint8_t kNetwork = 10;  // addresses of nodes are 10.x.y.z

fabric::NodeId node_at(const net::Address& address) {
  return fabric::NodeId{address.host[1]} << 16 | fabric::NodeId{address.host[2]} << 8 | address.host[3];
}

std::size_t largest_of(const NetworkModel& model) {
  const auto numbers = model.numbers();
  const auto found = std::ranges::find(numbers, "nic.datagram_bytes", &Number::name);
  return found != numbers.end() ? std::min<std::size_t>(found->value, kLargestOfAll) : kLargestOfAll;
}

}  // namespace

Datagrams::Datagrams(SimPort& port, Host& host)
    : port_(port), host_(host), largest_(largest_of(host.model())) {
  port_.set_client(*this);
}

net::Address Datagrams::address_of(fabric::NodeId node) {
  net::Address address;
  address.family = net::Address::Family::kV4;
  address.port = 1;
  address.host[0] = kNetwork;
  address.host[1] = static_cast<std::uint8_t>(node >> 16);
  address.host[2] = static_cast<std::uint8_t>(node >> 8);
  address.host[3] = static_cast<std::uint8_t>(node);
  return address;
}

std::size_t Datagrams::send(std::span<const fabric::udp::Burst> bursts, unsigned) {
  for (std::size_t i = 0; i < bursts.size(); ++i) {
    const fabric::udp::Burst& burst = bursts[i];
    Bytes all;
    for (const iovec& part : burst.parts) {
      const auto* const begin = static_cast<const std::byte*>(part.iov_base);
      all.insert(all.end(), begin, begin + part.iov_len);
    }
    for (std::size_t at = 0; at < all.size(); at += burst.datagram_bytes) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = begin + static_cast<std::ptrdiff_t>(std::min(burst.datagram_bytes, all.size() - at));
      if (!send_one(node_at(burst.to), Bytes(begin, end))) return at == 0 ? i : i + 1;
    }
  }
  return bursts.size();
}

bool Datagrams::send_one(fabric::NodeId to, Bytes bytes) {
  static constexpr std::array<std::byte, kHeaderBytes> kHeader{};
  const std::uint64_t cookie = ++last_cookie_;
  Bytes& kept = leaving_[cookie] = std::move(bytes);
  const fabric::Piece piece{kept.data(), kept.size()};
  if (port_.send(to, kHeader, {&piece, 1}, cookie) == fabric::Post::kDone) return true;
  leaving_.erase(cookie);
  return false;
}

std::span<const fabric::udp::Arrived> Datagrams::receive() {
  port_.progress();
  shown_.clear();
  arrived_.clear();
  while (!inbox_.empty() && shown_.size() < kAtOnce) {
    shown_.push_back(std::move(inbox_.front()));
    inbox_.pop_front();
  }
  for (Datagram& each : shown_) arrived_.push_back({address_of(each.from), each.bytes, each.bytes.size()});
  if (!arrived_.empty() || !Fiber::current()) {
    fruitless_ = 0;
  } else if (++fruitless_ <= kPatience) {
    host_.compute(kNanosecond);
  } else {
    host_.rest_until(host_.activity(), host_.engine().now() + kPause, "a datagram");
  }
  return arrived_;
}

void Datagrams::arrived(const fabric::Arrival& arrival) {
  Datagram datagram{arrival.source, Bytes(arrival.payload_bytes)};
  if (arrival.inline_payload) {
    std::copy_n(arrival.inline_payload, arrival.payload_bytes, datagram.bytes.begin());
    inbox_.push_back(std::move(datagram));
    return port_.discard(arrival.id);
  }
  const std::uint64_t cookie = ++last_cookie_;
  Datagram& kept = landing_[cookie] = std::move(datagram);
  const fabric::Piece where{kept.bytes.data(), kept.bytes.size()};
  port_.accept(arrival.id, {&where, 1}, where.bytes, cookie);
}

void Datagrams::landed(std::uint64_t cookie, fabric::Outcome outcome) {
  const auto found = landing_.find(cookie);
  if (outcome == fabric::Outcome::kOk) inbox_.push_back(std::move(found->second));
  landing_.erase(found);
}

}  // namespace aqueduct::sim
