#include "paths/interpose.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* block);
}

namespace {

constexpr char kAllow = 0, kCatch = 1;
// Read by the kernel at every system call of this thread. One thread is watched: these programs have one.
volatile char selector = kAllow;
volatile bool watching = false;
aqueduct::test::Watched seen;

void note_allocation() {
  if (watching) ++seen.allocations;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
using MutexFunction = int (*)(pthread_mutex_t*);
// Looked up before main, since the lookup itself locks.
MutexFunction real_lock = nullptr, real_trylock = nullptr;
__attribute__((constructor)) void find_real_functions() {
  real_lock = next<MutexFunction>("pthread_mutex_lock");
  real_trylock = next<MutexFunction>("pthread_mutex_trylock");
}

// The handler makes the call in place of the interrupted code and puts the result where it expects it.
void on_system_call(int, siginfo_t* info, void* context) {
  selector = kAllow;
  seen.entered_kernel = true;
  seen.system_call = info->si_syscall;
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  long result = syscall(info->si_syscall, registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                        registers[REG_R10], registers[REG_R8], registers[REG_R9]);
  registers[REG_RAX] = result == -1 ? -errno : result;
}

void arm_once() {
  static const bool armed = [] {
    struct sigaction action {};
    action.sa_sigaction = on_system_call;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSYS, &action, nullptr);
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &selector) != 0) {
      perror("syscall user dispatch (Linux 5.11)");
      exit(1);
    }
    return true;
  }();
  (void)armed;
}

}  // namespace

extern "C" {

void* malloc(size_t bytes) { return note_allocation(), __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return note_allocation(), __libc_calloc(count, bytes); }
void* realloc(void* block, size_t bytes) { return note_allocation(), __libc_realloc(block, bytes); }
void* memalign(size_t alignment, size_t bytes) {
  return note_allocation(), __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
void free(void* block) { note_allocation(), __libc_free(block); }

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (watching) ++seen.locks;
  return real_lock ? real_lock(mutex) : 0;  // before main there is one thread
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  if (watching) ++seen.locks;
  return real_trylock ? real_trylock(mutex) : 0;
}

}  // extern "C"

namespace aqueduct::test {

void start_watching() {
  arm_once();
  seen = {};
  watching = true;
  selector = kCatch;
}

Watched stop_watching() {
  selector = kAllow;
  watching = false;
  return seen;
}

}  // namespace aqueduct::test
