#include "conduit/loopback/loopback.hpp"

#include <mutex>

#include "conduit/not_in_simulations.hpp"
#include "parts/parcels.hpp"

namespace aqueduct::conduit::loopback {
namespace {

constexpr Limits kLimits = {(std::size_t{8} << 10) + am::kEncapsulationBytes, std::size_t{1} << 20};

constexpr unsigned kQueueDepth = 32;

class Loopback final : public Conduit {
 public:
  explicit Loopback(Receiver& receiver) : receiver_(receiver) {}

  Limits limits() const override { return kLimits; }
  Post inject(RankId, const Message& request) override { return push(requests_, request); }
  Post reply(const Origin&, const Message& reply) override { return push(replies_, reply); }

  unsigned poll(Scope scope) override {
    unsigned delivered = drain(replies_);
    if (scope == Scope::kAll) delivered += drain(requests_);
    return delivered;
  }

 private:
  struct Queue {
    parts::ParcelQueue parcels;
    unsigned length = 0;
  };

  Post push(Queue& queue, const Message& message) {
    const std::lock_guard guard(mutex_);
    if (queue.length == kQueueDepth) return Post::kRetry;
    ++queue.length;
    parts::Parcel* const parcel = parcels_.take();
    parcel->hold(0, message);
    queue.parcels.push(parcel);
    return Post::kDone;
  }

  unsigned drain(Queue& queue) {
    unsigned delivered = 0;
    for (std::unique_lock guard(mutex_); delivered < kQueueDepth && queue.length != 0; ++delivered) {
      --queue.length;
      parts::Parcel* const parcel = queue.parcels.pop();
      guard.unlock();
      receiver_.deliver(parcel->message, Origin{});
      guard.lock();
      parcels_.give_back(parcel);
    }
    return delivered;
  }

  Receiver& receiver_;
  std::mutex mutex_;  // of what follows
  parts::ParcelPool parcels_;
  Queue requests_;
  Queue replies_;
};

std::unique_ptr<Conduit> open(const Opening& opening) { return std::make_unique<Loopback>(opening.receiver); }

}  // namespace

const Description kDescription = {
    .name = "loopback",
    .summary = "one rank that talks to itself; the proof of the contract",
    .uses_neighbourhood = false,
    .max_ranks = 1,
    .preference = 10,
    .why_not = not_in_simulations,
    .open = open,
    .limits = [] { return kLimits; },
    .survives_failures = true,
};

}  // namespace aqueduct::conduit::loopback
