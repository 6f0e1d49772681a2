// What debug clients, and wrong settings, are told before they end.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "gasnet_tools.h"

namespace {

#define EXPECT_ABORT(statement, message) EXPECT_EXIT(statement, testing::KilledBySignal(SIGABRT), message)
#define EXPECT_REFUSED(statement, message) EXPECT_EXIT(statement, testing::ExitedWithCode(1), message)

TEST(FatalError, NamesFunctionFileLineAndText) {
  EXPECT_ABORT(gasnett_fatalerror("no room for %d", 5),
               "\\*\\*\\* FATAL ERROR: in TestBody\\(\\) at .*misuse\\.cpp:[0-9]+: no room for 5");
}

TEST(FatalError, NamesTheTextOnlyWithoutPosition) {
  EXPECT_ABORT(gasnett_fatalerror_nopos("no room for %s", "it"), "\\*\\*\\* FATAL ERROR: no room for it");
}

TEST(FatalError, FlushesStdio) {
  EXPECT_ABORT(
      {
        std::FILE* copy = fdopen(dup(STDERR_FILENO), "w");
        std::setvbuf(copy, nullptr, _IOFBF, 4096);
        std::fputs("written before", copy);
        gasnett_fatalerror("end");
      },
      "written before");
}

TEST(Hints, AssumptionsAreAssertedInDebugClients) {
  volatile int two = 2;
  EXPECT_ABORT(gasnett_assume(two == 3), "not true: two == 3");
  EXPECT_ABORT(gasnett_unreachable(), "unreachable");
}

TEST(Mutex, IsNotRecursive) {
  gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
  gasnett_mutex_lock(&mutex);
  EXPECT_ABORT(gasnett_mutex_lock(&mutex),
               "in gasnett_mutex_lock\\(\\) at .*misuse.*this thread holds the mutex");
  EXPECT_ABORT(gasnett_mutex_trylock(&mutex), "in gasnett_mutex_trylock\\(\\).*this thread holds the mutex");
  EXPECT_ABORT(gasnett_mutex_assertunlocked(&mutex), "this thread holds the mutex");
  EXPECT_ABORT(gasnett_mutex_destroy(&mutex), "the mutex is locked");
  gasnett_mutex_unlock(&mutex);
}

TEST(Mutex, MustBeHeldToBeUnlockedOrWaitedWith) {
  gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
  gasnett_cond_t condition = GASNETT_COND_INITIALIZER;
  EXPECT_ABORT(gasnett_mutex_unlock(&mutex), "in gasnett_mutex_unlock\\(\\).*nobody holds the mutex");
  EXPECT_ABORT(gasnett_mutex_assertlocked(&mutex), "nobody holds the mutex");
  EXPECT_ABORT(gasnett_cond_wait(&condition, &mutex), "in gasnett_cond_wait\\(\\).*nobody holds the mutex");
}

TEST(Rwlock, IsNotRecursive) {
  gasnett_rwlock_t lock = GASNETT_RWLOCK_INITIALIZER;
  gasnett_rwlock_rdlock(&lock);
  EXPECT_ABORT(gasnett_rwlock_rdlock(&lock),
               "in gasnett_rwlock_rdlock\\(\\) at .*this thread holds the lock already");
  EXPECT_ABORT(gasnett_rwlock_wrlock(&lock), "this thread holds the lock already");
  EXPECT_ABORT(gasnett_rwlock_tryrdlock(&lock), "this thread holds the lock already");
  EXPECT_ABORT(gasnett_rwlock_trywrlock(&lock), "this thread holds the lock already");
  EXPECT_ABORT(gasnett_rwlock_destroy(&lock), "the lock is held");
  EXPECT_ABORT(gasnett_rwlock_assertwrlocked(&lock), "holds the lock for reading");
  EXPECT_ABORT(gasnett_rwlock_assertunlocked(&lock), "holds the lock for reading");
  gasnett_rwlock_unlock(&lock);
  gasnett_rwlock_wrlock(&lock);
  EXPECT_ABORT(gasnett_rwlock_assertrdlocked(&lock), "holds the lock for writing");
  gasnett_rwlock_unlock(&lock);
}

TEST(Rwlock, MustBeHeldToBeUnlocked) {
  gasnett_rwlock_t lock = GASNETT_RWLOCK_INITIALIZER;
  EXPECT_ABORT(gasnett_rwlock_unlock(&lock), "does not hold the lock");
  EXPECT_ABORT(gasnett_rwlock_assertlocked(&lock), "does not hold the lock");
}

// In children only, because a process reads the settings of its heap once.
void overwrite(int at) {
  auto* block = static_cast<char*>(gasnett_debug_malloc(10));
  block[at] ^= 1;
  at < 0 ? gasnett_debug_memcheck(block) : gasnett_debug_free(block);
}

void overwrite_and_look_at_all() {
  auto* block = static_cast<char*>(gasnett_debug_malloc(10));
  gasnett_debug_memcheck_all();
  block[10] ^= 1;
  gasnett_debug_memcheck_all();
}

void free_twice() {
  setenv("GASNET_MALLOC_LEAKALL", "1", 1);
  void* block = gasnett_debug_malloc(10);
  gasnett_debug_free(block);
  gasnett_debug_free(block);
}

void write_after_free() {
  setenv("GASNET_MALLOC_SCANFREED", "1", 1);
  auto* block = static_cast<char*>(gasnett_debug_malloc(10));
  gasnett_debug_free(block);
  gasnett_debug_memcheck_all();
  block[3] ^= 1;
  gasnett_debug_memcheck_all();
}

TEST(Heap, FindsWritesBesideABlock) {
  EXPECT_ABORT(overwrite(10), "behind the 10 bytes at .*allocated at .*misuse");
  EXPECT_ABORT(overwrite(-1), "in front of it was overwritten");
  EXPECT_ABORT(overwrite_and_look_at_all(), "in gasnett_debug_memcheck_all\\(\\)");
}

TEST(Heap, FindsWhatIsFreedTwiceOrWrittenLater) {
  EXPECT_ABORT(free_twice(), "was freed at .*misuse");
  EXPECT_ABORT(write_after_free(), "byte 3 of the block at .* was overwritten after it was freed");
}

TEST(Heap, EndsWhenThereIsNoMemory) {
  EXPECT_ABORT(gasnett_debug_malloc(SIZE_MAX - 8), "no memory for [0-9]+ bytes");
  EXPECT_ABORT(gasnett_debug_calloc(SIZE_MAX / 2, 3), "more than there can be");
}

TEST(Signals, ThatCannotBeHandledAreRefused) {
  EXPECT_ABORT(gasnett_reghandler(SIGKILL, SIG_IGN), "SIGKILL.*cannot be handled");
}

class Settings : public testing::Test {
 protected:
  static void set(const char* value) { setenv("AQUEDUCT_TEST_SETTING", value, 1); }
};

TEST_F(Settings, MalformedOnesAreNamed) {
  set("maybe");
  EXPECT_REFUSED(gasnett_getenv_yesno_withdefault("AQUEDUCT_TEST_SETTING", 0),
                 "AQUEDUCT_TEST_SETTING='maybe' is not yes");
  for (const char* wrong : {"12x", "x", "1.5", "7K", "99999999999999999999"}) {
    set(wrong);
    EXPECT_REFUSED(gasnett_getenv_int_withdefault("AQUEDUCT_TEST_SETTING", 0, 0), "is not a whole number")
        << wrong;
  }
  for (const char* wrong : {"12X", "K", "1.2.3", "12 MBs"}) {
    set(wrong);
    EXPECT_REFUSED(gasnett_getenv_int_withdefault("AQUEDUCT_TEST_SETTING", 0, 1), "is not a size such as")
        << wrong;
  }
  for (const char* wrong : {"", "1/0", "1/", "nan", "1.5x", "1//2"}) {
    set(wrong);
    if (*wrong != '\0') {
      EXPECT_REFUSED(gasnett_getenv_dbl_withdefault("AQUEDUCT_TEST_SETTING", 0), "is not a number such as")
          << wrong;
    }
  }
}

TEST_F(Settings, RateOfTicksIsChecked) {
  if (!aq_ticks_are_cycles_) {
    EXPECT_EQ(gasnett_ticks_to_ns(1000), 1000u);
    return;
  }
  // In children only: the rate is settled once in a process.
  EXPECT_REFUSED(
      {
        setenv("GASNET_TSC_RATE", "fast", 1);
        gasnett_ticks_to_ns(1);
      },
      "GASNET_TSC_RATE='fast' is not");
  EXPECT_REFUSED(
      {
        setenv("GASNET_TSC_RATE", "999999", 1);
        gasnett_ticks_to_ns(1);
      },
      "GASNET_TSC_RATE='999999' is not");
  EXPECT_REFUSED(
      {
        setenv("GASNET_TSC_RATE", "1000000", 1);
        gasnett_ticks_to_ns(1);
      },
      "GASNET_TSC_RATE_HARD_TOLERANCE");
  const auto convert = [] {
    setenv("GASNET_TSC_RATE", "1000000", 1);
    setenv("GASNET_TSC_RATE_HARD_TOLERANCE", "1", 1);
    setenv("GASNET_TSC_VERBOSE", "1", 1);
    std::exit(gasnett_ticks_to_ns(5000) == 5'000'000 ? 0 : 1);
  };
  EXPECT_EXIT(convert(), testing::ExitedWithCode(0),
              "cycle counter: 1000000 Hz(.|\n)*WARNING.*GASNET_TSC_RATE_TOLERANCE");
}

}  // namespace
