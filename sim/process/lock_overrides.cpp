// Locks between the threads of a process, which are fibers: a thread that has to wait gives way.
//
// The C library's types are used as room only. A mutex is zero when it is free, as the static initialisers
// have it; its kind is where they put it.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "aqueduct/tools/mutex.h"
#include "sim/engine/time.hpp"
#include "sim/process/call_stack.hpp"
#include "sim/process/groups.hpp"
#include "sim/process/process.hpp"
#include "sim/process/virtual_clock.hpp"

namespace aqueduct::sim::process {
namespace {

int own_number() { return Thread::current()->number; }

/// A thread that only locks and unlocks must let others run all the same.
Process& here() {
  Process& process = Process::current();
  if (process.threads() > 1) spend_look();
  return process;
}

// Mutexes.

int lock_mutex(pthread_mutex_t* mutex) {
  auto& data = mutex->__data;
  Process& process = here();
  if (data.__lock != 0 && data.__owner == own_number()) {
    if ((data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE) {
      ++data.__count;
      return 0;
    }
    if ((data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
  }
  while (data.__lock != 0) process.wait("a mutex");
  data.__lock = 1;
  data.__owner = own_number();
  return 0;
}

int try_mutex(pthread_mutex_t* mutex) {
  auto& data = mutex->__data;
  here();
  if (data.__lock == 0 || (data.__owner == own_number() && (data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE))
    return lock_mutex(mutex);
  return EBUSY;
}

int lock_mutex_until(pthread_mutex_t* mutex, clockid_t clock, const timespec* end) {
  Process& process = here();
  while (try_mutex(mutex) != 0)
    if (!process.wait_until(time_of(clock, *end), "a mutex")) return ETIMEDOUT;
  return 0;
}
int lock_mutex_until_day(pthread_mutex_t* mutex, const timespec* end) {
  return lock_mutex_until(mutex, CLOCK_REALTIME, end);
}

int unlock_mutex(pthread_mutex_t* mutex) {
  auto& data = mutex->__data;
  if ((data.__kind & 3) != PTHREAD_MUTEX_NORMAL && (data.__lock == 0 || data.__owner != own_number()))
    return EPERM;
  if (data.__count != 0) {
    --data.__count;
    return 0;
  }
  data.__lock = 0;
  data.__owner = 0;
  here().stir();
  return 0;
}

int init_mutex(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  int kind = PTHREAD_MUTEX_NORMAL;
  if (attributes) ::pthread_mutexattr_gettype(attributes, &kind);
  std::memset(mutex, 0, sizeof *mutex);
  mutex->__data.__kind = kind;
  return 0;
}

int destroy_mutex(pthread_mutex_t* mutex) { return mutex->__data.__lock != 0 ? EBUSY : 0; }

// Condition variables.

struct Condition {
  std::int32_t clock;  // zero is that of the day
};
Condition& data_of(pthread_cond_t* condition) { return *reinterpret_cast<Condition*>(condition); }

int init_condition(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  std::memset(condition, 0, sizeof *condition);
  clockid_t clock = CLOCK_REALTIME;
  if (attributes) ::pthread_condattr_getclock(attributes, &clock);
  data_of(condition).clock = clock;
  return 0;
}
int destroy_condition(pthread_cond_t*) { return 0; }

int signal_condition(pthread_cond_t* condition) {
  Process& process = here();
  for (Process::Waiter* const waiter : process.at_conditions) {
    if (waiter->condition != condition || waiter->is_signalled) continue;
    waiter->is_signalled = true;
    process.stir();
    break;
  }
  return 0;
}

int signal_condition_to_all(pthread_cond_t* condition) {
  Process& process = here();
  for (Process::Waiter* const waiter : process.at_conditions)
    if (waiter->condition == condition) waiter->is_signalled = true;
  process.stir();
  return 0;
}

int wait_at(pthread_cond_t* condition, pthread_mutex_t* mutex, Time end) {
  Process& process = here();
  Process::Waiter self{condition};
  process.at_conditions.push_back(&self);
  const unsigned count = std::exchange(mutex->__data.__count, 0u);
  unlock_mutex(mutex);
  bool is_over = false;
  while (!self.is_signalled && !is_over) {
    if (end == kNever) {
      process.wait("a condition variable");
    } else {
      is_over =
          !process.wait_until(end, "a condition variable") && Fiber::current()->host().engine().now() >= end;
    }
  }
  std::erase(process.at_conditions, &self);
  lock_mutex(mutex);
  mutex->__data.__count = count;
  return self.is_signalled ? 0 : ETIMEDOUT;
}

int wait_condition(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return wait_at(condition, mutex, kNever);
}
int wait_condition_until(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* end) {
  return wait_at(condition, mutex, time_of(data_of(condition).clock, *end));
}
int wait_condition_by(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                      const timespec* end) {
  return wait_at(condition, mutex, time_of(clock, *end));
}

// Barriers.

struct Barrier {
  unsigned count, arrived, generation;
};

int init_barrier(pthread_barrier_t* barrier, const pthread_barrierattr_t*, unsigned count) {
  if (count == 0) return EINVAL;
  *reinterpret_cast<Barrier*>(barrier) = {count, 0, 0};
  return 0;
}
int destroy_barrier(pthread_barrier_t*) { return 0; }

int wait_barrier(pthread_barrier_t* where) {
  auto& barrier = *reinterpret_cast<Barrier*>(where);
  Process& process = here();
  const unsigned generation = barrier.generation;
  if (++barrier.arrived == barrier.count) {
    barrier.arrived = 0;
    ++barrier.generation;
    process.stir();
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  while (barrier.generation == generation) process.wait("a barrier of threads");
  return 0;
}

// Locks for readers and writers.

struct Shared {
  int readers, writer;
};
Shared& data_of(pthread_rwlock_t* lock) { return *reinterpret_cast<Shared*>(lock); }

int init_shared(pthread_rwlock_t* lock, const pthread_rwlockattr_t*) {
  std::memset(lock, 0, sizeof *lock);
  return 0;
}
int destroy_shared(pthread_rwlock_t*) { return 0; }
int try_read(pthread_rwlock_t* lock) {
  here();
  if (data_of(lock).writer != 0) return EBUSY;
  ++data_of(lock).readers;
  return 0;
}
int try_write(pthread_rwlock_t* lock) {
  here();
  Shared& data = data_of(lock);
  if (data.writer != 0 || data.readers != 0) return EBUSY;
  data.writer = own_number();
  return 0;
}
int lock_to_read(pthread_rwlock_t* lock) {
  while (try_read(lock) != 0) Process::current().wait("a lock for readers");
  return 0;
}
int lock_to_write(pthread_rwlock_t* lock) {
  while (try_write(lock) != 0) Process::current().wait("a lock for writers");
  return 0;
}
int unlock_shared(pthread_rwlock_t* lock) {
  Shared& data = data_of(lock);
  if (data.writer != 0) {
    data.writer = 0;
  } else {
    --data.readers;
  }
  here().stir();
  return 0;
}

// Spin locks, which are locked when they are not zero.

int init_spin(pthread_spinlock_t* lock, int) {
  *lock = 0;
  return 0;
}
int destroy_spin(pthread_spinlock_t*) { return 0; }
int try_spin(pthread_spinlock_t* lock) {
  here();
  if (*lock != 0) return EBUSY;
  *lock = 1;
  return 0;
}
int lock_spin(pthread_spinlock_t* lock) {
  while (try_spin(lock) != 0) Process::current().wait("a spin lock");
  return 0;
}
int unlock_spin(pthread_spinlock_t* lock) {
  *lock = 0;
  here().stir();
  return 0;
}

// Semaphores.

unsigned& value_of(sem_t* semaphore) { return *reinterpret_cast<unsigned*>(semaphore); }

int semaphore_error(int error) {
  errno = error;
  return -1;
}
int init_semaphore(sem_t* semaphore, int, unsigned value) {
  value_of(semaphore) = value;
  return 0;
}
int destroy_semaphore(sem_t*) { return 0; }
int try_semaphore(sem_t* semaphore) {
  here();
  if (value_of(semaphore) == 0) return semaphore_error(EAGAIN);
  --value_of(semaphore);
  return 0;
}
int wait_semaphore(sem_t* semaphore) {
  here();
  while (value_of(semaphore) == 0) Process::current().wait("a semaphore");
  --value_of(semaphore);
  return 0;
}
int wait_semaphore_until(sem_t* semaphore, const timespec* end) {
  here();
  while (value_of(semaphore) == 0) {
    if (!Process::current().wait_until(time_of(CLOCK_REALTIME, *end), "a semaphore"))
      return semaphore_error(ETIMEDOUT);
  }
  --value_of(semaphore);
  return 0;
}
int post_semaphore(sem_t* semaphore) {
  if (value_of(semaphore) >= INT_MAX) return semaphore_error(EOVERFLOW);
  ++value_of(semaphore);
  here().stir();
  return 0;
}
int get_semaphore(sem_t* semaphore, int* value) {
  *value = static_cast<int>(value_of(semaphore));
  return 0;
}

// Once: 0, 1 while somebody is at it, 2.

int run_once(pthread_once_t* once, void (*function)()) {
  Process& process = Process::current();
  while (*once == 1) process.wait("another thread's pthread_once");
  if (*once == 2) return 0;
  struct Attempt {
    pthread_once_t* once;
    int result = 0;  // an exception leaves it to the next one
    ~Attempt() {
      *once = result;
      Process::current().stir();
    }
  } attempt{once};
  *once = 1;
  introduce(process.image());  // an exception of the program's passes through here
  function();
  attempt.result = 2;
  return 0;
}

// The same for the tools' locks, which have the C library's in them (aqueduct/tools/mutex.h).

pthread_cond_t* native(gasnett_cond_t* condition) {
  return reinterpret_cast<pthread_cond_t*>(condition->condition_);
}

void lock_tool(gasnett_mutex_t* mutex, const char* where) {
  // The tools complain if it is the caller who holds it. Nothing may happen between a try and the wait.
  Process& process = here();
  while (aq_mutex_trylock_(mutex, where) != 0) process.wait("a mutex");
}
void unlock_tool(gasnett_mutex_t* mutex, const char* where) {
  aq_mutex_unlock_(mutex, where);
  here().stir();
}
void init_tool(gasnett_cond_t* condition) { init_condition(native(condition), nullptr); }
void destroy_tool(gasnett_cond_t*) {}
void signal_tool(gasnett_cond_t* condition) { signal_condition(native(condition)); }
void signal_tool_to_all(gasnett_cond_t* condition) { signal_condition_to_all(native(condition)); }
void wait_tool(gasnett_cond_t* condition, gasnett_mutex_t* mutex, const char* where) {
  Process& process = here();
  Process::Waiter self{native(condition)};
  process.at_conditions.push_back(&self);
  unlock_tool(mutex, where);
  while (!self.is_signalled) process.wait("a condition variable");
  std::erase(process.at_conditions, &self);
  lock_tool(mutex, where);
}

}  // namespace

OverrideGroup lock_overrides() {
  static const Override table[] = {
      replaces("pthread_mutex_init", init_mutex),
      replaces("pthread_mutex_destroy", destroy_mutex),
      replaces("pthread_mutex_lock", lock_mutex),
      replaces("pthread_mutex_trylock", try_mutex),
      replaces("pthread_mutex_timedlock", lock_mutex_until_day),
      replaces("pthread_mutex_clocklock", lock_mutex_until),
      replaces("pthread_mutex_unlock", unlock_mutex),
      replaces("pthread_cond_init", init_condition),
      replaces("pthread_cond_destroy", destroy_condition),
      replaces("pthread_cond_signal", signal_condition),
      replaces("pthread_cond_broadcast", signal_condition_to_all),
      replaces("pthread_cond_wait", wait_condition),
      replaces("pthread_cond_timedwait", wait_condition_until),
      replaces("pthread_cond_clockwait", wait_condition_by),
      replaces("pthread_barrier_init", init_barrier),
      replaces("pthread_barrier_destroy", destroy_barrier),
      replaces("pthread_barrier_wait", wait_barrier),
      replaces("pthread_rwlock_init", init_shared),
      replaces("pthread_rwlock_destroy", destroy_shared),
      replaces("pthread_rwlock_rdlock", lock_to_read),
      replaces("pthread_rwlock_tryrdlock", try_read),
      replaces("pthread_rwlock_wrlock", lock_to_write),
      replaces("pthread_rwlock_trywrlock", try_write),
      replaces("pthread_rwlock_unlock", unlock_shared),
      replaces("pthread_spin_init", init_spin),
      replaces("pthread_spin_destroy", destroy_spin),
      replaces("pthread_spin_lock", lock_spin),
      replaces("pthread_spin_trylock", try_spin),
      replaces("pthread_spin_unlock", unlock_spin),
      replaces("sem_init", init_semaphore),
      replaces("sem_destroy", destroy_semaphore),
      replaces("sem_wait", wait_semaphore),
      replaces("sem_trywait", try_semaphore),
      replaces("sem_timedwait", wait_semaphore_until),
      replaces("sem_post", post_semaphore),
      replaces("sem_getvalue", get_semaphore),
      replaces("pthread_once", run_once),
      replaces("aq_mutex_lock_", lock_tool),
      replaces("aq_mutex_unlock_", unlock_tool),
      replaces("aq_cond_init_", init_tool),
      replaces("aq_cond_destroy_", destroy_tool),
      replaces("aq_cond_signal_", signal_tool),
      replaces("aq_cond_broadcast_", signal_tool_to_all),
      replaces("aq_cond_wait_", wait_tool),
  };
  return table;
}

}  // namespace aqueduct::sim::process
