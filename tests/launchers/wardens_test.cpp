// What the wardens of several hosts say to each other, over TCP. One of them is real and has a rank; the test
// is the others.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>

#include "job/bootstrap/greeter.hpp"
#include "job/bootstrap/visitors.hpp"
#include "job/inspection/job_table.hpp"
#include "job/messages/rank_messages.hpp"
#include "job/place/failures.hpp"
#include "job/supervision/rank_source.hpp"
#include "job/warden/enrolment.hpp"
#include "job/warden/order.hpp"
#include "job/warden/warden.hpp"

namespace aqueduct::job {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience(20);

/// A warden that the test plays.
class Played {
 public:
  explicit Played(net::Descriptor socket)
      : copy_(::fcntl(socket.get(), F_DUPFD_CLOEXEC, 0)), link_(std::move(socket)) {}

  void send(const agent::RankMessage& message) { link_.send(message); }
  void send_raw(std::string_view bytes) { link_.send_raw(bytes); }
  void close() {
    link_.close();
    copy_.close();
  }
  void tell_of_end(RankId rank, int status) {
    send(agent::Happened{static_cast<std::uint8_t>(RankEvent::Kind::kEnded), rank, status, {}});
  }
  /// The next message of this kind; nothing if the connection ends before.
  template <class Kind>
  std::optional<Kind> await() {
    for (const auto end = Clock::now() + kPatience; Clock::now() < end;) {
      while (const std::optional<agent::RankMessage> message = link_.next()) {
        if (const Kind* const wanted = std::get_if<Kind>(&*message)) return *wanted;
      }
      if (link_.is_closed()) return std::nullopt;
      pollfd readable = {copy_.get(), POLLIN, 0};
      ::poll(&readable, 1, 100);
      link_.receive();
    }
    return std::nullopt;
  }

 private:
  net::Descriptor copy_;  // to poll
  RankLink link_;
};

/// Three hosts, a, b and c, with a rank each.
class Wardens : public ::testing::Test {
 protected:
  Wardens() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    errors_ = net::Descriptor(ends[0]);
    errors_in_ = net::Descriptor(ends[1]);
    listener_ = net::listen_at(net::Address::loopback());
    address_ = net::local_address(listener_.get());
  }
  ~Wardens() override {
    if (rank_ > 0) ::kill(rank_, SIGKILL);
  }

  /// Starts the rank of this host and the warden; the rank does `what` and ends with what that returns.
  void start(HostId machine, const std::function<int(const warden::Enrolled&)>& what) {
    rank_ = ::fork();
    if (rank_ != 0) {
      errors_in_.close();
      if (machine == 0) listener_.close();
      return;
    }
    ::dup2(errors_in_.get(), STDERR_FILENO);
    warden::WardenPlan plan;
    plan.name = static_cast<std::uint64_t>(::getpid()) << 32 | static_cast<std::uint64_t>(std::rand());
    plan.machines = Layout::blocks(3, 1);
    plan.machine = machine;
    plan.names = {"a", "b", "c"};
    plan.timeout_ms = timeout_ms_;
    plan.patience_ms = patience_ms_;
    plan.reports_failures = reports_;
    plan.key = key_;
    if (machine == 0) plan.listener = std::move(listener_);
    plan.first = address_;
    const std::uint64_t name = plan.name;
    warden::start(std::move(plan));
    const warden::Enrolled enrolled = warden::enrol(name, machine, 10'000);
    warden::obey_orders();
    ::_exit(what(enrolled));
  }
  void start_first() {
    start(0, [](const warden::Enrolled&) {
      for (;;) ::pause();
      return 0;
    });
  }

  /// Leaves the port to the warden that has been started.
  void close_own_listener() { listener_.close(); }
  /// Whether somebody takes connections where the first warden is met.
  bool is_met() const {
    const net::Descriptor socket = net::connect_to(address_);
    pollfd polled = {socket.get(), POLLOUT, 0};
    ::poll(&polled, 1, 1000);
    return (polled.revents & (POLLERR | POLLHUP)) == 0;
  }

  /// Comes to the first warden as that of `machine`.
  Played join(HostId machine) {
    Greeting greeting;
    greeting.purpose = Greeting::Purpose::kReport;
    greeting.number = machine;
    greeting.participants = 3;
    PersistentGreeter greeter(address_, greeting, key_);
    while (greeter.advance() == Greeter::State::kUnderWay) ::usleep(1000);
    EXPECT_EQ(greeter.answer().verdict, GreetingVerdict::kWelcome);
    return Played(greeter.take_connection());
  }
  /// Takes in another warden, as the first one.
  Played admit() {
    Visitors visitors(key_, Greeting::Purpose::kReport, 3);
    net::Descriptor taken;
    for (const auto end = Clock::now() + kPatience; !taken && Clock::now() < end; ::usleep(1000)) {
      visitors.serve(listener_.get(), [&](const Greeting& greeting, net::Descriptor& connection) {
        taken = std::move(connection);
        GreetingAnswer answer;
        answer.number = greeting.number;
        return answer;
      });
    }
    return Played(std::move(taken));
  }

  /// Until the real rank is stopped.
  void await_stop() {
    siginfo_t info;
    EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(rank_), &info, WSTOPPED | WNOWAIT), 0);
  }
  /// How the real rank ended.
  int wait_status() {
    int status = 0;
    EXPECT_EQ(::waitpid(rank_, &status, 0), rank_);
    rank_ = -1;
    return status;
  }
  /// All that the rank and its warden have written, once both have ended.
  std::string errors() {
    std::string text;
    char buffer[256];
    for (ssize_t length; (length = ::read(errors_.get(), buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(length));
    return text;
  }

  net::JobKey key_ = net::JobKey::random();
  int timeout_ms_ = 10'000;
  std::uint32_t patience_ms_ = 0;
  bool reports_ = false;
  net::Address address_;

 private:
  net::Descriptor errors_, errors_in_, listener_;
  pid_t rank_ = -1;
};

TEST_F(Wardens, ADeathOnAnotherHostEndsAllAndIsSaidWithItsHost) {
  start_first();
  Played b = join(1), c = join(2);
  b.tell_of_end(1, SIGKILL);
  b.send(agent::Finished{});
  EXPECT_EQ(c.await<agent::Leave>(), agent::Leave{128 + SIGKILL});
  c.tell_of_end(2, (128 + SIGKILL) << 8);
  c.send(agent::Finished{});
  EXPECT_EQ(WEXITSTATUS(wait_status()), 128 + SIGKILL);
  EXPECT_EQ(errors(),
            "aqueduct: rank 1 on host b was killed by signal 9 (Killed); the job ends with code 137\n");
}

TEST_F(Wardens, TheFirstOneListensUntilAllHaveCome) {
  start_first();
  close_own_listener();
  Played second = join(1);
  EXPECT_TRUE(is_met());
  Played third = join(2);
  bool is_open = true;
  for (const auto end = Clock::now() + kPatience; is_open && Clock::now() < end; ::usleep(1000))
    is_open = is_met();
  EXPECT_FALSE(is_open);
}

TEST_F(Wardens, WhoHasAWrongKeyIsMentionedWhenAHostIsGivenUp) {
  timeout_ms_ = 1500;
  start_first();
  Played second = join(1);
  Greeting greeting;
  greeting.purpose = Greeting::Purpose::kReport;
  greeting.number = 2;
  greeting.participants = 3;
  Greeter stranger(address_, greeting, net::JobKey::random());
  while (stranger.advance() == Greeter::State::kUnderWay) ::usleep(1000);
  EXPECT_NE(wait_status(), 0);
  second.close();
  const std::string said = errors();
  EXPECT_NE(
      said.find("(AQUEDUCT_START_TIMEOUT); connections with a wrong key were refused: 1 from 127.0.0.1"),
      std::string::npos)
      << said;
}

TEST_F(Wardens, ARankThatIsSaidNotToAnswerIsLookedAt) {
  start(0, [](const warden::Enrolled& enrolled) {
    const auto pid = static_cast<std::uint32_t>(::getpid());
    const auto place = static_cast<off_t>(rank_record_place(0) + offsetof(observe::RankRecord, pid));
    if (::pwrite(enrolled.memory_fd, &pid, sizeof pid, place) != sizeof pid) return 3;
    ::raise(SIGSTOP);
    return 0;
  });
  await_stop();
  Played b = join(1), c = join(2);
  b.send(agent::Happened{static_cast<std::uint8_t>(RankEvent::Kind::kAborted), 1, 0 + 1,
                         "*** FATAL ERROR (proc 1): in udp(): rank 0 has not answered for 2 s"});
  EXPECT_TRUE(c.await<agent::Inspect>());
  for (Played* const played : {&b, &c}) EXPECT_EQ(played->await<agent::Leave>(), agent::Leave{1});
  b.close();
  c.close();
  wait_status();
  EXPECT_EQ(errors(),
            "*** FATAL ERROR (proc 1 on host b): in udp(): rank 0 on host a has not answered for 2 s; its "
            "process is stopped\n");
}

TEST_F(Wardens, AnOrderlyEndIsQuiet) {
  start(0, [](const warden::Enrolled&) { return 0; });
  Played b = join(1), c = join(2);
  b.tell_of_end(1, 0);
  c.tell_of_end(2, 0);
  EXPECT_EQ(wait_status(), 0);
  EXPECT_EQ(errors(), "");
}

TEST_F(Wardens, WhoClosesTheConnectionIsLost) {
  start_first();
  Played b = join(1), c = join(2);
  b.close();
  EXPECT_EQ(c.await<agent::Leave>(), agent::Leave{1});
  c.close();
  EXPECT_EQ(WEXITSTATUS(wait_status()), 1);
  EXPECT_EQ(
      errors(),
      "aqueduct: host b is lost: its warden has closed its connection: it was killed, or its host is down; "
      "the job ends with code 1\n");
}

TEST_F(Wardens, WhoIsSilentIsLost) {
  patience_ms_ = 500;
  start_first();
  Played b = join(1), c = join(2);
  EXPECT_NE(errors().find("has been silent for 0.5 s (AQUEDUCT_HEARTBEAT)"), std::string::npos);
  EXPECT_EQ(WEXITSTATUS(wait_status()), 1);
}

TEST_F(Wardens, WhatNoWardenSaysIsNotBelieved) {
  start_first();
  Played b = join(1), c = join(2);
  b.send_raw(std::string(64, '\xff'));
  EXPECT_TRUE(c.await<agent::Leave>());
  c.close();
  EXPECT_NE(errors().find("host b is lost: its warden says what no warden says"), std::string::npos);
  wait_status();
}

TEST_F(Wardens, NobodyTellsOfRanksOfAnotherHost) {
  start_first();
  Played b = join(1), c = join(2);
  b.tell_of_end(2, SIGKILL);
  EXPECT_TRUE(c.await<agent::Leave>());
  c.close();
  EXPECT_NE(errors().find("host b is lost: its warden tells of ranks that it has not"), std::string::npos);
  wait_status();
}

TEST_F(Wardens, WhereTheOthersGoOnAllHostsAreToldWhoHasDied) {
  reports_ = true;
  start(0, [](const warden::Enrolled& enrolled) {
    const FailureList failures(enrolled.memory_fd, 3);
    while (failures.count() < 2) ::usleep(1000);
    return failures[0] == 1 && failures[1] == 2 ? 40 : 41;
  });
  Played b = join(1), c = join(2);
  b.tell_of_end(1, SIGKILL);
  EXPECT_EQ(b.await<agent::Died>(), agent::Died{1});
  EXPECT_EQ(c.await<agent::Died>(), agent::Died{1});
  b.send(agent::Finished{});
  c.close();
  EXPECT_EQ(WEXITSTATUS(wait_status()), 40);
  EXPECT_EQ(errors(),
            "aqueduct: rank 1 on host b was killed by signal 9 (Killed); the others go on "
            "(AQUEDUCT_ON_FAILURE=report)\n"
            "aqueduct: host c is lost: its warden has closed its connection: it was killed, or its host is "
            "down; the "
            "others go on (AQUEDUCT_ON_FAILURE=report)\n"
            "aqueduct: rank 0 on host a ended with code 40; the job ends with code 40\n");
}

TEST_F(Wardens, AnotherHostsWardenTellsItsRanksWhoHasDied) {
  start(1, [](const warden::Enrolled& enrolled) {
    const FailureList failures(enrolled.memory_fd, 3);
    while (failures.count() < 1) ::usleep(1000);
    return 40 + static_cast<int>(failures[0]);
  });
  Played first = admit();
  first.send(agent::Died{2});
  const std::optional<agent::Happened> end = first.await<agent::Happened>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->rank, 1u);
  EXPECT_EQ(end->number, 42 << 8);
  EXPECT_TRUE(first.await<agent::Finished>());
  first.close();
  wait_status();
  EXPECT_EQ(errors(), "");
}

TEST_F(Wardens, RanksEndWhereTheFirstWardenSpeaksOfARankThatCannotBe) {
  start(1, [](const warden::Enrolled&) {
    for (;;) ::pause();
    return 0;
  });
  Played first = admit();
  first.send(agent::Died{3});
  EXPECT_EQ(WTERMSIG(wait_status()), SIGKILL);
  EXPECT_EQ(
      errors(),
      "aqueduct: the warden of the job's first host, a, says what no warden says; the ranks of host b end\n");
}

}  // namespace
}  // namespace aqueduct::job
