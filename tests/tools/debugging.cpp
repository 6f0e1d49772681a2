// Backtraces, waiting for a debugger, and reports of settings.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "gasnet_tools.h"
#include "gasnet_tools/rank_list.hpp"
#include "gasnet_tools/signals.hpp"

namespace {
bool user_type_works = false;
}

extern "C" int write_users_backtrace(int fd) {
  if (!user_type_works) return 1;
  return write(fd, "frames of the user\n", 19) == 19 ? 0 : 1;
}
gasnett_backtrace_type_t gasnett_backtrace_user = {"MINE", &write_users_backtrace, 1};

namespace {

using aqueduct::gasnet_tools::find_rank;
using aqueduct::gasnet_tools::Listed;
using aqueduct::gasnet_tools::signal_by_name;

/// What a backtrace is made of, with its settings as given.
class Backtrace : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"GASNET_BACKTRACE", "GASNET_BACKTRACE_TYPE", "GASNET_BACKTRACE_NODES"})
      unsetenv(name);
    user_type_works = false;
    ASSERT_EQ(pipe(ends_), 0);
  }
  void TearDown() override {
    close(ends_[0]);
    close(ends_[1]);
  }
  static void settle(const char* types) {
    if (types != nullptr) setenv("GASNET_BACKTRACE_TYPE", types, 1);
    gasnett_backtrace_init(gasnett_exe_name());
  }
  std::string written(int (*print)(int), int expected_result) {
    EXPECT_EQ(print(ends_[1]), expected_result);
    char text[16384];
    EXPECT_EQ(write(ends_[1], "~", 1), 1);
    std::string all;
    while (all.empty() || all.back() != '~') {
      const ssize_t got = read(ends_[0], text, sizeof text);
      if (got <= 0) break;
      all.append(text, static_cast<std::size_t>(got));
    }
    return all;
  }
  /// A program of that name in front of all others.
  void install(const char* name, const char* script) {
    char directory[] = "/tmp/aqueduct-tools-XXXXXX";
    ASSERT_NE(mkdtemp(directory), nullptr);
    directory_ = directory;
    program_ = directory_ + "/" + name;
    std::ofstream(program_) << "#!/bin/sh\n" << script << "\n";
    chmod(program_.c_str(), 0700);
    path_ = std::getenv("PATH");
    setenv("PATH", (directory_ + ":" + path_).c_str(), 1);
  }
  void uninstall() {
    setenv("PATH", path_.c_str(), 1);
    unlink(program_.c_str());
    rmdir(directory_.c_str());
  }

 private:
  int ends_[2];
  std::string directory_, program_, path_;
};

TEST_F(Backtrace, OfExecinfoNamesTheProgram) {
  settle("EXECINFO");
  const std::string text = written(gasnett_print_backtrace, 0);
  EXPECT_NE(text.find("by EXECINFO"), std::string::npos) << text;
  const std::string path = gasnett_exe_name();
  EXPECT_NE(text.find(path.substr(path.rfind('/')) + "("), std::string::npos) << text;
}

TEST_F(Backtrace, OfTheClientComesFirst) {
  settle(nullptr);
  user_type_works = true;
  EXPECT_NE(written(gasnett_print_backtrace, 0).find("frames of the user"), std::string::npos);
}

TEST_F(Backtrace, FallsBackToTheNextType) {
  settle("MINE,NO_SUCH_TYPE,execinfo");
  const std::string text = written(gasnett_print_backtrace, 0);
  EXPECT_NE(text.find("by MINE"), std::string::npos) << text;
  EXPECT_NE(text.find("by EXECINFO"), std::string::npos) << text;
}

TEST_F(Backtrace, FailsWhereNoTypeWorks) {
  settle("MINE,NO_SUCH_TYPE");
  written(gasnett_print_backtrace, 1);
}

TEST_F(Backtrace, OfADebuggerIsItsOutput) {
  install("gdb", "echo \"attached to $8\"; echo '#0  main () at program.c:7'");
  settle("GDB");
  const std::string text = written(gasnett_print_backtrace, 0);
  EXPECT_NE(text.find("attached to " + std::to_string(getpid())), std::string::npos) << text;
  EXPECT_NE(text.find("#0  main () at program.c:7"), std::string::npos) << text;
  uninstall();
}

TEST_F(Backtrace, OfADebuggerThatCannotAttachIsDropped) {
  install("gdb", "echo 'ptrace: Operation not permitted.'");
  settle("GDB,EXECINFO");
  const std::string text = written(gasnett_print_backtrace, 0);
  EXPECT_EQ(text.find("ptrace"), std::string::npos) << text;
  EXPECT_NE(text.find("by EXECINFO"), std::string::npos) << text;
  uninstall();
}

TEST_F(Backtrace, OnErrorsIsOffUntilAskedFor) {
  settle("EXECINFO");
  EXPECT_EQ(written(gasnett_print_backtrace_ifenabled, 1), "~");
  setenv("GASNET_BACKTRACE", "1", 1);
  settle("EXECINFO");
  EXPECT_NE(written(gasnett_print_backtrace_ifenabled, 0).find("by EXECINFO"), std::string::npos);
  EXPECT_EXIT(gasnett_fatalerror("the reason"), testing::KilledBySignal(SIGABRT),
              "the reason\n.*Backtrace of pid");
}

TEST_F(Backtrace, OnErrorsIsLimitedToRanks) {
  setenv("GASNET_BACKTRACE", "1", 1);
  setenv("GASNET_BACKTRACE_NODES", "1-3", 1);  // a process outside a job counts as rank 0
  settle("EXECINFO");
  EXPECT_EQ(written(gasnett_print_backtrace_ifenabled, 1), "~");
  setenv("GASNET_BACKTRACE_NODES", "3,0", 1);
  settle("EXECINFO");
  EXPECT_NE(written(gasnett_print_backtrace_ifenabled, 0), "~");
  setenv("GASNET_BACKTRACE_NODES", "3,", 1);
  EXPECT_EXIT(settle("EXECINFO"), testing::ExitedWithCode(1),
              "GASNET_BACKTRACE_NODES='3,' is not a list of ranks");
}

TEST_F(Backtrace, CanBeReplacedByTheClient) {
  const auto before = gasnett_print_backtrace_ifenabled;
  gasnett_print_backtrace_ifenabled = [](int fd) { return write(fd, "my own way\n", 11) == 11 ? 0 : 1; };
  EXPECT_EXIT(gasnett_fatalerror("the reason"), testing::KilledBySignal(SIGABRT), "the reason\nmy own way");
  gasnett_print_backtrace_ifenabled = before;
}

TEST_F(Backtrace, ComesOnASignalAndTheProgramGoesOn) {
  setenv("GASNET_BACKTRACE_SIGNAL", "usr1", 1);
  settle("EXECINFO");
  testing::internal::CaptureStderr();
  raise(SIGUSR1);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("by EXECINFO"), std::string::npos);
  setenv("GASNET_BACKTRACE_SIGNAL", "SIGNOTHING", 1);
  EXPECT_EXIT(settle("EXECINFO"), testing::ExitedWithCode(1),
              "GASNET_BACKTRACE_SIGNAL='SIGNOTHING' is not a signal");
  unsetenv("GASNET_BACKTRACE_SIGNAL");
}

/// Lets a frozen process go, as a debugger would.
class Thaw {
 public:
  explicit Thaw(volatile int& flag)
      : thread_([&flag] {
          while (__atomic_load_n(&flag, __ATOMIC_RELAXED) == 0) gasnett_sched_yield();
          __atomic_store_n(&flag, 0, __ATOMIC_RELAXED);
        }) {}
  ~Thaw() { thread_.join(); }

 private:
  std::thread thread_;
};

TEST(Freeze, LastsUntilTheFlagChanges) {
  volatile int flag = 0;
  testing::internal::CaptureStderr();
  {
    Thaw thaw(flag);
    gasnett_freezeForDebuggerNow(&flag, "my_flag");
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("Process frozen for a debugger: pid " + std::to_string(getpid())), std::string::npos)
      << text;
  EXPECT_NE(text.find("set var my_flag=0"), std::string::npos) << text;
}

TEST(Freeze, OnErrorsIsOffUntilAskedFor) {
  gasnett_freezeForDebuggerErr();  // returns
  setenv("GASNET_FREEZE_ON_ERROR", "yes", 1);
  testing::internal::CaptureStderr();
  {
    Thaw thaw(gasnet_frozen);
    gasnett_freezeForDebuggerErr();
  }
  EXPECT_NE(testing::internal::GetCapturedStderr().find("gasnet_frozen"), std::string::npos);
  unsetenv("GASNET_FREEZE_ON_ERROR");
}

TEST(Freeze, ComesOnASignal) {
  setenv("GASNET_FREEZE_SIGNAL", "SIGUSR2", 1);
  gasnett_backtrace_init(nullptr);
  unsetenv("GASNET_FREEZE_SIGNAL");
  testing::internal::CaptureStderr();
  {
    Thaw thaw(gasnet_frozen);
    raise(SIGUSR2);
  }
  EXPECT_NE(testing::internal::GetCapturedStderr().find("Process frozen"), std::string::npos);
}

TEST(RankList, HasNumbersAndRanges) {
  EXPECT_EQ(find_rank("", 7), Listed::kYes);
  EXPECT_EQ(find_rank("*", 7), Listed::kYes);
  for (const unsigned rank : {0u, 2u, 3u, 4u, 6u})
    EXPECT_EQ(find_rank("0,2-4,6", rank), Listed::kYes) << rank;
  for (const unsigned rank : {1u, 5u, 7u, 60u}) EXPECT_EQ(find_rank("0,2-4,6", rank), Listed::kNo) << rank;
  for (const char* wrong : {",", "1,", "a", "1-", "4-2", "1 2", "*,1", "-1"}) {
    EXPECT_EQ(find_rank(wrong, 1), Listed::kMalformed) << wrong;
  }
}

TEST(SignalNames, AreReadInEveryForm) {
  for (const char* name : {"SIGSEGV", "SEGV", "sigsegv", "segv", "11"})
    EXPECT_EQ(signal_by_name(name), SIGSEGV) << name;
  for (const char* wrong : {"", "SIG", "0", "-1", "11x", "9999"})
    EXPECT_EQ(signal_by_name(wrong), 0) << wrong;
}

TEST(VerboseEnvironment, ReportsEachSettingOnce) {
  setenv("GASNET_VERBOSEENV", "1", 1);
  setenv("AQUEDUCT_TEST_GIVEN", "3MB", 1);
  testing::internal::CaptureStderr();
  for (int twice = 0; twice < 2; ++twice) {
    gasnett_getenv_int_withdefault("AQUEDUCT_TEST_GIVEN", 1, 1);
    gasnett_getenv_yesno_withdefault("AQUEDUCT_TEST_DEFAULT", 1);
    gasnett_getenv_withdefault("AQUEDUCT_TEST_NOTHING", nullptr);
    gasnett_envdbl_display("AQUEDUCT_TEST_REAL", 0.5, 0);
    gasnett_envstr_display("AQUEDUCT_TEST_EMPTY", "", 1);
    gasnett_getenv("AQUEDUCT_TEST_RAW");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "ENV parameter: AQUEDUCT_TEST_GIVEN = 3 MB\n"
            "ENV parameter: AQUEDUCT_TEST_DEFAULT = YES   (default)\n"
            "ENV parameter: AQUEDUCT_TEST_NOTHING = *not set*   (default)\n"
            "ENV parameter: AQUEDUCT_TEST_REAL = 0.5\n"
            "ENV parameter: AQUEDUCT_TEST_EMPTY = *empty*   (default)\n");
  unsetenv("GASNET_VERBOSEENV");
}

}  // namespace
