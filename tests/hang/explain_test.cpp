// What `aqueduct explain` says of jobs that hang on purpose, each in its own way, and of what is no job.
//
// No test waits for a time: each asks again until the report has what it looks for, or the whole test takes
// too long.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <regex>
#include <string>

#include "observe/job_header.hpp"
#include "support/free_port.hpp"
#include "support/process.hpp"

namespace aqueduct::test {
namespace {

constexpr double kLong = 100;

std::vector<std::string> job_of(const std::string& how, std::vector<std::string> options) {
  std::vector<std::string> command = {AQUEDUCT_LAUNCHER, "run"};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {AQUEDUCT_STANDSTILL, how});
  return command;
}

Outcome tool(const std::string& command, const std::string& job) {
  return run({AQUEDUCT_LAUNCHER, command, job}, {});
}

/// Asks until all the words are there, in their order.
std::string explained(pid_t job, const std::string& words) {
  const std::regex wanted(words);
  const auto begin = std::chrono::steady_clock::now();
  std::string text;
  do {
    text = tool("explain", std::to_string(job)).all();
    std::string line = text;
    std::replace(line.begin(), line.end(), '\n', '|');
    if (std::regex_search(line, wanted)) return text;
    ::usleep(20'000);
  } while (std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(kLong));
  return "NOT FOUND: " + words + "\n" + text;
}

struct Standstill {
  const char* name;
  const char* how;
  std::vector<std::string> options;
  const char* words;
};
void PrintTo(const Standstill& standstill, std::ostream* out) { *out << standstill.name; }

class Explain : public testing::TestWithParam<Standstill> {};

TEST_P(Explain, NamesTheCause) {
  Process job(job_of(GetParam().how, GetParam().options), {"GASNET_EXITTIMEOUT=1000"});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kLong).size(), 1u);
  const std::string text = explained(job.pid(), GetParam().words);
  EXPECT_EQ(text.find("NOT FOUND"), std::string::npos) << text;
  EXPECT_NE(text.find("hang+0x"), std::string::npos) << "without the stacks of ranks\n" << text;
}

INSTANTIATE_TEST_SUITE_P(
    Of, Explain,
    testing::Values(
        Standstill{
            "ALostBarrier",
            "barrier",
            {"-n", "3"},
            R"(rank 0 \(pid \d+\) waits for barrier 2 of all ranks, in gex_Event_Wait, since [0-9.]+ s; rank 1 has not come.*)"
            R"(rank 1 \(pid \d+\) waits for a message, in GASNET_BLOCKUNTIL.*)"
            R"(=> everyone waits for rank 1, which waits for a message, in GASNET_BLOCKUNTIL, which nobody has sent)"},
        Standstill{
            "AReplyNeverSent",
            "reply",
            {"-n", "2"},
            R"(rank 0 .* waits for a message, in GASNET_BLOCKUNTIL.*rank 1 .* waits for barrier 2 .*rank 0 has not come.*)"
            R"(=> rank 1 waits for rank 0, which waits for a message, in GASNET_BLOCKUNTIL, which nobody has sent)"},
        Standstill{
            "CreditStarvation",
            "credits",
            {"-n", "2"},
            R"(rank 0 .* waits for credits: room for a message to rank 1, since [0-9.]+ s; retries: mailbox 1; it has not got 6\d replies of rank 1.*)"
            R"(rank 1 .* sleeps outside of the library.*=> rank 0 waits for rank 1, which sleeps outside of the library)"},
        Standstill{
            "AStoppedRank",
            "stop",
            {"-n", "3"},
            R"(rank 1 \(pid \d+\) is stopped.*=> rank 1 is stopped; SIGCONT lets it go on.*=> everyone waits for rank 1, which is stopped)"},
        Standstill{"AHandlerThatNeverReturns",
                   "handler",
                   {"-n", "2"},
                   R"(rank 1 .* runs handler 130 \('stay'\) of a request of rank 0.*on_stay.*)"
                   R"(=> rank 1 runs handler 130 \('stay'\) of a request of rank 0: until it returns)"},
        Standstill{"ARankThatLeft",
                   "left",
                   {"-n", "3"},
                   R"(rank 0 .* waits for barrier 2 .*rank 1 has not come.*rank 1 .* has left the job.*)"
                   R"(=> rank 1 has left the job.*=> everyone waits for rank 1, which has left the job)"},
        Standstill{
            "ACycle",
            "cycle",
            {"-n", "2"},
            R"(rank 0 .* waits for barrier 1 of team \d+, .*rank 1 has not come.*rank 1 .* waits for barrier 2 of all ranks, .*rank 0 has not come.*)"
            R"(=> a cycle: rank 0 waits for rank 1 waits for rank 0)"},
        Standstill{
            "ACollective",
            "collective",
            {"-n", "3"},
            R"(rank 0 .* waits for collective 1 of all ranks.*rank 1 has not come.*=> everyone waits for rank 1)"},
        Standstill{"ARankThatPolls",
                   "polls",
                   {"-n", "2"},
                   R"(rank 1 .* polls for messages by itself.*=> rank 0 waits for rank 1, which polls)"},
        Standstill{
            "AGetOverANetwork",
            "get",
            {"-n", "2", "--conduit", "wire"},
            R"(rank 0 .* waits for an event: a get to rank 1, in gex_Event_Wait.*=> rank 0 waits for rank 1)"},
        Standstill{
            "CreditsOverANetwork",
            "credits",
            {"-n", "2", "--conduit", "udp", "--layout", "1+1"},
            R"(rank 0 .* waits for credits: room for a message to rank 1, since [0-9.]+ s; retries: credits [1-9].*=> rank 0 waits for rank 1, which sleeps)"}),
    [](const auto& info) { return info.param.name; });

TEST(Explained, AreJobsByAnyOfTheirProcesses) {
  Process job({AQUEDUCT_STANDSTILL, "barrier"}, {"AQUEDUCT_RANKS=2"});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kLong).size(), 1u);
  const std::string text = explained(job.pid(), R"(rank 1 \(pid \d+\) waits for a message)");
  std::smatch rank;
  ASSERT_TRUE(std::regex_search(text, rank, std::regex(R"(rank 1 \(pid (\d+)\))"))) << text;
  EXPECT_NE(tool("explain", rank[1]).out.find("job " + std::to_string(job.pid()) + ": "), std::string::npos);
  EXPECT_NE(run({AQUEDUCT_LAUNCHER, "ps"}).out.find(std::to_string(job.pid()) + "       2"),
            std::string::npos);
}

TEST(Explained, IsAWaitForALock) {
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "1", AQUEDUCT_HELD_LOCK}, {});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kLong).size(), 1u);
  const std::string text = explained(
      job.pid(), R"(rank 0 \(pid \d+\) waits for a lock that thread (\d+) holds, in gex_HSL_Lock, since .*)"
                 R"(thread \1:.*hold_lock)");
  EXPECT_EQ(text.find("NOT FOUND"), std::string::npos) << text;
  const std::string job_number = std::to_string(job.pid());
  const std::string top = run({AQUEDUCT_LAUNCHER, "top", "--once", job_number, "--rank", "0"}).out;
  EXPECT_NE(top.find("waits for locks 1,"), std::string::npos) << top;
  EXPECT_NE(run({AQUEDUCT_LAUNCHER, "top", "--once", job_number}).out.find(" a lock that thr.."),
            std::string::npos);
}

TEST(Explained, IsAlsoAProgramThatIsAlone) {
  Process job({AQUEDUCT_STANDSTILL, "barrier"}, {});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kLong).size(), 1u);
  const std::string text =
      explained(job.pid(), R"(rank 0 \(pid \d+\) waits for a message, in GASNET_BLOCKUNTIL)");
  EXPECT_EQ(text.find("NOT FOUND"), std::string::npos) << text;
}

// The job goes on where it was when it has been asked.
TEST(Explained, JobsGoOn) {
  // The ranks wait for the end of their standard input, which this process holds open.
  const std::string input = testing::TempDir() + "jobs_go_on_" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(input.c_str(), 0600), 0);
  const int writer = ::open(input.c_str(), O_RDWR | O_CLOEXEC);
  Process job({"sh", "-c", "exec " AQUEDUCT_LAUNCHER " run -n 3 " AQUEDUCT_STANDSTILL " <" + input});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kLong).size(), 1u);
  for (int i = 0; i < 5; ++i) {
    const Outcome report = tool("explain", std::to_string(job.pid()));
    EXPECT_EQ(report.exit_code, 0) << report.all();
    EXPECT_NE(report.out.find("rank 2 "), std::string::npos) << report.all();
  }
  ::close(writer);
  ::unlink(input.c_str());
  const Outcome outcome = job.finish(kLong);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(outcome.err, "");
}

/// What the job itself writes, until it has what is looked for.
void expect_report(Process& job, const std::string& words) {
  const std::vector<std::string> lines = job.wait_for_lines(words, 1, kLong);
  EXPECT_EQ(lines.size(), 1u) << words;
}

TEST(Reported, IsAJobThatGetsTheSignal) {
  Process job(job_of("barrier", {"-n", "3"}));
  ASSERT_EQ(job.wait_for_lines("ready", 1, kLong).size(), 1u);
  explained(job.pid(), "everyone waits for rank 1");
  ::kill(job.pid(), SIGUSR1);
  expect_report(job, "=> everyone waits for rank 1");
}

TEST(Reported, IsAWaitThatIsTooLong) {
  Process job(job_of("barrier", {"-n", "2"}), {"AQUEDUCT_HANG_SECONDS=1"});
  expect_report(job, "=> rank 0 waits for rank 1");
}

TEST(Reported, IsAWaitOfARankThatAlwaysFindsSomething) {
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", AQUEDUCT_BUSY}, {"AQUEDUCT_HANG_SECONDS=1"});
  expect_report(job, "=> rank 0 waits for rank 1");
}

TEST(Busy, ARankIsToldOfTheDead) {
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", AQUEDUCT_BUSY, "dies"}, {"AQUEDUCT_ON_FAILURE=report"});
  EXPECT_EQ(job.wait_for_lines("the barrier is over", 1, kLong).size(), 1u);
  EXPECT_EQ(job.finish(kLong).exit_code, 0);
}

TEST(Reported, IsAProgramThatIsAlone) {
  Process job({AQUEDUCT_STANDSTILL, "barrier"}, {"AQUEDUCT_HANG_SECONDS=1"});
  expect_report(job, "rank 0 (pid ");
}

// All hosts are asked, and the report has the ranks of all: as real hosts are reached, but for the shell.
TEST(Reported, AreTheRanksOfAllHosts) {
  const std::string shell = "sh -c 'shift; exec sh -c \"$*\"' shell";
  Process job(job_of("barrier", {"-n", "4", "--hosts", "one:2,two:2", "--rsh", shell, "--conduit", "udp"}));
  ASSERT_EQ(job.wait_for_lines("ready", 1, kLong).size(), 1u);
  const std::string text =
      explained(job.pid(),
                R"(4 ranks on 2 hosts.*rank 0 \(host one, pid \d+\) waits for barrier.*rank 1 has not come.*)"
                R"(rank 3 \(host two, pid \d+\) waits for barrier.*=> everyone waits for rank 1)");
  EXPECT_EQ(text.find("NOT FOUND"), std::string::npos) << text;
  EXPECT_NE(run({AQUEDUCT_LAUNCHER, "top", "--once", std::to_string(job.pid())}).out.find("    3 waits"),
            std::string::npos);
  ::kill(job.pid(), SIGUSR1);
  expect_report(job, "=> everyone waits for rank 1");
}

TEST(Reported, AreRanksThatOthersHaveStarted) {
  const std::string root = "127.0.0.1:" + free_port();
  const auto rank = [&](const char* number) {
    return std::vector<std::string>{"AQUEDUCT_SIZE=2", "AQUEDUCT_ROOT=" + root,
                                    std::string("AQUEDUCT_RANK=") + number};
  };
  Process first({AQUEDUCT_STANDSTILL, "barrier"}, rank("0"));
  Process second({AQUEDUCT_STANDSTILL, "barrier"}, rank("1"));
  const std::string text =
      explained(second.pid(), R"(rank 0 .*waits for barrier 2.*=> rank 0 waits for rank 1)");
  EXPECT_EQ(text.find("NOT FOUND"), std::string::npos) << text;
}

/// One line, whatever the command.
void expect_refused(const std::string& job, const std::string& words) {
  for (const char* command : {"explain", "top"}) {
    const Outcome outcome = tool(command, job);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    ASSERT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_EQ(outcome.err.find(std::string("aqueduct ") + command + ": "), 0u) << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }
}

TEST(NoJob, IsWhatIsNoNumber) {
  for (const char* name : {"hello", "12x", "-3", "0", "99999999999999999999"})
    expect_refused(name, "is no job");
}

TEST(NoJob, IsAProcessThatIsNotThere) { expect_refused("999999999", "no such process"); }

TEST(NoJob, IsAnyOtherProcess) { expect_refused(std::to_string(::getpid()), "belongs to no job"); }

TEST(NoJob, IsAProcessOfAnotherUser) {
  if (::geteuid() != 0) return expect_refused("1", "belongs to user root");
  // As somebody else, who may run the command and look at nobody.
  const Outcome outcome =
      run({"setpriv", "--reuid", "12345", "--clear-groups", AQUEDUCT_LAUNCHER, "explain", "1"});
  if (outcome.err.find("setpriv") != std::string::npos ||
      outcome.err.find("ermission denied") != std::string::npos)
    GTEST_SKIP() << outcome.err;
  EXPECT_NE(outcome.err.find("belongs to user root, and only that user may look at it"), std::string::npos)
      << outcome.err;
}

TEST(NoJob, IsOneThatHasEnded) {
  Process job(job_of("none", {"-n", "1"}));
  const std::string number = std::to_string(job.pid());
  job.finish(kLong);
  expect_refused(number, "no such process");
}

/// A process that holds something which calls itself a job's memory.
class Impostor {
 public:
  explicit Impostor(const std::string& content) {
    const int memory = ::memfd_create("aqueduct", 0);
    (void)!::ftruncate(memory, off_t{1} << 40);
    (void)!::pwrite(memory, content.data(), content.size(), off_t{1} << 32);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::pause();
      ::_exit(0);
    }
    ::close(memory);
  }
  ~Impostor() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::string pid() const { return std::to_string(pid_); }

 private:
  pid_t pid_;
};

/// As it stands in a job's memory behind the magic number.
std::string this_version() {
  const std::uint32_t version = observe::JobHeader::kVersion;
  return {reinterpret_cast<const char*>(&version), sizeof version};
}

TEST(NoJob, IsMemoryThatSaysNonsense) {
  EXPECT_EQ(run({AQUEDUCT_LAUNCHER, "ps"}).exit_code, 0);
  expect_refused(Impostor("").pid(), "does not say what it is");
  expect_refused(Impostor(std::string(4096, 'x')).pid(), "does not say what it is");
  const std::string magic = "AQTABLE1";
  expect_refused(Impostor(magic + std::string(4088, '\xff')).pid(), "another version");
  expect_refused(Impostor(magic + this_version() + std::string(4084, '\xff')).pid(), "has been overwritten");
  EXPECT_EQ(run({AQUEDUCT_LAUNCHER, "ps"}).exit_code, 0);
}

// Ranks that have written anything into their records are told of as far as that makes sense, and harm
// nobody.
TEST(NoJob, IsNotHarmedByRecordsOfNonsense) {
  std::string content = "AQTABLE1";
  content += this_version() + std::string("\4\0\0\0", 4) + std::string("\1\0\0\0", 4);
  content.resize(1 << 20);
  for (unsigned i = 0; i < 4 * 16384; ++i) content += static_cast<char>(i * 37 + i / 251);
  const Impostor impostor(content);
  const Outcome outcome = tool("explain", impostor.pid());
  EXPECT_LE(outcome.exit_code, 1) << outcome.all();
  EXPECT_LE(run({AQUEDUCT_LAUNCHER, "top", "--once", impostor.pid()}).exit_code, 1);
}

}  // namespace
}  // namespace aqueduct::test
