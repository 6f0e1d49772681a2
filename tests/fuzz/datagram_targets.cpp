// Datagrams from outside: the decoders alone, and a whole port that answers to what they say.
#include <map>
#include <memory>
#include <vector>

#include "fabric/udp/packet.hpp"
#include "fabric/udp/port.hpp"
#include "target.hpp"

namespace aqueduct::fuzz {
namespace {

using namespace fabric;
using namespace fabric::udp;

bool lies_in(std::span<const std::byte> part, std::span<const std::byte> whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

constexpr NodeId kNodes = 3;

net::Address address_of(NodeId node) {
  net::Address address = net::Address::loopback();
  address.port = static_cast<std::uint16_t>(1000 + node);
  return address;
}

/// Hands over one datagram at a time, and takes everything.
class FuzzSocket final : public DatagramSocket {
 public:
  net::Address address() const override { return address_of(0); }
  std::size_t largest_datagram(const net::Address&) override { return 1400; }
  std::size_t receive_room() const override { return std::size_t{1} << 20; }
  int wake_fd() const override { return -1; }
  std::size_t send(std::span<const Burst> bursts, unsigned) override {
    for (const Burst& burst : bursts) {
      for (const iovec& part : burst.parts) {
        // Reads what would be sent, for the sanitizers to see.
        for (std::size_t i = 0; i < part.iov_len; ++i)
          sum += static_cast<const std::uint8_t*>(part.iov_base)[i];
      }
    }
    return bursts.size();
  }
  std::span<const Arrived> receive() override {
    const bool is_empty = arrived.bytes.empty();
    shown_ = std::exchange(arrived, {});
    return {&shown_, is_empty ? 0u : 1u};
  }

  Arrived arrived;
  std::uint64_t sum = 0;

 private:
  Arrived shown_;
};

class FuzzClock final : public Clock {
 public:
  std::uint64_t now_ns() noexcept override { return now; }
  std::uint64_t now = 1'000'000'000;
};

/// Answers arrivals at once, later or never, as numbers of the input say.
class FuzzClient final : public PortClient {
 public:
  explicit FuzzClient(Reader& reader) : reader_(reader) {}

  void arrived(const Arrival& arrival) override {
    expect(arrival.source < kNodes && arrival.header.size() <= kMaxHeader);
    if (arrival.inline_payload) {
      for (std::size_t i = 0; i < arrival.payload_bytes; ++i)
        sum += static_cast<std::size_t>(arrival.inline_payload[i]);
    }
    const std::uint8_t mood = reader_.take<std::uint8_t>();
    if (mood % 4 == 0) {
      waiting.push_back({arrival.id, arrival.payload_bytes});
      return;
    }
    answer(arrival.id, arrival.payload_bytes, mood);
  }
  void landed(std::uint64_t cookie, fabric::Outcome) override { landings.erase(cookie); }
  void sent(std::uint64_t cookie) override { sending.erase(cookie); }
  void undeliverable(std::uint64_t, NodeId, std::span<const std::byte>) override {}

  void answer(std::uint64_t id, std::size_t bytes, std::uint8_t mood) {
    constexpr std::size_t kMost = 100'000;
    if (mood % 4 == 1 || bytes > kMost) return port->discard(id);
    const std::uint64_t cookie = ++cookies_;
    auto& room = landings[cookie];
    room.resize(bytes / (mood % 4 == 2 ? 2 : 1));
    const Piece where{room.data(), room.size()};
    port->accept(id, {&where, 1}, room.size(), cookie);
  }

  struct Waiting {
    std::uint64_t id;
    std::size_t bytes;
  };
  UdpPort* port = nullptr;
  std::vector<Waiting> waiting;
  std::map<std::uint64_t, std::vector<std::byte>> sending, landings;
  std::size_t sum = 0;

 private:
  Reader& reader_;
  std::uint64_t cookies_ = 0;
};

}  // namespace

void datagram(Input input) {
  const auto bytes = std::as_bytes(input);
  PacketHead head;
  expect(decode_head(bytes, &head) == (bytes.size() >= kPacketHeadBytes));
  Frames frames;
  if (decode_frames(bytes, &frames)) {
    if (frames.has_ack) expect(frames.ack.runs >= 1 && frames.ack.runs <= AckFrame::kMostRuns);
    if (frames.has_messages) expect(lies_in(frames.messages.data, bytes));
    if (frames.has_control) expect(lies_in(frames.control.data, bytes));
    if (frames.has_bulk) expect(lies_in(frames.bulk.data, bytes));
    if (frames.has_part)
      expect(lies_in(frames.part.data, bytes) && frames.part.end() <= frames.part.whole_bytes());
  }
  constexpr std::size_t kInlineBytes = 8192;
  MessageRecord message;
  if (decode_message(bytes, kInlineBytes, &message) == Decoded::kWhole) {
    expect(lies_in(message.header, bytes) && message.header.size() <= kMaxHeader &&
           message.bytes <= bytes.size());
    if (message.kind == RecordKind::kInline)
      expect(message.payload_bytes <= kInlineBytes &&
             lies_in({message.payload, static_cast<std::size_t>(message.payload_bytes)}, bytes));
  }
  ControlRecord control;
  (void)decode_control(bytes, &control);
}

constexpr Plane kFuzzedPlane{2};

/// Of a part that names an exposed place: no input guesses where this is, so that it says how far from there.
void point_into(std::span<const std::byte> exposed, std::span<std::byte> datagram) {
  constexpr std::size_t kPlaceAt = kPacketHeadBytes + 24;  // packet.hpp
  if (datagram.size() < kPacketHeadBytes + PartFrame::kFixedBytes ||
      static_cast<FrameType>(datagram[kPacketHeadBytes]) != FrameType::kPart)
    return;
  std::uint64_t place;
  std::memcpy(&place, &datagram[kPlaceAt], sizeof place);
  if (place < 2 * exposed.size()) place += reinterpret_cast<std::uint64_t>(exposed.data());
  std::memcpy(&datagram[kPlaceAt], &place, sizeof place);
}

/// Steps of the input: what happens, and its numbers. Datagrams have a head that is believed, so that all the
/// rest is the input's.
void port(Input input) {
  Reader reader(input);
  FuzzClock clock;
  FuzzClient client(reader);
  PortSetup setup;
  setup.plane = kFuzzedPlane;
  auto owned = std::make_unique<FuzzSocket>();
  FuzzSocket& socket = *owned;
  setup.socket = std::move(owned);
  for (NodeId node = 0; node < kNodes; ++node) setup.peers.add(address_of(node));
  UdpPort port(std::move(setup), clock);
  client.port = &port;
  port.set_client(client);
  // Parts may name places that the input hits easily; one that writes beside them the sanitizers see.
  std::vector<std::byte> exposed(300);
  const auto posted = std::make_unique<std::byte[]>(100);
  port.expose({exposed.data(), exposed.size()});
  port.post(1, {posted.get(), 100});
  std::uint64_t numbers[kNodes] = {};
  std::uint64_t cookie = 0;
  std::vector<std::byte> bytes;
  while (!reader.is_at_end()) {
    const std::uint8_t step = reader.take<std::uint8_t>();
    const NodeId node = step % kNodes;
    switch (step / kNodes % 4) {
      case 0: {  // a datagram comes
        PacketHead head;
        head.plane = static_cast<std::uint8_t>(kFuzzedPlane);
        head.sender = node;
        head.number = numbers[node] += reader.take<std::uint8_t>() % 4;
        ++numbers[node];
        const Input body = reader.take_bytes(reader.take<std::uint16_t>() % 1400);
        bytes.resize(kPacketHeadBytes + body.size());
        write_head(bytes.data(), head);
        write_size(bytes.data(), bytes.size());
        if (!body.empty()) std::memcpy(bytes.data() + kPacketHeadBytes, body.data(), body.size());
        point_into(exposed, bytes);
        socket.arrived = {address_of(node), bytes, bytes.size()};
        break;
      }
      case 1: {  // a message is sent
        auto& payload = client.sending[++cookie];
        payload.resize(reader.take<std::uint16_t>());
        const Piece piece{payload.data(), payload.size()};
        const std::byte header[5] = {};
        if (port.send(node, header, {&piece, 1}, cookie) == fabric::Post::kRetry)
          client.sending.erase(cookie);
        break;
      }
      case 2:  // time passes
        clock.now += std::uint64_t{reader.take<std::uint16_t>()} * 10'000;
        break;
      default:  // somebody is answered at last
        if (client.waiting.empty()) break;
        client.answer(client.waiting.back().id, client.waiting.back().bytes, reader.take<std::uint8_t>());
        client.waiting.pop_back();
    }
    port.service();
  }
}

}  // namespace aqueduct::fuzz
