#include <unistd.h>

#include <atomic>

#include "api/face.hpp"
#include "base/clock.hpp"
#include "base/context.hpp"
#include "base/spin_lock.hpp"
#include "trace/trace.hpp"
#include "world/world.hpp"

using namespace aqueduct;

namespace {

// The system's number of the calling thread, which reports name threads by. Threads of simulated ranks are
// one to the system, with thread-local variables of their own.
int32_t self() {
  static thread_local char place;
  constexpr unsigned kLeastDistance = 12;
  static thread_local const int32_t number =
      world::is_simulated()
          ? static_cast<int32_t>(reinterpret_cast<uintptr_t>(&place) >> kLeastDistance & INT32_MAX)
          : ::gettid();
  return number;
}

bool try_take(gex_HSL_t* lock) {
  std::atomic_ref<int32_t> word(lock->word_);
  if (word.load(std::memory_order_relaxed) != 0 || word.exchange(1, std::memory_order_acquire) != 0)
    return false;
  std::atomic_ref<int32_t>(lock->holder_).store(self(), std::memory_order_relaxed);
  return true;
}

void check(const char* where, const gex_HSL_t* lock) {
  if (!lock) fatal(where, "the lock is NULL");
}

bool held_by_me(gex_HSL_t* lock) {
  return std::atomic_ref<int32_t>(lock->word_).load(std::memory_order_relaxed) != 0 &&
         std::atomic_ref<int32_t>(lock->holder_).load(std::memory_order_relaxed) == self();
}

// The record of the calling thread, if the locks that it holds are counted.
core::Thread* watched_thread() {
  core::Thread* const thread = core::current_thread();
  return thread && thread->rank.options().debug_client ? thread : nullptr;
}

void note_taken() {
  if (core::Thread* const thread = watched_thread()) thread->held_locks.took_one(thread->handling);
}

void note_given_back() {
  if (core::Thread* const thread = watched_thread()) thread->held_locks.gave_one_back(thread->handling);
}

// A live rank says that it waits for the lock, as a Wait does for other things.
void publish_wait(gex_HSL_t& lock) {
  const core::Thread* const thread = core::current_thread();
  if (!thread || thread->rank.is_simulated()) return;
  thread->record->counters.lock_waits.add();
  thread->record->wait.update([&](observe::WaitRecord& record) {
    record.clear();
    record.kind = observe::WaitKind::kLock;
    record.since_ns = machine_clock().now_ns();
    record.number =
        static_cast<std::uint32_t>(std::atomic_ref<int32_t>(lock.holder_).load(std::memory_order_relaxed));
    record.set_call("gex_HSL_Lock");
  });
}

void withdraw_wait() {
  core::Thread* const thread = core::current_thread();
  if (!thread || thread->rank.is_simulated()) return;
  thread->published = nullptr;  // an outer wait, if there is one, says so again
  thread->record->wait.update([](observe::WaitRecord& record) { record.clear(); });
}

}  // namespace

extern "C" {

void gex_HSL_Init(gex_HSL_t* lock) {
  check("gex_HSL_Init", lock);
  *lock = GEX_HSL_INITIALIZER;
}

void gex_HSL_Destroy(gex_HSL_t* lock) {
  check("gex_HSL_Destroy", lock);
  if (lock->word_ != 0) fatal("gex_HSL_Destroy", "the lock is held");
}

void gex_HSL_Lock(gex_HSL_t* lock) {
  check("gex_HSL_Lock", lock);
  if (trace::on(trace::Category::kLock)) [[unlikely]]
    trace::note(trace::Category::kLock, "gex_HSL_Lock", 0, "%p", static_cast<void*>(lock));
  constexpr unsigned kSlow = 4096;  // yields after which others are told
  unsigned tries = 0;
  for (; !try_take(lock); ++tries) {
    if (held_by_me(lock)) fatal("gex_HSL_Lock", "this thread holds the lock already");
    if (tries == kSlow) publish_wait(*lock);
    // The holder may have lost its core.
    if (tries < 128) {
      cpu_pause();
    } else {
      ::sched_yield();
    }
  }
  if (tries > kSlow) withdraw_wait();
  note_taken();
}

void gex_HSL_Unlock(gex_HSL_t* lock) {
  check("gex_HSL_Unlock", lock);
  if (trace::on(trace::Category::kLock)) [[unlikely]]
    trace::note(trace::Category::kLock, "gex_HSL_Unlock", 0, "%p", static_cast<void*>(lock));
  if (!held_by_me(lock)) fatal("gex_HSL_Unlock", "this thread does not hold the lock");
  note_given_back();
  std::atomic_ref<int32_t>(lock->holder_).store(0, std::memory_order_relaxed);
  std::atomic_ref<int32_t>(lock->word_).store(0, std::memory_order_release);
}

int gex_HSL_Trylock(gex_HSL_t* lock) {
  check("gex_HSL_Trylock", lock);
  if (trace::on(trace::Category::kLock)) [[unlikely]]
    trace::note(trace::Category::kLock, "gex_HSL_Trylock", 0, "%p", static_cast<void*>(lock));
  if (!try_take(lock)) return GASNET_ERR_NOT_READY;
  note_taken();
  return GASNET_OK;
}
}
