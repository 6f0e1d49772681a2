#include "papers/parts/credits.hpp"

#include <algorithm>
#include <mutex>

namespace aqueduct::parts {
namespace {

using Guard = std::lock_guard<SpinLock>;

constexpr std::uint16_t decayed(std::uint16_t value) { return static_cast<std::uint16_t>(value >> 2); }

void count(std::atomic<std::uint64_t>& counter, std::uint64_t n = 1) {
  counter.fetch_add(n, std::memory_order_relaxed);
}

std::uint16_t grown(std::uint16_t value) {
  return value == UINT16_MAX ? value : static_cast<std::uint16_t>(value + 1);
}

}  // namespace

void Credits::Account::decay_use() {
  most_used = std::max(decayed(most_used), in_use);
  stalls = decayed(stalls);
  revoked = decayed(revoked);
}

void Credits::Account::decay_demand() {
  requested = decayed(requested);
  granted = decayed(granted);
}

bool Credits::Account::take_epoch() {
  const bool ended = reached_epoch;
  reached_epoch = false;
  return ended;
}

Credits::Credits(const CreditSettings& settings)
    : settings_(settings), accounts_(std::make_unique<Account[]>(settings.peers)), banked_(settings.banked) {
  const RankId others = settings_.peers - 1;
  std::uint32_t share = 0;
  RankId with_one_more = 0;
  if (!settings_.dynamic && others != 0) {
    share = settings_.banked / others;
    with_one_more = settings_.banked % others;
    banked_ = 0;
  }
  // Every rank starts with the same settings, so a rank lends to a peer what the peer lends to it, except for
  // the remainder: the lender distributes that in its own order of peers, so the holder must use the lender's
  // order.
  const auto odd = [&](RankId lender, RankId holder) {
    const RankId place = holder < lender ? holder : holder - 1;
    return place < with_one_more ? 1u : 0u;
  };
  for (RankId peer = 0; peer < settings_.peers; ++peer) {
    if (peer == settings_.self) continue;
    Account& account = accounts_[peer];
    account.loaned = static_cast<std::uint16_t>(settings_.per_peer + share + odd(settings_.self, peer));
    account.held = static_cast<std::uint16_t>(settings_.per_peer + share + odd(peer, settings_.self));
    total_ += account.loaned;
  }
  total_ += banked_;
}

bool Credits::try_acquire(RankId peer, unsigned n, CreditByte* byte) {
  Account& account = accounts_[peer];
  const Guard guard(account.lock);
  const unsigned free = account.held - account.in_use;
  if (free < n) {
    if (account.shortfall == 0) {
      account.shortfall = static_cast<std::uint16_t>(n - free);
      account.stalls = grown(account.stalls);
      count(stalls_);
    }
    return false;
  }
  account.in_use = static_cast<std::uint16_t>(account.in_use + n);
  account.most_used = std::max(account.most_used, account.in_use);
  byte->epoch_ended = account.take_epoch();
  byte->extra = static_cast<std::uint8_t>(std::min<unsigned>(account.shortfall, CreditByte::kMostExtra));
  account.shortfall = 0;
  byte->used = static_cast<std::uint8_t>(n);
  return true;
}

void Credits::put_back(RankId peer, CreditByte byte) {
  Account& account = accounts_[peer];
  const Guard guard(account.lock);
  account.in_use = static_cast<std::uint16_t>(account.in_use - byte.used);
  if (byte.epoch_ended) account.reached_epoch = true;
  account.shortfall = std::max<std::uint16_t>(account.shortfall, byte.extra);
}

unsigned Credits::available(RankId peer) const {
  const Account& account = accounts_[peer];
  const Guard guard(account.lock);
  return account.held - account.in_use;
}

void Credits::on_reply(RankId peer, CreditByte byte) {
  Account& account = accounts_[peer];
  const Guard guard(account.lock);
  if (byte.epoch_ended) account.decay_use();
  account.in_use = static_cast<std::uint16_t>(account.in_use - byte.used);
  account.held = static_cast<std::uint16_t>(account.held + byte.extra);
}

Credits::Returned Credits::on_revoke(RankId peer, bool epoch_ended) {
  Account& account = accounts_[peer];
  const Guard guard(account.lock);
  if (epoch_ended) account.decay_use();
  Returned returned{0, account.take_epoch()};
  // A holder that has recently waited returns nothing.
  if (account.stalls != 0 || account.revoked >= settings_.revoke_limit) return returned;
  const std::uint16_t needed = std::max(settings_.least, account.most_used);
  if (account.held <= needed) return returned;
  returned.credits = std::min<std::uint16_t>(account.held - needed, settings_.revoke_limit - account.revoked);
  account.held = static_cast<std::uint16_t>(account.held - returned.credits);
  account.revoked = static_cast<std::uint16_t>(account.revoked + returned.credits);
  return returned;
}

CreditByte Credits::on_request(RankId peer, CreditByte byte, Revocations* revocations) {
  revocations->count = 0;
  if (settings_.dynamic &&
      (requests_.fetch_add(1, std::memory_order_relaxed) + 1) % settings_.epoch_requests == 0) {
    end_epoch();
  }
  CreditByte answer;
  answer.used = byte.used;
  bool refused = false;
  {
    Account& account = accounts_[peer];
    const Guard guard(account.lock);
    if (byte.epoch_ended) account.decay_use();
    answer.epoch_ended = account.take_epoch();
    if (settings_.dynamic && byte.extra != 0) {
      account.requested = grown(account.requested);
      const bool may = account.granted + byte.extra <= settings_.lender_limit &&
                       account.loaned + byte.extra <= settings_.most_per_peer;
      if (may && withdraw(byte.extra)) {
        answer.extra = byte.extra;
        count(granted_, byte.extra);
        account.granted = static_cast<std::uint16_t>(account.granted + byte.extra);
        account.loaned = static_cast<std::uint16_t>(account.loaned + byte.extra);
      } else {
        refused = true;
      }
    }
  }
  if (refused) {
    count(refusals_);
    scavenge(revocations);
  }
  return answer;
}

void Credits::on_return(RankId peer, Returned returned) {
  Account& account = accounts_[peer];
  {
    const Guard guard(account.lock);
    if (returned.epoch_ended) account.decay_use();
    account.revocation_in_flight = false;
    account.loaned = static_cast<std::uint16_t>(account.loaned - returned.credits);
    if (returned.credits == 0) account.returned_nothing = true;
  }
  banked_.fetch_add(returned.credits, std::memory_order_relaxed);
  count(returned_, returned.credits);
  revocations_in_flight_.fetch_sub(1, std::memory_order_relaxed);
}

// All or none: a part of what was asked for would not have avoided the stall.
bool Credits::withdraw(unsigned n) {
  std::uint32_t balance = banked_.load(std::memory_order_relaxed);
  do {
    if (balance < n) return false;
  } while (!banked_.compare_exchange_weak(balance, balance - n, std::memory_order_relaxed));
  return true;
}

void Credits::end_epoch() {
  count(epochs_);
  for (RankId peer = 0; peer < settings_.peers; ++peer) {
    Account& account = accounts_[peer];
    const Guard guard(account.lock);
    account.returned_nothing = false;
    account.reached_epoch = peer != settings_.self;
    account.decay_demand();
  }
}

// Finds peers that hold more than the minimum and have not asked for more recently, beginning where the last
// search ended.
void Credits::scavenge(Revocations* revocations) {
  const RankId start = next_to_ask_.load(std::memory_order_relaxed);
  RankId peer = start;
  do {
    const std::uint32_t in_flight = revocations_in_flight_.load(std::memory_order_relaxed);
    if (in_flight >= settings_.most_revocations || revocations->count == Revocations::kMost) break;
    Account& account = accounts_[peer];
    // An account that is being used is not idle: pass it by.
    if (peer != settings_.self && account.lock.try_lock()) {
      if (account.loaned > settings_.least && account.requested == 0 && !account.revocation_in_flight &&
          !account.returned_nothing) {
        account.revocation_in_flight = true;
        revocations->peers[revocations->count] = peer;
        revocations->epoch_ended[revocations->count] = account.take_epoch();
        ++revocations->count;
        revocations_in_flight_.fetch_add(1, std::memory_order_relaxed);
        count(revocations_);
      }
      account.lock.unlock();
    }
    peer = peer + 1 == settings_.peers ? 0 : peer + 1;
  } while (peer != start);
  next_to_ask_.store(peer, std::memory_order_relaxed);
}

unsigned Credits::held(RankId peer) const {
  const Guard guard(accounts_[peer].lock);
  return accounts_[peer].held;
}
unsigned Credits::in_use(RankId peer) const {
  const Guard guard(accounts_[peer].lock);
  return accounts_[peer].in_use;
}
unsigned Credits::loaned(RankId peer) const {
  const Guard guard(accounts_[peer].lock);
  return accounts_[peer].loaned;
}

bool Credits::is_quiet() const {
  if (revocations_in_flight_.load(std::memory_order_relaxed) != 0) return false;
  for (RankId peer = 0; peer < settings_.peers; ++peer) {
    if (in_use(peer) != 0) return false;
  }
  return true;
}

Credits::Sums Credits::sums() const {
  constexpr RankId kMostPeers = 4096;
  if (settings_.peers > kMostPeers) return {};
  Sums sums{.revocations = revocations_in_flight_.load(std::memory_order_relaxed)};
  for (RankId peer = 0; peer < settings_.peers; ++peer) {
    sums.held += held(peer);
    sums.in_use += in_use(peer);
    sums.loaned += loaned(peer);
  }
  return sums;
}

CreditCounts Credits::counts() const {
  const auto now = [](const std::atomic<std::uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  };
  return {now(stalls_), now(granted_), now(refusals_), now(epochs_), now(revocations_), now(returned_)};
}

CreditCounts& CreditCounts::operator+=(const CreditCounts& other) {
  stalls += other.stalls;
  granted += other.granted;
  refusals += other.refusals;
  epochs += other.epochs;
  revocations += other.revocations;
  returned += other.returned;
  return *this;
}

}  // namespace aqueduct::parts
