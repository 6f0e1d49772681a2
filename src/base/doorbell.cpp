#include "base/doorbell.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

#include "base/context.hpp"

namespace aqueduct {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == 4 && std::atomic<std::uint32_t>::is_always_lock_free);

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) {
  return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout, nullptr, 0);
}

}  // namespace

bool Doorbell::sleep(std::uint32_t seen, std::uint64_t timeout_ns) {
  const timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000u),
                         static_cast<long>(timeout_ns % 1'000'000'000u)};
  futex(bell_, FUTEX_WAIT, seen, &timeout);
  withdraw();
  return bell_.load(std::memory_order_relaxed) != seen;
}

void Doorbell::ring() {
  if (ringer_ != nullptr && current_context.world != nullptr) return ringer_(*this);
  bell_.fetch_add(1, std::memory_order_release);
  futex(bell_, FUTEX_WAKE, INT_MAX, nullptr);
}

}  // namespace aqueduct
