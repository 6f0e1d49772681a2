// Scenarios without ranks: the bare fabric, and the bare engine.
#include <cstring>
#include <memory>
#include <vector>

#include "base/fatal.hpp"
#include "scenarios.hpp"
#include "sim/network.hpp"

namespace aqueduct::scenarios {
namespace {

using namespace fabric;
using namespace sim;

// The contents of a header, which determine every byte of the payload.
struct Label {
  std::uint64_t key;
  std::uint32_t number;
  std::uint32_t bytes;
};

class Correspondent final : public PortClient {
 public:
  Correspondent(Simulation& simulation, NodeId self, unsigned letters, std::size_t most_bytes)
      : simulation_(simulation),
        self_(self),
        random_(simulation.engine().random(200, self)),
        letters_(letters),
        most_bytes_(most_bytes) {
    port().set_client(*this);
    plan_next();
  }

  void arrived(const Arrival& arrival) override {
    Label label;
    if (arrival.header.size() != sizeof label)
      fatal("packets", "a header of %zu bytes", arrival.header.size());
    std::memcpy(&label, arrival.header.data(), sizeof label);
    if (label.bytes != arrival.payload_bytes) fatal("packets", "a payload of the wrong size");
    ++received;
    std::unique_ptr<Landing> landing = std::make_unique<Landing>(label, std::vector<std::byte>(label.bytes));
    const Piece piece{landing->room.data(), landing->room.size()};
    port().accept(arrival.id, {&piece, 1}, label.bytes, reinterpret_cast<std::uint64_t>(landing.release()));
  }

  void landed(std::uint64_t cookie, Outcome outcome) override {
    const std::unique_ptr<Landing> landing(reinterpret_cast<Landing*>(cookie));
    if (outcome != Outcome::kOk) {
      ++broken;
      return;
    }
    Random bytes(landing->label.key);
    for (const std::byte byte : landing->room) {
      if (byte != static_cast<std::byte>(bytes.next())) fatal("packets", "a payload has changed on its way");
    }
  }

  void sent(std::uint64_t cookie) override {
    std::unique_ptr<std::vector<std::byte>> letter(reinterpret_cast<std::vector<std::byte>*>(cookie));
    // The memory belongs to the sender again, so it is overwritten.
    std::fill(letter->begin(), letter->end(), std::byte{0xee});
  }

  void undeliverable(std::uint64_t, NodeId, std::span<const std::byte>) override { ++lost; }

  std::uint64_t written = 0, received = 0, broken = 0, lost = 0;

 private:
  struct Landing {
    Label label;
    std::vector<std::byte> room;
    Landing(const Label& its_label, std::vector<std::byte> memory)
        : label(its_label), room(std::move(memory)) {}
  };

  Port& port() { return simulation_.port(self_); }

  void plan_next() {
    if (written == letters_) return;
    simulation_.engine().after(random_.below(2 * kMicrosecond), {kFirstInterfaceKind, self_},
                               [this] { write(); });
  }

  void write() {
    const NodeId to = static_cast<NodeId>(random_.below(simulation_.ports()));
    const Label label{random_.next(), static_cast<std::uint32_t>(written),
                      static_cast<std::uint32_t>(random_.below(random_.below(4) == 0 ? most_bytes_ : 64))};
    auto letter = std::make_unique<std::vector<std::byte>>(label.bytes);
    Random bytes(label.key);
    for (std::byte& byte : *letter) byte = static_cast<std::byte>(bytes.next());
    const Piece piece{letter->data(), letter->size()};
    if (port().send(to, std::as_bytes(std::span(&label, 1)), {&piece, 1},
                    reinterpret_cast<std::uint64_t>(letter.get())) == Post::kDone) {
      (void)letter.release();
      ++written;
    }
    plan_next();
  }

  Simulation& simulation_;
  NodeId self_;
  Random random_;
  unsigned letters_;
  std::size_t most_bytes_;
};

// A chain of events, each of which posts the next.
struct Chain {
  Engine* engine;
  Random random;
  std::uint64_t left;
  std::uint32_t node;

  void step() {
    if (left-- == 0) return;
    engine->after(1 + random.below(100 * kNanosecond), {kFirstInterfaceKind + 1, node}, [this] { step(); });
  }
};

}  // namespace

std::function<void()> packets(Simulation& simulation, const Parameters& parameters) {
  auto all = std::make_shared<std::vector<std::unique_ptr<Correspondent>>>();
  for (NodeId port = 0; port < simulation.ports(); ++port) {
    all->push_back(std::make_unique<Correspondent>(simulation, port, parameters.rounds_or(50),
                                                   parameters.bytes_or(20000)));
  }
  const bool nodes_fail = !simulation.setup().faults.crashes.empty();
  return [all, nodes_fail] {
    std::uint64_t written = 0, received = 0, lost = 0;
    for (const auto& one : *all) {
      written += one->written;
      received += one->received;
      lost += one->lost;
    }
    // A message whose header came but not its payload counts on both sides.
    if (!nodes_fail && (received > written || received + lost < written)) {
      fatal("packets", "%llu messages were sent, %llu received, %llu given up",
            static_cast<unsigned long long>(written), static_cast<unsigned long long>(received),
            static_cast<unsigned long long>(lost));
    }
  };
}

std::function<void()> events(Simulation& simulation, const Parameters& parameters) {
  auto chains = std::make_shared<std::vector<Chain>>();
  for (NodeId node = 0; node < simulation.ports(); ++node) {
    const std::uint64_t steps = parameters.rounds_or(4'000'000 / simulation.ports() + 1);
    chains->push_back({&simulation.engine(), simulation.engine().random(300, node), steps, node});
  }
  for (Chain& chain : *chains) chain.step();
  return [chains] {};
}

}  // namespace aqueduct::scenarios
