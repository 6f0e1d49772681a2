// A network of datagrams in virtual time, which loses, doubles, delays, damages and turns away what a seed
// says. The twin of the operating system's (fabric/udp/datagram_socket.hpp).
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <vector>

#include "base/clock.hpp"
#include "fabric/udp/datagram_socket.hpp"
#include "fabric/udp/packet.hpp"
#include "fabric/udp/seal.hpp"

namespace aqueduct::fabric::udp::test {

class VirtualClock final : public Clock {
 public:
  std::uint64_t now_ns() noexcept override {
    if (passes && !is_passing_) {
      is_passing_ = true;
      passes();
      is_passing_ = false;
    }
    return now;
  }
  std::uint64_t now = 1'000'000'000;
  /// What happens whenever somebody asks for the time; for calls that wait.
  std::function<void()> passes;

 private:
  bool is_passing_ = false;
};

/// What goes wrong. Rates are in millionths.
struct Faults {
  std::uint32_t loss = 0;
  std::uint32_t duplication = 0;
  std::uint32_t corruption = 0;
  std::uint32_t replay = 0;   ///< a datagram comes again much later
  std::uint32_t stray = 0;    ///< somebody else's datagram comes as well
  std::uint32_t no_room = 0;  ///< a socket takes nothing now
  std::uint64_t latency_ns = 10'000;
  std::uint64_t jitter_ns = 0;  ///< more than what is between two datagrams: they change places
  double bytes_per_ns = 5;
  std::size_t largest_datagram = 65507;
  std::size_t receive_room = std::size_t{1} << 20;
  bool hides_sizes = false;   ///< sockets do not know where a datagram ends
  bool every_second = false;  ///< of each way is lost
};

class SimulatedNetwork;

class SimulatedSocket final : public DatagramSocket {
 public:
  SimulatedSocket(SimulatedNetwork& network, unsigned node) : network_(network), node_(node) {}
  net::Address address() const override;
  std::size_t largest_datagram(const net::Address& peer) override;
  std::size_t send(std::span<const Burst> bursts, unsigned lane) override;
  /// What it showed before is overwritten. Datagrams of one size from one node come together.
  std::span<const Arrived> receive() override;
  bool exchange_received(std::size_t index, BufferPool::Buffer& buffer) override;
  std::size_t receive_room() const override;
  int wake_fd() const override { return -1; }

 private:
  SimulatedNetwork& network_;
  unsigned node_;
  struct Shown {
    BufferPool::Buffer memory;
    std::size_t bytes = 0;
    std::size_t datagram_bytes = 0;
  };
  std::vector<Shown> shown_;
  std::uint64_t receives_ = 0;
  std::vector<Arrived> arrived_;
};

class SimulatedNetwork {
 public:
  SimulatedNetwork(VirtualClock& clock, unsigned nodes, const Faults& faults, std::uint64_t seed)
      : clock_(clock), faults_(faults), random_(seed), nodes_(nodes), links_(nodes * nodes) {}

  Faults& faults() { return faults_; }
  static net::Address address_of(unsigned node);

  /// Nothing goes from `from` to `to` until then.
  void cut(unsigned from, unsigned to, std::uint64_t until_ns) { link(from, to).cut_until_ns = until_ns; }
  /// What is larger disappears on this way; `says_so`: senders are told.
  void narrow(unsigned from, unsigned to, std::size_t largest, bool says_so) {
    link(from, to).largest = largest;
    link(from, to).says_so = says_so;
  }

  /// Somebody sends this to `to` and says that it is `from`.
  void forge(unsigned from, unsigned to, std::vector<std::byte> bytes) {
    launch(clock_.now + 1, from, to, std::make_shared<std::vector<std::byte>>(std::move(bytes)));
  }
  /// Sees all that is sent, also what is lost; may be empty.
  std::function<void(unsigned from, unsigned to, const std::vector<std::byte>&)> overhears;

  /// When the next datagram comes somewhere; ~0 if none is on its way.
  std::uint64_t next_ns() const {
    return on_their_way_.empty() ? ~std::uint64_t{0} : on_their_way_.top().at_ns;
  }
  /// Puts everything that is due by now into the sockets.
  void deliver();
  bool has_something_for(unsigned node) const { return !nodes_[node].inbox.empty(); }

  std::uint64_t carried() const { return carried_; }
  std::uint64_t carried_bytes() const { return carried_bytes_; }

 private:
  friend class SimulatedSocket;
  struct Flight {
    std::uint64_t at_ns;
    std::uint64_t order;
    unsigned from, to;
    std::shared_ptr<std::vector<std::byte>> bytes;
    bool operator<(const Flight& other) const {
      return at_ns != other.at_ns ? at_ns > other.at_ns : order > other.order;
    }
  };
  struct Way {
    std::uint64_t cut_until_ns = 0;
    std::uint64_t busy_until_ns = 0;
    std::uint64_t carried = 0;
    std::size_t largest = ~std::size_t{0};
    bool says_so = true;
  };
  struct Place {
    std::deque<std::pair<unsigned, std::shared_ptr<std::vector<std::byte>>>> inbox;
    std::size_t inbox_bytes = 0;
  };

  Way& link(unsigned from, unsigned to) { return links_[from * nodes_.size() + to]; }
  bool draw(std::uint32_t millionths) { return millionths != 0 && random_() % 1'000'000 < millionths; }
  void carry(unsigned from, unsigned to, std::vector<std::byte> bytes);
  void launch(std::uint64_t at_ns, unsigned from, unsigned to, std::shared_ptr<std::vector<std::byte>> bytes);

  VirtualClock& clock_;
  Faults faults_;
  std::mt19937_64 random_;
  std::vector<Place> nodes_;
  std::vector<Way> links_;
  std::priority_queue<Flight> on_their_way_;
  std::uint64_t order_ = 0;
  std::uint64_t carried_ = 0;
  std::uint64_t carried_bytes_ = 0;
};

/// A seal that notices damage. No secret: what it stands for is tested by itself (seal_test).
class TestSeal final : public Seal {
 public:
  explicit TestSeal(bool takes_parts = false) : takes_parts_(takes_parts) {}

  std::size_t tag_bytes() const override { return kTagBytes; }
  bool takes_parts() const override { return takes_parts_; }
  void seal(const PacketName& name, std::span<std::byte> datagram, std::size_t head_bytes) const override;
  void seal_parts(const PacketName& name, std::span<const iovec> parts,
                  std::span<std::byte, kTagBytes> tag) const override;
  bool open(const PacketName& name, std::span<std::byte> datagram, std::size_t head_bytes) const override;

 private:
  bool takes_parts_;
};

}  // namespace aqueduct::fabric::udp::test
