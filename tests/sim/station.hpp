// A receiver for tests: keeps a diary of what its port reports, and lands what comes in memory of its own.
#pragma once
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "models.hpp"

namespace aqueduct::sim {

class Station final : public fabric::PortClient {
 public:
  Station(Simulation& simulation, fabric::NodeId node)
      : engine_(simulation.engine()), port_(simulation.port(node)) {
    port_.set_client(*this);
  }

  struct Arrived {
    Time when;
    fabric::NodeId source;
    std::string header;
    std::size_t bytes;
    bool came_along;
  };
  struct Done {
    Time when;
    std::uint64_t cookie;
    bool ok = true;
  };

  std::vector<Arrived> arrivals;
  std::vector<Done> landings;
  std::vector<Done> sends;
  std::vector<Done> failures;
  std::vector<Done> losses;              // by node
  std::deque<std::string> landed_bytes;  // by cookie
  std::size_t keep_at_most = ~std::size_t{0};
  bool discards = false;
  bool awaits = true;      // what is sent
  Time accepts_after = 0;  // or discards

  fabric::Post send(fabric::NodeId to, std::string header, const std::string& payload,
                    std::uint64_t cookie = 0) {
    fabric::Piece piece{const_cast<char*>(payload.data()), payload.size()};
    return port_.send(to, std::as_bytes(std::span(header)), {&piece, payload.empty() ? 0u : 1u}, cookie);
  }

  void arrived(const fabric::Arrival& arrival) override {
    arrivals.push_back({engine_.now(),
                        arrival.source,
                        {reinterpret_cast<const char*>(arrival.header.data()), arrival.header.size()},
                        arrival.payload_bytes,
                        arrival.inline_payload != nullptr});
    const std::uint64_t id = arrival.id;
    if (discards) {
      if (accepts_after == 0) {
        port_.discard(id);
      } else {
        engine_.after(accepts_after, {}, [this, id] { port_.discard(id); });
      }
      return;
    }
    landed_bytes.emplace_back(std::min(arrival.payload_bytes, keep_at_most), '?');
    const std::uint64_t cookie = landed_bytes.size() - 1;
    if (accepts_after == 0) {
      accept(id, cookie);
    } else {
      engine_.after(accepts_after, {}, [this, id, cookie] { accept(id, cookie); });
    }
  }
  void landed(std::uint64_t cookie, fabric::Outcome outcome) override {
    landings.push_back({engine_.now(), cookie, outcome == fabric::Outcome::kOk});
  }
  void sent(std::uint64_t cookie) override { sends.push_back({engine_.now(), cookie}); }
  bool awaits_sent(std::uint64_t) override { return awaits; }
  void undeliverable(std::uint64_t cookie, fabric::NodeId, std::span<const std::byte>) override {
    failures.push_back({engine_.now(), cookie, false});
  }
  void lost(fabric::NodeId node) override { losses.push_back({engine_.now(), node, false}); }

 private:
  void accept(std::uint64_t id, std::uint64_t cookie) {
    std::string& room = landed_bytes[cookie];
    const fabric::Piece piece{room.data(), room.size()};
    port_.accept(id, {&piece, 1}, room.size(), cookie);
  }

  Engine& engine_;
  fabric::Port& port_;
};

/// Bytes that tell where they belong.
inline std::string pattern(std::size_t bytes, std::uint64_t seed = 1) {
  std::string text(bytes, 0);
  Random random(seed);
  for (char& c : text) c = static_cast<char>(random.next());
  return text;
}

}  // namespace aqueduct::sim
