#include "conduit/loopback/loopback.hpp"

#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "world/world.hpp"

namespace aqueduct::conduit::loopback {
namespace {

constexpr Limits kLimits = {(std::size_t{8} << 10) + am::kEncapsulationBytes, std::size_t{1} << 20};

constexpr std::size_t kQueueDepth = 32;

// A message that owns what it carries.
struct Parcel {
  Message message;
  std::vector<std::int32_t> args;
  std::vector<std::byte> payload;
};

class Queue {
 public:
  Post push(const Message& message) {
    const std::lock_guard guard(mutex_);
    if (parcels_.size() == kQueueDepth) return Post::kRetry;
    // Only medium payloads travel in the parcel: a long one is put in place before its message can be seen.
    if (message.category == Category::kLong && message.payload_bytes != 0) {
      std::memmove(message.destination, message.payload, message.payload_bytes);
    }
    Parcel& parcel = parcels_.emplace_back();
    parcel.message = message;
    parcel.args.assign(message.args, message.args + message.nargs);
    if (message.category == Category::kMedium) {
      const auto* bytes = static_cast<const std::byte*>(message.payload);
      parcel.payload.assign(bytes, bytes + message.payload_bytes);
    }
    return Post::kDone;
  }

  bool pop(Parcel* parcel) {
    const std::lock_guard guard(mutex_);
    if (parcels_.empty()) return false;
    *parcel = std::move(parcels_.front());
    parcels_.pop_front();
    parcel->message.args = parcel->args.data();
    const bool in_place = parcel->message.category == Category::kLong;
    parcel->message.payload = in_place ? parcel->message.destination : parcel->payload.data();
    return true;
  }

 private:
  std::mutex mutex_;
  std::deque<Parcel> parcels_;
};

class Loopback final : public Conduit {
 public:
  explicit Loopback(Receiver& receiver) : receiver_(receiver) {}

  Limits limits() const override { return kLimits; }
  Post inject(RankId, const Message& request) override { return requests_.push(request); }
  Post reply(const Origin&, const Message& reply) override { return replies_.push(reply); }

  unsigned poll(Scope scope) override {
    unsigned delivered = drain(replies_);
    if (scope == Scope::kAll) delivered += drain(requests_);
    return delivered;
  }

 private:
  unsigned drain(Queue& queue) {
    Parcel parcel;
    unsigned delivered = 0;
    while (delivered < kQueueDepth && queue.pop(&parcel)) {
      receiver_.deliver(parcel.message, Origin{});
      ++delivered;
    }
    return delivered;
  }

  Receiver& receiver_;
  Queue requests_;
  Queue replies_;
};

const char* why_not(const job::Membership&) {
  return world::is_simulated() ? "it does not reach the nodes of a simulation" : nullptr;
}

std::unique_ptr<Conduit> open(const Opening& opening) { return std::make_unique<Loopback>(opening.receiver); }

}  // namespace

const Description kDescription = {
    .name = "loopback",
    .summary = "one rank that talks to itself; the proof of the contract",
    .uses_neighbourhood = false,
    .max_ranks = 1,
    .preference = 10,
    .why_not = why_not,
    .open = open,
    .limits = [] { return kLimits; },
};

}  // namespace aqueduct::conduit::loopback
