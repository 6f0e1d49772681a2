// Threads of a process are fibers of its rank. What of POSIX threads is not here does not concern fibers, or
// is refused by name.
#include <pthread.h>

#include <cerrno>

#include "base/fatal.hpp"
#include "sim/process/groups.hpp"
#include "sim/process/process.hpp"
#include "sim/process/virtual_clock.hpp"

namespace aqueduct::sim::process {
namespace {

int create_thread(pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*),
                  void* argument) {
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes) ::pthread_attr_getdetachstate(attributes, &detached);
  Thread& thread = Process::current().start_thread(function, argument);
  thread.is_detached = detached == PTHREAD_CREATE_DETACHED;
  *handle = thread.handle();
  return 0;
}

int join_thread(pthread_t handle, void** result) {
  Process& process = Process::current();
  Thread* const thread = process.find_thread(handle);
  if (!thread) return ESRCH;
  if (thread == Thread::current()) return EDEADLK;
  if (thread->is_detached) return EINVAL;
  while (!thread->has_ended) process.wait("the end of a thread");
  if (result) *result = thread->result;
  process.forget_thread(*thread);
  return 0;
}

int detach_thread(pthread_t handle) {
  Process& process = Process::current();
  Thread* const thread = process.find_thread(handle);
  if (!thread) return ESRCH;
  thread->is_detached = true;
  if (thread->has_ended) process.forget_thread(*thread);
  return 0;
}

[[noreturn]] void exit_thread(void* result) { Process::current().end_thread(result); }

int yield_thread() {
  spend_look();
  sleep_for(kLookNs);
  return 0;
}

int create_key(pthread_key_t* key, void (*destroy)(void*)) {
  auto& keys = Process::current().keys;
  std::size_t number = 0;
  while (number < keys.size() && keys[number].in_use) ++number;
  if (number == keys.size()) keys.emplace_back();
  keys[number] = {true, destroy};
  *key = static_cast<pthread_key_t>(number);
  return 0;
}

int delete_key(pthread_key_t key) {
  auto& keys = Process::current().keys;
  if (key >= keys.size() || !keys[key].in_use) return EINVAL;
  keys[key] = {};
  return 0;
}

void* get_value(pthread_key_t key) {
  const auto& values = Thread::current()->values;
  return key < values.size() ? values[key] : nullptr;
}

int set_value(pthread_key_t key, const void* value) {
  auto& values = Thread::current()->values;
  if (key >= Process::current().keys.size()) return EINVAL;
  if (key >= values.size()) values.resize(key + 1);
  values[key] = const_cast<void*>(value);
  return 0;
}

/// What only changes how the system treats a thread.
int has_no_effect() { return 0; }

int get_thread_affinity(pthread_t, std::size_t bytes, cpu_set_t* set) {
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(0, bytes, set);
  return 0;
}

#define AQ_REFUSED(name)                                                                            \
  {                                                                                                 \
#name, reinterpret_cast < void*>(+[] {                                                          \
             fatal("simulation", "the program calls " #name ", which simulated ranks do not have"); \
           })                                                                                       \
  }

}  // namespace

OverrideGroup thread_overrides() {
  static const Override table[] = {
      replaces("pthread_create", create_thread),
      replaces("pthread_join", join_thread),
      replaces("pthread_detach", detach_thread),
      replaces("pthread_exit", exit_thread),
      replaces("pthread_yield", yield_thread),
      replaces("pthread_key_create", create_key),
      replaces("__pthread_key_create", create_key),
      replaces("pthread_key_delete", delete_key),
      replaces("pthread_getspecific", get_value),
      replaces("pthread_setspecific", set_value),
      replaces("pthread_setname_np", has_no_effect),
      replaces("pthread_setaffinity_np", has_no_effect),
      replaces("pthread_getaffinity_np", get_thread_affinity),
      replaces("pthread_setschedparam", has_no_effect),
      replaces("pthread_setcancelstate", has_no_effect),
      replaces("pthread_setcanceltype", has_no_effect),
      replaces("pthread_testcancel", has_no_effect),
      replaces("pthread_atfork", has_no_effect),
      replaces("__register_atfork", has_no_effect),
      AQ_REFUSED(pthread_cancel),
      AQ_REFUSED(pthread_tryjoin_np),
      AQ_REFUSED(pthread_timedjoin_np),
      AQ_REFUSED(pthread_getattr_np),
      AQ_REFUSED(pthread_rwlock_timedrdlock),
      AQ_REFUSED(pthread_rwlock_timedwrlock),
      AQ_REFUSED(sem_open),
      AQ_REFUSED(thrd_create),
      AQ_REFUSED(mtx_lock),
      AQ_REFUSED(cnd_wait),
      AQ_REFUSED(fork),
      AQ_REFUSED(vfork),
      AQ_REFUSED(timer_create),
  };
  return table;
}

}  // namespace aqueduct::sim::process
