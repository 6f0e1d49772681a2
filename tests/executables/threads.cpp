// Threads of ranks: locks, condition variables, barriers, keys, thread-local variables, futures, messages of
// all threads at once.
#include <gasnet_tools.h>
#include <gasnetex.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 4, kRequests = 20;

gex_TM_t team;
gex_AM_Index_t ping_index, pong_index;
std::atomic<int> pings{0}, pongs{0};

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "rank %u: not so: %s\n", gex_TM_QueryRank(team), what);
  std::exit(3);
}

void on_ping(gex_Token_t token) {
  ++pings;
  gex_AM_ReplyShort0(token, pong_index, 0);
}
void on_pong(gex_Token_t) { ++pongs; }

std::mutex mutex;
std::condition_variable condition;
bool may_begin = false;
int total = 0;
thread_local int own = 1;
int destroyed = 0;

void work(int number, pthread_barrier_t* barrier, pthread_key_t key) {
  {
    std::unique_lock lock(mutex);
    condition.wait(lock, [] { return may_begin; });
  }
  own += number;
  pthread_setspecific(key, &own);
  for (int i = 0; i < kRequests; ++i)
    gex_AM_RequestShort0(team, (gex_TM_QueryRank(team) + 1) % gex_TM_QuerySize(team), ping_index, 0);
  pthread_barrier_wait(barrier);
  require(own == 1 + number && pthread_getspecific(key) == &own,
          "thread-local variables and keys are the thread's own");
  try {
    throw std::runtime_error(std::to_string(number));
  } catch (const std::exception& error) {
    std::this_thread::yield();
    require(std::to_string(number) == error.what(), "exceptions are the thread's own");
  }
  const std::lock_guard lock(mutex);
  total += own;
}

void use_further_parts() {
  std::future<int> answer = std::async(std::launch::async, [] { return 42; });
  require(answer.get() == 42, "a future has its value");
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  std::shared_mutex shared;
  shared.lock();
  std::thread other([&] {
    sem_wait(&semaphore);
    shared.lock_shared();
    shared.unlock_shared();
  });
  sem_post(&semaphore);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  shared.unlock();
  other.join();
  std::once_flag once;
  int times = 0;
  for (int i = 0; i < 2; ++i) std::call_once(once, [&] { ++times; });
  require(times == 1, "call_once calls once");
  std::unique_lock lock(mutex);
  require(condition.wait_for(lock, std::chrono::milliseconds(5)) == std::cv_status::timeout,
          "a wait ends by its time");
  std::recursive_mutex recursive;
  recursive.lock();
  require(recursive.try_lock(), "a recursive mutex is locked twice");
}

/// Rank 2 waits for its own threads, which wait for what nobody does.
void hang() {
  static volatile int never = 0;
  static std::mutex held;
  if (gex_TM_QueryRank(team) == 2) {
    held.lock();
    std::thread one([] { GASNET_BLOCKUNTIL(never); }), other([] { held.lock(); });
    one.join();
    other.join();
  }
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
}

/// The tools' locks, with so many that want one that a wake-up that is lost would be noticed.
void use_tools_locks() {
  static gasnett_mutex_t lock = GASNETT_MUTEX_INITIALIZER;
  int inside = 0, times = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 100; ++turn) {
        gasnett_mutex_lock(&lock);
        require(inside++ == 0, "one thread has the lock");
        if (turn % 3 == 0) std::this_thread::yield();
        --inside;
        ++times;
        gasnett_mutex_unlock(&lock);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  require(times == kThreads * 100, "each thread had the lock each time");
}

}  // namespace

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Client_Init(&client, &endpoint, &team, "threads", &argc, &argv, 0);
  gex_AM_Entry_t handlers[] = {
      {0, reinterpret_cast<gex_AM_Fn_t>(on_ping), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, nullptr,
       "ping"},
      {0, reinterpret_cast<gex_AM_Fn_t>(on_pong), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, nullptr, "pong"}};
  gex_EP_RegisterHandlers(endpoint, handlers, 2);
  ping_index = handlers[0].gex_index;
  pong_index = handlers[1].gex_index;
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (argc > 1 && !std::strcmp(argv[1], "hang")) hang();
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, kThreads);
  pthread_key_t key;
  pthread_key_create(&key, [](void*) { ++destroyed; });
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i, &barrier, key);
  if (argc > 1 && !std::strcmp(argv[1], "cancel")) pthread_cancel(threads[0].native_handle());
  std::this_thread::sleep_for(std::chrono::microseconds(50));
  {
    const std::lock_guard lock(mutex);
    may_begin = true;
  }
  condition.notify_all();
  for (std::thread& thread : threads) thread.join();
  require(total == kThreads + kThreads * (kThreads - 1) / 2, "each thread has added its own");
  require(destroyed == kThreads, "each thread's value was destroyed");
  GASNET_BLOCKUNTIL(pings == kThreads * kRequests && pongs == kThreads * kRequests);
  use_further_parts();
  use_tools_locks();
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (gex_TM_QueryRank(team) == 0) std::printf("%u ranks: all threads were right\n", gex_TM_QuerySize(team));
  return 0;
}
