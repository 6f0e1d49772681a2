// A fabric inside the test that keeps to its contract and to nothing else: what the contract leaves open is
// drawn from a seed. Headers of a pair of nodes stay in order; payloads land, and both sides are told, in any
// order; send() says kRetry now and then. Nothing moves but in step().
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "fabric/fabric.hpp"
#include "support/random.hpp"

namespace aqueduct::test {

class UnrulyFabric {
 public:
  struct Options {
    fabric::NodeId nodes = 2;
    std::uint64_t seed = 1;
    std::size_t inline_bytes = 0;
    unsigned retry_percent = 0;  ///< sends that find no room
    unsigned break_percent = 0;  ///< messages that do not arrive, or not whole
    bool in_order = true;        ///< everything happens in the order it became possible
  };

  explicit UnrulyFabric(Options options);
  ~UnrulyFabric();

  fabric::Port& port(fabric::NodeId node);
  /// One thing happens. False: nothing is left to happen.
  bool step();
  /// Until nothing is left.
  void run() {
    while (step()) {
    }
  }
  /// The node hears and says nothing any more. What it had accepted breaks off.
  void crash(fabric::NodeId node);
  /// It is told of what it missed about its own messages, so that it can end in peace.
  void revive(fabric::NodeId node);
  /// A header from nowhere in particular, with a payload of zeros.
  void forge(fabric::NodeId from, fabric::NodeId to, std::span<const std::byte> header,
             std::size_t payload_bytes);

  std::uint64_t messages() const { return messages_; }
  std::uint64_t unanswered() const { return unanswered_; }

 private:
  class UnrulyPort;
  struct Message;

  enum class Deed : std::uint8_t { kArrive, kLand, kTellLanded, kTellSent, kTellLost };
  struct Possible {
    Deed deed;
    std::shared_ptr<Message> message;
  };

  fabric::Post send(fabric::NodeId from, fabric::NodeId to, std::span<const std::byte> header,
                    std::span<const fabric::Piece> payload, std::uint64_t cookie);
  void answer(std::uint64_t id, std::span<const fabric::Piece> where, std::size_t keep_bytes,
              std::uint64_t cookie, bool accepted);
  bool may_happen(const Possible& possible) const;
  void happen(const Possible& possible);
  void offer(Deed deed, const std::shared_ptr<Message>& message) { possible_.push_back({deed, message}); }
  void finish_sending(const std::shared_ptr<Message>& message);

  Options options_;
  Random random_;
  std::vector<std::unique_ptr<UnrulyPort>> ports_;
  std::vector<bool> dead_;
  std::deque<Possible> possible_;
  std::vector<Possible> missed_;                   ///< by nodes that are dead
  std::vector<std::shared_ptr<Message>> arrived_;  ///< by id; null once answered
  std::vector<std::uint64_t> next_from_;           ///< [from * nodes + to]: the next number to arrive
  std::vector<std::uint64_t> next_number_;         ///< the next number to give
  std::uint64_t messages_ = 0;
  std::uint64_t unanswered_ = 0;
};

}  // namespace aqueduct::test
