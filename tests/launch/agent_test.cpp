// An agent whose launcher is this test: what it does when the other end goes, falls silent or says what
// cannot be.
#include "hosts/agent.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/clock.hpp"
#include "hosts/agent_messages.hpp"
#include "hosts/remote_shell.hpp"
#include "hosts_job.hpp"
#include "net/address.hpp"
#include "net/job_key.hpp"
#include "net/tcp_socket.hpp"

namespace launch_test {
namespace {

using namespace aqueduct::job;
namespace net = aqueduct::net;
using namespace aqueduct::job::agent;
using job_test::all_gone;

/// Waits until the child has ended, for as long as a slow machine may need; then `pid` is -1. False if it
/// goes on.
bool ends(pid_t& pid) {
  for (int round = 0; pid > 0 && round < 20000; ++round) {
    if (waitpid(pid, nullptr, WNOHANG) == pid) pid = -1;
    usleep(1000);
  }
  return pid < 0;
}

class AgentUnderTest : public testing::Test {
 protected:
  AgentUnderTest() : process_(start_shell({AQUEDUCT_TOOL, "agent"}, signals_, limit_)) {
    link_ = std::make_unique<Link>(std::move(process_.output), std::move(process_.input), kPreamble);
    link_->watch(events_, [this] { link_->receive(); });
  }
  ~AgentUnderTest() override {
    link_->close();
    EXPECT_TRUE(has_ended());
    EXPECT_TRUE(all_gone(mark_));
  }

  /// The next message of this kind.
  template <class Kind>
  std::optional<Kind> expect() {
    const std::uint64_t until = aqueduct::machine_clock().now_ns() + 40'000'000'000;
    while (aqueduct::machine_clock().now_ns() < until) {
      while (const std::optional<Message> message = link_->next()) {
        if (const Kind* const wanted = std::get_if<Kind>(&*message)) return *wanted;
      }
      if (link_->is_closed()) break;
      events_.wait(100);
      while (events_.serve_next()) {
      }
    }
    ADD_FAILURE() << "the agent does not say that";
    return std::nullopt;
  }
  /// A rank that sleeps, with a child that ignores what can be ignored.
  void start_sleeper() {
    expect<Hello>();
    Start start;
    start.size = 1;
    start.ranks = {0};
    start.machines = "1";
    start.command = {"sh", "-c", "(trap '' TERM HUP INT; sleep " + mark_ + ") & echo ready; sleep " + mark_};
    start.directory = "/";
    start.bind = "none";
    link_->send(start);
    expect<Started>();
    EXPECT_EQ(expect<Written>()->text, "ready\n");
  }
  bool has_ended() { return ends(process_.pid); }

  std::string mark_ = job_test::unique_mark();
  SupervisorSignals signals_;
  DescriptorLimit limit_;
  net::EventSet events_;
  ShellProcess process_;
  std::unique_ptr<Link> link_;
};

TEST_F(AgentUnderTest, SaysWhoItIs) {
  const std::optional<Hello> hello = expect<Hello>();
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->protocol, kProtocol);
  EXPECT_NE(hello->version, "");
  EXPECT_NE(hello->machine, "");
}

TEST_F(AgentUnderTest, EndsWithItsLauncher) {
  start_sleeper();
  link_->close();
  EXPECT_TRUE(has_ended());
}

TEST_F(AgentUnderTest, EndsWhenItsLauncherIsSilent) {
  start_sleeper();
  link_->send(Beat{200});
  EXPECT_TRUE(has_ended());  // although the connection is open
}

/// Nobody has said a word to it, and the connection stays open.
TEST_F(AgentUnderTest, EndsAtOnceWhenItIsAskedToBeforeItIsGreeted) {
  expect<Hello>();
  kill(process_.pid, SIGTERM);
  EXPECT_TRUE(has_ended());
}

class AgentAskedToEnd : public AgentUnderTest, public testing::WithParamInterface<int> {};

TEST_P(AgentAskedToEnd, DoesSoWithItsRanksThoughItsLauncherDoesNothing) {
  start_sleeper();
  link_->send(Beat{0});  // for ever
  kill(process_.pid, GetParam());
  EXPECT_EQ(expect<Signalled>()->number, GetParam());
  EXPECT_TRUE(has_ended());
  EXPECT_TRUE(all_gone(mark_));
}

INSTANTIATE_TEST_SUITE_P(By, AgentAskedToEnd, testing::Values(SIGTERM, SIGINT, SIGHUP));

/// In a process of its own, with a launcher that says nothing and closes nothing.
TEST(Agent, EndsWithoutAFirstWord) {
  int in[2], out[2];
  ASSERT_EQ(pipe(in), 0);
  ASSERT_EQ(pipe(out), 0);
  pid_t agent = fork();
  if (agent == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    AgentSettings settings;
    settings.version = "test";
    settings.first_word_ms = 100;
    _exit(run_agent(settings));
  }
  ASSERT_GT(agent, 0);
  EXPECT_LE(AgentSettings().first_word_ms, 10'000u);
  EXPECT_TRUE(ends(agent));
  if (agent > 0) {
    kill(agent, SIGKILL);
    waitpid(agent, nullptr, 0);
  }
  for (const int fd : {in[0], in[1], out[0], out[1]}) close(fd);
}

TEST_F(AgentUnderTest, EndsWhenItIsToldWhatCannotBe) {
  start_sleeper();
  link_->send(Finished{});
  EXPECT_TRUE(has_ended());
}

TEST_F(AgentUnderTest, EndsWhenItIsToldNonsense) {
  start_sleeper();
  link_->send_raw("this is no message");
  EXPECT_TRUE(has_ended());
}

TEST_F(AgentUnderTest, FinishesWhenAsked) {
  start_sleeper();
  link_->send(Signal{SIGKILL});
  EXPECT_EQ(expect<Happened>()->number, SIGKILL);
  link_->send(Finish{});
  EXPECT_TRUE(expect<Finished>());
  EXPECT_TRUE(has_ended());
}

TEST_F(AgentUnderTest, StartsNothingOfWhatDoesNotFit) {
  expect<Hello>();
  Start start;
  start.size = 2;
  start.ranks = {2};
  start.machines = "2";
  start.command = {"sleep", mark_};
  start.directory = "/";
  link_->send(start);
  EXPECT_TRUE(has_ended());
}

TEST_F(AgentUnderTest, NamesADirectoryThatIsNotThere) {
  expect<Hello>();
  Start start;
  start.size = 1;
  start.ranks = {0};
  start.machines = "1";
  start.command = {"true"};
  start.directory = "/no/such/directory";
  link_->send(start);
  const std::optional<Failed> failed = expect<Failed>();
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->why.find("the working directory /no/such/directory is not there"), 0u) << failed->why;
}

TEST_F(AgentUnderTest, SaysWhichWaysToARendezvousAnswer) {
  expect<Hello>();
  const net::JobKey key = net::JobKey::random();
  link_->send(Meet{key, 2, true});
  const std::optional<Meeting> meeting = expect<Meeting>();
  ASSERT_TRUE(meeting);
  const std::string there = "127.0.0.1:" + std::to_string(meeting->port);
  link_->send(Reach{key, 2, {there, "127.0.0.1:1"}});
  for (int i = 0; i < 2; ++i) {
    const std::optional<Reached> reached = expect<Reached>();
    ASSERT_TRUE(reached);
    EXPECT_EQ(reached->why_not, reached->index == 0 ? "" : "Connection refused");
  }
  link_->send(Reach{net::JobKey::random(), 2, {there}});
  EXPECT_NE(expect<Reached>()->why_not, "");
}

/// As behind a firewall that drops what it does not like: somebody takes the connection and says nothing.
TEST_F(AgentUnderTest, SaysThatAWayToARendezvousNeverAnswers) {
  expect<Hello>();
  const net::Descriptor silent = net::listen_at(net::Address::loopback());
  ASSERT_TRUE(silent);
  link_->send(Reach{net::JobKey::random(), 2, {net::local_address(silent.get()).text()}});
  const std::optional<Reached> reached = expect<Reached>();
  ASSERT_TRUE(reached);
  EXPECT_EQ(reached->why_not, "no answer within 5 s");
}

}  // namespace
}  // namespace launch_test
