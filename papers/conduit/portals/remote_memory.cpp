#include "papers/conduit/portals/remote_memory.hpp"

#include <algorithm>

#include "base/fatal.hpp"

namespace aqueduct::conduit::portals {
namespace {

const char* operation_of(Access access) { return access == Access::kWrite ? "put" : "get"; }

}  // namespace

/// The memory borrowed from one peer for one kind of access. The peer registers it, on request.
class RemoteMemory::Cache final : private parts::Firehose::Client {
 public:
  Cache(RemoteMemory& owner, RankId target, Access access, const parts::Firehose::Settings& settings)
      : owner_(owner), target_(target), access_(access), firehose_(*this, settings) {}

  parts::Firehose& firehose() { return firehose_; }

 private:
  parts::Firehose::Moved move(std::span<parts::Firehose::Region> unpin,
                              parts::Firehose::Region& pin) override {
    std::vector<Order> orders = take_back(unpin);
    // The message that asks for the new loan also returns the last of the old ones.
    std::uint32_t with = loan::kNone;
    if (!orders.empty()) {
      with = orders.back().bits.argument;
      orders.pop_back();
    }
    const Control which = access_ == Access::kWrite ? Control::kLendForPut : Control::kLendForGet;
    orders.push_back({{which, with}, LoanRange{pin.base(), pin.bytes()}.encode(), &firehose_, &pin});
    owner_.enqueue(target_, orders);
    return parts::Firehose::Moved::kPending;
  }

  void unpin(std::span<parts::Firehose::Region> regions) override {
    std::vector<Order> orders = take_back(regions);
    owner_.enqueue(target_, orders);
  }

  static std::vector<Order> take_back(std::span<parts::Firehose::Region> regions) {
    std::vector<Order> orders;
    for (const parts::Firehose::Region& region : regions) {
      orders.push_back(
          {{Control::kTakeBack, static_cast<std::uint32_t>(region.handle)}, 0, nullptr, nullptr});
    }
    return orders;
  }

  RemoteMemory& owner_;
  RankId target_;
  Access access_;
  parts::Firehose firehose_;
};

struct RemoteMemory::Lender {
  Lender(RemoteMemory& owner, RankId rank, const parts::Firehose::Settings& settings)
      : for_get(owner, rank, Access::kRead, settings), for_put(owner, rank, Access::kWrite, settings) {}

  SpinLock lock;
  bool is_asked = false;  // `current` was sent and is not answered yet
  Order current;
  std::deque<Order> waiting;
  Cache for_get, for_put;
};

RemoteMemory::RemoteMemory(ControlLine& line, const job::Membership& membership,
                           const PortalsSettings& settings)
    : line_(line), peers_(membership.size) {
  line.set_handler(Control::kAnswer, *this);
  const unsigned share = settings.remote_regions / std::max(1u, 2 * (membership.size - 1));
  cache_settings_.page_bytes = kPage;
  cache_settings_.max_region_bytes = std::min(settings.firehose_region_bytes, LoanRange::kMostBytes);
  cache_settings_.max_regions = std::max(1u, share);
  cache_settings_.grows = false;
}

// The interface closes soon and ends the loans.
RemoteMemory::~RemoteMemory() {
  closing_ = true;
  for (std::atomic<Lender*>& peer : peers_) delete peer.load();
}

RemoteMemory::Lender& RemoteMemory::peer(RankId rank) {
  if (Lender* known = peers_[rank].load(std::memory_order_acquire)) return *known;
  const std::lock_guard guard(making_);
  if (Lender* known = peers_[rank].load(std::memory_order_relaxed)) return *known;
  auto made = std::make_unique<Lender>(*this, rank, cache_settings_);
  peers_[rank].store(made.get(), std::memory_order_release);
  return *made.release();
}

bool RemoteMemory::borrow(RankId target, Access access, std::uintptr_t address, std::size_t bytes, Pin* pin) {
  using State = Pin::State;
  const std::atomic_ref state(pin->state);
  if (const State now = state.load(std::memory_order_acquire); now != State::kNone)
    return now == State::kBorrowed;
  Lender& owner = peer(target);
  *pin = {State::kPending, access, target, address, 0, nullptr, {}};
  pin->cache = &(access == Access::kWrite ? owner.for_put : owner.for_get).firehose();
  pin->request.ready = borrowed;
  pin->request.context = pin;
  switch (pin->cache->pin_some(address, bytes, &pin->request, &pin->bytes)) {
    case parts::Firehose::Pin::kPinned:
      state.store(State::kBorrowed, std::memory_order_relaxed);
      return true;
    case parts::Firehose::Pin::kPending:  // borrowed() may have been called already
      return state.load(std::memory_order_acquire) == State::kBorrowed;
    case parts::Firehose::Pin::kBusy:
    case parts::Firehose::Pin::kFailed:  // only a cache that registers locally can fail at once
      break;
  }
  state.store(State::kNone, std::memory_order_relaxed);
  return false;
}

void RemoteMemory::borrowed(parts::Firehose::Request& request, bool pinned) {
  auto& pin = *static_cast<Pin*>(request.context);
  if (!pinned) {
    const char* const operation = operation_of(pin.access);
    fatal(kName, "a %s names memory of rank %u at %p that is not mapped there, or not for a %s", operation,
          pin.target, reinterpret_cast<void*>(pin.address), operation);
  }
  std::atomic_ref(pin.state).store(Pin::State::kBorrowed, std::memory_order_release);
}

RemoteMemory::Borrowed RemoteMemory::take(Pin* pin) {
  const Borrowed taken{pin->cache, pin->request.region};
  pin->state = Pin::State::kNone;
  return taken;
}

void RemoteMemory::release(const Borrowed& taken) {
  parts::Firehose::Request request;
  request.region = taken.region;
  taken.cache->release(&request);
}

bool RemoteMemory::is_asked(RankId owner) const {
  Lender* const known = peers_[owner].load(std::memory_order_acquire);
  if (!known) return false;
  const std::lock_guard guard(known->lock);
  return known->is_asked;
}

void RemoteMemory::list_unanswered(parts::ProbeList& peers) const {
  for (RankId rank = 0; rank < peers_.size() && !peers.is_full(); ++rank) {
    if (is_asked(rank)) peers.add(rank);
  }
}

void RemoteMemory::enqueue(RankId target, std::vector<Order>& orders) {
  if (closing_ || orders.empty()) return;
  Lender& to = peer(target);
  Order first;
  {
    const std::lock_guard guard(to.lock);
    to.waiting.insert(to.waiting.end(), orders.begin(), orders.end());
    if (to.is_asked) return;
    to.is_asked = true;
    first = to.current = to.waiting.front();
    to.waiting.pop_front();
  }
  line_.send(target, first.bits, first.pages);
}

void RemoteMemory::told(RankId owner, const ControlBits& bits, ptl_hdr_data_t) {
  const std::uint32_t answer = bits.argument;
  Lender& from = peer(owner);
  Order done, next;
  bool goes_on;
  {
    const std::lock_guard guard(from.lock);
    if (!from.is_asked) {
      warn(kName, "an answer from rank %u to no question of ours was dropped", owner);
      return;
    }
    done = from.current;
    goes_on = from.is_asked = !from.waiting.empty();
    if (goes_on) {
      next = from.current = from.waiting.front();
      from.waiting.pop_front();
    }
  }
  if (goes_on) line_.send(owner, next.bits, next.pages);
  if (!done.region) return;
  if (answer == loan::kNoRoom) {
    fatal(kName, "rank %u has no more room for lent memory; GASNET_FIREHOSE_R bounds what is lent", owner);
  }
  done.region->handle = answer;
  done.cache->moved(done.region, answer != loan::kNotMapped);
}

}  // namespace aqueduct::conduit::portals
