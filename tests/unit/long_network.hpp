// A network for tests of the Long protocols that does whatever its contract (parts/long/long_protocol.hpp)
// allows, from a seed.
//
// Everything that was begun and is not over is one of a set of steps, of which a random one is taken next. A
// put goes in pieces; each is read out of the source's memory and later written, possibly first as garbage
// and then again, and the last time counts. Reports, notices, envelopes and gets take as long as they like.
// Only a network that is ordered lets an envelope wait for the puts before it. Every begin may be told to try
// again.
#pragma once
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "parts/long/choice.hpp"

namespace aqueduct::parts::test {

class LongNode;

class LongWorld {
 public:
  LongWorld(LongProtocolKind kind, unsigned nodes, std::uint32_t seed);
  ~LongWorld();

  struct Step {
    std::function<void()> run;
    std::function<bool()> may;  ///< null: at any time
  };
  void add(Step step) { steps_.push_back(std::move(step)); }
  /// Takes one of the steps that may be taken; false if there is none.
  bool advance();
  /// True once in `n` times.
  bool chance(unsigned n) { return random_() % n == 0; }
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  LongNode& node(RankId rank) { return *nodes_[rank]; }
  unsigned size() const { return static_cast<unsigned>(nodes_.size()); }
  bool is_ordered() const { return ordered_; }

  // What a network that keeps order must know: the puts from one node to another that are not there yet.
  std::set<unsigned>& unwritten(RankId from, RankId to) { return unwritten_[from * size() + to]; }
  unsigned next_put = 0;

 private:
  std::minstd_rand random_;
  bool ordered_;
  std::vector<std::unique_ptr<LongNode>> nodes_;
  std::vector<std::set<unsigned>> unwritten_;
  std::vector<Step> steps_;
};

/// A message as the test's client knows it; its LongSend is that of the network.
struct Outgoing : LongSend {
  unsigned id = 0;
  bool is_over = false;  ///< finished()
};
struct Incoming : LongArrival {
  unsigned id = 0;
  const LongSend* from = nullptr;  ///< of a rendezvous
};

class LongNode final : public LongNetwork {
 public:
  LongNode(LongWorld& world, RankId self, LongProtocolKind kind);

  LongAbilities long_abilities() const override;
  PayloadPut put_payload(LongSend& send, PutReport report) override;
  am::Post expose_payload(LongSend& send) override;
  am::Post send_envelope(LongSend& send) override;
  void serve() override;
  void finished(LongSend& send) override;
  am::Post get_payload(LongArrival& arrival) override;
  void tell_source(LongArrival& arrival) override;

  LongProtocol& protocol() { return *protocol_; }
  /// What is to be delivered.
  std::vector<Incoming*> ready;

 private:
  struct Put {
    unsigned number = 0;
    RankId target = 0;
    bool is_reply = false;
    std::uint64_t nonce = 0;
    PutReport report = PutReport::kLeft;
    unsigned unread = 0;  // pieces
    unsigned unwritten = 0;
    LongSend* send = nullptr;  // until the last report
    bool tells_of_landing = false;
    bool tells_of_leaving = false;
    bool has_left = false;
  };
  void read_piece(const std::shared_ptr<Put>& put, const std::byte* from, std::byte* to, std::size_t bytes);
  void piece_is_written(const std::shared_ptr<Put>& put);
  void deliver(LongArrival* complete) {
    if (complete) ready.push_back(static_cast<Incoming*>(complete));
  }

  LongWorld& world_;
  RankId self_;
  LongProtocolKind kind_;
  std::vector<std::unique_ptr<Incoming>> arrivals_;
  std::unique_ptr<LongProtocol> protocol_;
};

}  // namespace aqueduct::parts::test
