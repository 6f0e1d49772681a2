#include "portals3/unruly_fabric.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "fabric/pieces.hpp"

namespace aqueduct::test {

using namespace fabric;

struct UnrulyFabric::Message {
  NodeId from = 0, to = 0;
  std::uint64_t number = 0;
  std::vector<std::byte> header;
  std::vector<Piece> source;
  std::vector<std::byte> copy;  ///< of a payload that travels with its header
  std::size_t bytes = 0;
  std::uint64_t cookie = 0;
  bool forged = false;
  bool breaks_early = false, breaks_late = false;
  bool told_sent = false;
  // At the target.
  std::vector<Piece> where;
  std::size_t keep_bytes = 0;
  std::uint64_t deposit_cookie = 0;
  Outcome outcome = Outcome::kOk;

  bool travels_inline(std::size_t limit) const { return forged || bytes <= limit; }
};

class UnrulyFabric::UnrulyPort : public Port {
 public:
  UnrulyPort(UnrulyFabric& fabric, NodeId node) : fabric_(fabric), node_(node) {}
  Traits traits() const override {
    return {.nodes = fabric_.options_.nodes, .ordered = true, .inline_bytes = fabric_.options_.inline_bytes};
  }
  NodeId self() const override { return node_; }
  unsigned distance(NodeId node) const override { return node > node_ ? node - node_ : node_ - node; }
  void set_client(PortClient& client) override { client_ = &client; }
  Post send(NodeId target, std::span<const std::byte> header, std::span<const Piece> payload,
            std::uint64_t cookie) override {
    return fabric_.send(node_, target, header, payload, cookie);
  }
  void accept(std::uint64_t arrival, std::span<const Piece> where, std::size_t keep_bytes,
              std::uint64_t cookie) override {
    fabric_.answer(arrival, where, keep_bytes, cookie, true);
  }
  void discard(std::uint64_t arrival) override { fabric_.answer(arrival, {}, 0, 0, false); }
  unsigned progress() override { return 0; }

  PortClient* client_ = nullptr;

 private:
  UnrulyFabric& fabric_;
  NodeId node_;
};

UnrulyFabric::UnrulyFabric(Options options)
    : options_(options),
      random_(key_of(options.seed, 0xfab)),
      dead_(options.nodes),
      next_from_(options.nodes * options.nodes),
      next_number_(options.nodes * options.nodes) {
  for (NodeId node = 0; node < options.nodes; ++node) {
    ports_.push_back(std::make_unique<UnrulyPort>(*this, node));
  }
}

UnrulyFabric::~UnrulyFabric() = default;

Port& UnrulyFabric::port(NodeId node) { return *ports_[node]; }

Post UnrulyFabric::send(NodeId from, NodeId to, std::span<const std::byte> header,
                        std::span<const Piece> payload, std::uint64_t cookie) {
  if (to >= options_.nodes || header.size() > kMaxHeader) std::abort();
  if (random_() % 100 < options_.retry_percent) return Post::kRetry;
  auto message = std::make_shared<Message>();
  message->from = from;
  message->to = to;
  message->number = next_number_[from * options_.nodes + to]++;
  message->header.assign(header.begin(), header.end());
  message->source.assign(payload.begin(), payload.end());
  message->bytes = total_bytes(payload);
  message->cookie = cookie;
  if (random_() % 100 < options_.break_percent) {
    (random_() % 2 == 0 ? message->breaks_early : message->breaks_late) = true;
  }
  if (message->travels_inline(options_.inline_bytes)) {
    message->copy.resize(message->bytes);
    PieceWalk{payload}.gather(message->copy.data(), message->bytes);
  }
  ++messages_;
  offer(Deed::kArrive, message);
  return Post::kDone;
}

void UnrulyFabric::forge(NodeId from, NodeId to, std::span<const std::byte> header,
                         std::size_t payload_bytes) {
  auto message = std::make_shared<Message>();
  message->from = from;
  message->to = to;
  message->number = next_number_[from * options_.nodes + to]++;
  message->header.assign(header.begin(), header.end());
  message->bytes = payload_bytes;
  message->copy.resize(payload_bytes);
  message->forged = true;
  message->told_sent = true;
  offer(Deed::kArrive, message);
}

bool UnrulyFabric::may_happen(const Possible& possible) const {
  if (possible.deed != Deed::kArrive) return true;
  const Message& message = *possible.message;
  return next_from_[message.from * options_.nodes + message.to] == message.number;
}

bool UnrulyFabric::step() {
  std::size_t candidates = 0;
  for (const Possible& possible : possible_) candidates += may_happen(possible);
  if (candidates == 0) return false;
  std::size_t chosen = options_.in_order ? 0 : random_() % candidates;
  for (auto at = possible_.begin();; ++at) {
    if (!may_happen(*at)) continue;
    if (chosen-- != 0) continue;
    const Possible deed = *at;
    possible_.erase(at);
    happen(deed);
    return true;
  }
}

void UnrulyFabric::finish_sending(const std::shared_ptr<Message>& message) {
  if (!message->told_sent) offer(Deed::kTellSent, message);
  message->told_sent = true;
}

void UnrulyFabric::happen(const Possible& possible) {
  const std::shared_ptr<Message>& message = possible.message;
  PortClient* target = ports_[message->to]->client_;
  PortClient* sender = ports_[message->from]->client_;
  switch (possible.deed) {
    case Deed::kArrive: {
      ++next_from_[message->from * options_.nodes + message->to];
      if (dead_[message->from] && !message->forged) {
        finish_sending(message);
        return;
      }
      if (message->breaks_early || dead_[message->to]) {
        finish_sending(message);
        if (!message->forged) offer(Deed::kTellLost, message);
        return;
      }
      arrived_.push_back(message);
      ++unanswered_;
      Arrival arrival{message->from, message->header, message->bytes, nullptr, arrived_.size() - 1};
      const bool along = message->travels_inline(options_.inline_bytes) && !message->breaks_late;
      if (along) arrival.inline_payload = message->copy.data();
      target->arrived(arrival);
      return;
    }
    case Deed::kLand: {
      if (dead_[message->to]) {
        message->outcome = Outcome::kFailed;
        offer(Deed::kTellLanded, message);
        offer(Deed::kTellLost, message);
        finish_sending(message);
        return;
      }
      if (message->breaks_late || dead_[message->from]) {
        message->outcome = Outcome::kFailed;
        if (message->breaks_late && !message->forged) offer(Deed::kTellLost, message);
      } else {
        std::vector<std::byte> bytes = message->copy;
        if (!message->travels_inline(options_.inline_bytes)) {
          bytes.resize(message->bytes);
          PieceWalk{message->source}.gather(bytes.data(), bytes.size());
        }
        PieceWalk{message->where}.scatter(bytes.data(), message->keep_bytes);
      }
      offer(Deed::kTellLanded, message);
      finish_sending(message);
      return;
    }
    case Deed::kTellLanded:
      if (dead_[message->to]) {
        missed_.push_back(possible);
      } else {
        target->landed(message->deposit_cookie, message->outcome);
      }
      return;
    case Deed::kTellSent:
      if (dead_[message->from]) {
        missed_.push_back(possible);
      } else {
        sender->sent(message->cookie);
      }
      return;
    case Deed::kTellLost:
      if (!message->told_sent) {
        finish_sending(message);
        offer(Deed::kTellLost, message);
        return;
      }
      // After sent(), which is somewhere in the queue before us or done.
      for (const Possible& other : possible_) {
        if (other.message != message || other.deed != Deed::kTellSent) continue;
        offer(Deed::kTellLost, message);
        return;
      }
      if (!dead_[message->from]) sender->undeliverable(message->cookie, message->to, message->header);
      return;
  }
}

void UnrulyFabric::answer(std::uint64_t id, std::span<const Piece> where, std::size_t keep_bytes,
                          std::uint64_t cookie, bool accepted) {
  if (id >= arrived_.size() || arrived_[id] == nullptr) {
    std::fprintf(stderr, "an arrival was answered twice\n");
    std::abort();
  }
  const std::shared_ptr<Message> message = std::exchange(arrived_[id], nullptr);
  --unanswered_;
  if (!accepted) {
    finish_sending(message);
    return;
  }
  if (keep_bytes > message->bytes || keep_bytes > total_bytes(where)) std::abort();
  message->where.assign(where.begin(), where.end());
  message->keep_bytes = keep_bytes;
  message->deposit_cookie = cookie;
  offer(Deed::kLand, message);
}

void UnrulyFabric::crash(NodeId node) { dead_[node] = true; }

void UnrulyFabric::revive(NodeId node) {
  dead_[node] = false;
  for (const Possible& missed : std::exchange(missed_, {})) possible_.push_back(missed);
}

}  // namespace aqueduct::test
