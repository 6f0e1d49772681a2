#include "extended/device/grants.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "extended/extended.hpp"
#include "extended/messages.hpp"

namespace aqueduct::extended::device_memory {

using core::Internal;

void Grants::ask(RankId peer, std::uint64_t flow, std::uint32_t chunks) {
  const std::lock_guard guard(lock_);
  added_.push_back({peer, flow, chunks});
}

bool Grants::is_empty() const {
  const std::lock_guard guard(lock_);
  return added_.empty() && asks_.empty();
}

Grants::Sent Grants::send(core::Thread& thread, Slots& slots, const std::byte* slots_base) {
  {
    const std::lock_guard guard(lock_);
    asks_.insert(asks_.end(), added_.begin(), added_.end());
    added_.clear();
  }
  const core::Failures* const failures = thread.rank.failures();
  Sent sent;
  for (std::size_t tries = asks_.size(); tries != 0; --tries) {
    Ask first = asks_.front();
    const bool is_lost = failures && failures->is_dead(first.peer);
    const Granted granted = is_lost ? Granted::kAll : grant(thread, slots, slots_base, first);
    if (granted == Granted::kNothing) break;
    sent.moved = true;
    sent.finished += granted == Granted::kAll;
    const std::lock_guard guard(lock_);
    asks_.pop_front();
    if (granted == Granted::kSome) asks_.push_back(first);
  }
  return sent;
}

Grants::Granted Grants::grant(core::Thread& thread, Slots& slots, const std::byte* slots_base, Ask& ask) {
  std::array<Slot*, kAtOnce> taken{};
  const unsigned wanted = std::min<std::uint32_t>(kAtOnce, ask.chunks);
  unsigned count = 0;
  while (count < wanted && (taken[count] = slots.take(Slot::Use::kPut, ask.peer))) ++count;
  const bool has_none = count == 0 && !slots.has_any(Slot::Use::kPut);
  if (count == 0 && !has_none) return Granted::kNothing;
  const Halves flow = split(ask.flow), base = split(slots_base);
  std::int32_t args[4 + kAtOnce] = {flow.low, flow.high, base.low, base.high};
  for (unsigned i = 0; i < kAtOnce; ++i)
    args[4 + i] = i < count ? static_cast<std::int32_t>((taken[i]->memory - slots_base) / kPage) : -1;
  am::Message message;
  message.handler = static_cast<std::uint8_t>(Internal::kDeviceGrant);
  message.nargs = 4 + kAtOnce;
  message.args = args;
  if (core::send_request("device", thread, ask.peer, message, GEX_FLAG_IMMEDIATE) != GASNET_OK) {
    while (count != 0) slots.give_back(*taken[--count]);
    return Granted::kNothing;
  }
  ask.chunks -= count;
  return has_none || ask.chunks == 0 ? Granted::kAll : Granted::kSome;
}

}  // namespace aqueduct::extended::device_memory
