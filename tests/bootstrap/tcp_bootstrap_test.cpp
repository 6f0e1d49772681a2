// The bootstrap over TCP, on the loopback interface: participants, the rendezvous, and who should not be let
// in.
#include "job/tcp_bootstrap.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <atomic>
#include <thread>

#include "bootstrap/exercise.hpp"
#include "bootstrap/rendezvous_server.hpp"

namespace aqueduct::job::test {
namespace {

/// What a connection hears when it has said `bytes`, until it is closed or has heard a whole answer.
std::string say(const NetAddress& where, std::string_view bytes) {
  Descriptor socket = connect_to(where);
  EXPECT_TRUE(socket);
  std::string heard;
  while (heard.size() < sizeof(Answer)) {
    pollfd polled{socket.get(), static_cast<short>(bytes.empty() ? POLLIN : POLLIN | POLLOUT), 0};
    ::poll(&polled, 1, -1);
    if (!bytes.empty()) {
      const Transferred sent = send_some(socket.get(), bytes.data(), bytes.size());
      bytes.remove_prefix(sent.bytes);
      if (sent.is_closed) break;
    }
    char buffer[256];
    const Transferred got = receive_some(socket.get(), buffer, sizeof buffer);
    heard.append(buffer, got.bytes);
    if (got.is_closed) break;
  }
  return heard;
}

std::string_view text_of(const Greeting& greeting) {
  return {reinterpret_cast<const char*>(&greeting), sizeof greeting};
}

Answer answer_in(const std::string& heard) {
  Answer answer;
  EXPECT_EQ(heard.size(), sizeof answer);
  std::memcpy(static_cast<void*>(&answer), heard.data(), std::min(heard.size(), sizeof answer));
  return answer;
}

Greeting greeting_of(const RendezvousServer& server, Greeting::Purpose purpose, RankId number) {
  Greeting greeting;
  greeting.key = server.place(number).key;
  greeting.purpose = purpose;
  greeting.number = number;
  greeting.participants = server.place(number).size;
  greeting.listens_at.port = 9;
  return greeting;
}

class TcpBootstrapOf : public testing::TestWithParam<RankId> {};

TEST_P(TcpBootstrapOf, ThreadsBringsEverybodysBytesToAll) {
  const RankId size = GetParam();
  RendezvousServer server(size);
  run_threads(size, [&](RankId node) {
    TcpBootstrap bootstrap(server.place(node));
    exercise(bootstrap, 31 + size, size > 16 ? 6 : 30, size > 16 ? 40'000 : 1'500'000);
    EXPECT_LE(bootstrap.connections(), 5u);
  });
}

TEST_P(TcpBootstrapOf, ProcessesBringsEverybodysBytesToAll) {
  const RankId size = GetParam();
  RendezvousServer server(size, RendezvousServer::As::kProcess);
  run_forks(size, [&](RankId node) {
    TcpBootstrap bootstrap(server.place(node));
    exercise(bootstrap, 41 + size, size > 16 ? 6 : 30, size > 16 ? 40'000 : 3'000'000);
  });
}

INSTANTIATE_TEST_SUITE_P(Participants, TcpBootstrapOf, testing::Values(1, 2, 3, 17, 64),
                         testing::PrintToStringParamName());

TEST(TcpBootstrap, StrangersAreDroppedAndInNobodysWay) {
  constexpr RankId kSize = 6;
  RendezvousServer server(kSize);
  const Greeting register_1 = greeting_of(server, Greeting::Purpose::kRegister, 1);
  const Greeting join_1 = greeting_of(server, Greeting::Purpose::kJoin, 1);
  Greeting wrong_key = register_1;
  wrong_key.key = JobKey::random();
  Greeting outside = register_1;
  outside.number = kSize;
  Greeting wrong_magic = register_1;
  wrong_magic.magic ^= 1;
  const std::string too_much = std::string(text_of(register_1)) + "!";
  std::atomic<bool> is_over = false;
  std::vector<Descriptor> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(connect_to(server.place(0).rendezvous));
  std::jthread nuisance([&] {
    while (!is_over.load()) {
      for (const std::string_view bytes :
           {text_of(wrong_key), text_of(outside), text_of(wrong_magic), std::string_view(too_much),
            std::string_view("GET / HTTP/1.0\r\n\r\n"), text_of(join_1)})
        EXPECT_EQ(say(server.place(0).rendezvous, bytes), "");
    }
  });
  run_threads(kSize, [&](RankId node) {
    TcpBootstrap bootstrap(server.place(node));
    exercise(bootstrap, 7, 10, 1000);
  });
  is_over = true;
}

TEST(TcpBootstrap, ANodeTakesInItsChildrenOnly) {
  RendezvousServer server(2);
  TcpBootstrap root(server.place(0));
  root.begin_barrier();
  std::atomic<bool> is_over = false;
  std::jthread others([&] {
    // Registers as number 1 to find out where the root listens.
    NetAddress there;
    do {
      there = answer_in(say(server.place(1).rendezvous,
                            text_of(greeting_of(server, Greeting::Purpose::kRegister, 1))))
                  .address;
    } while (!there);
    Greeting wrong_key = greeting_of(server, Greeting::Purpose::kJoin, 1);
    wrong_key.key = JobKey::random();
    EXPECT_EQ(say(there, text_of(wrong_key)), "");
    EXPECT_EQ(say(there, "ssh-2.0-what is this"), "");
    EXPECT_EQ(say(there, text_of(greeting_of(server, Greeting::Purpose::kRegister, 1))), "");
    is_over = true;
  });
  while (!is_over) root.sleep();
  EXPECT_EQ(root.connections(), 0u);
}

TEST(Rendezvous, AnswersAnotherVersionWithItsOwn) {
  RendezvousServer server(2);
  Greeting later = greeting_of(server, Greeting::Purpose::kRegister, 1);
  later.version = kGreetingVersion + 1;
  const Answer answer =
      answer_in(say(server.place(1).rendezvous, std::string(text_of(later)) + "more than we know"));
  EXPECT_EQ(answer.verdict, Verdict::kOtherVersion);
  EXPECT_EQ(answer.version, kGreetingVersion);
}

TEST(Rendezvous, SaysWhenTheParentHasNotComeAndWhenANumberIsTaken) {
  RendezvousServer server(7);
  const NetAddress there = server.place(0).rendezvous;
  Greeting five = greeting_of(server, Greeting::Purpose::kRegister, 5);
  EXPECT_EQ(answer_in(say(there, text_of(five))).verdict, Verdict::kNotYet);
  Greeting one = greeting_of(server, Greeting::Purpose::kRegister, 1);
  one.listens_at = *NetAddress::parse("192.0.2.7:4000");
  EXPECT_EQ(answer_in(say(there, text_of(one))).verdict, Verdict::kNotYet);
  const Answer answer = answer_in(say(there, text_of(five)));
  EXPECT_EQ(answer.verdict, Verdict::kWelcome);
  EXPECT_EQ(answer.address, one.listens_at);
  five.listens_at.port = 10;
  EXPECT_EQ(answer_in(say(there, text_of(five))).verdict, Verdict::kTaken);
  five.participants = 8;
  EXPECT_EQ(answer_in(say(there, text_of(five))).verdict, Verdict::kOtherSize);
}

TEST(Rendezvous, TakesInManyMoreThanItHears) {
  constexpr RankId kSize = 600;
  RendezvousServer server(kSize);
  std::vector<Registration> all;
  for (RankId number = kSize; number-- > 0;)  // parents come last
    all.emplace_back(server.place(number).rendezvous,
                     greeting_of(server, Greeting::Purpose::kRegister, number));
  for (std::size_t known = 0; known < all.size();) {
    known = 0;
    for (Registration& registration : all) known += registration.advance() ? 1 : 0;
  }
  for (RankId number = 1; number < kSize; ++number)
    EXPECT_EQ(all[kSize - 1 - number].parent(), *NetAddress::parse("127.0.0.1:9"));
}

TEST(JobKey, TextAndBack) {
  const JobKey key = JobKey::random();
  ASSERT_TRUE(JobKey::parse(key.text()));
  EXPECT_TRUE(JobKey::parse(key.text())->is_same(key));
  EXPECT_FALSE(key.is_same(JobKey::random()));
  EXPECT_FALSE(JobKey::parse(key.text() + "0"));
  EXPECT_FALSE(JobKey::parse(std::string(64, 'x')));
}

TEST(NetAddress, TextAndBack) {
  for (const char* text : {"127.0.0.1:1", "192.0.2.255:65535", "[2001:db8::1]:4000"})
    EXPECT_EQ(NetAddress::parse(text)->text(), text);
  for (const char* text : {"", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0:1",
                           "localhost:1", "[::1:5", "::1:5", "127.0.0.1:1 "})
    EXPECT_FALSE(NetAddress::parse(text)) << text;
}

/// Runs participants as threads, in the process of a death test.
void run_places(const std::vector<TcpPlace>& places, const std::function<void(TcpBootstrap&)>& main) {
  run_threads(static_cast<RankId>(places.size()), [&](RankId i) {
    TcpBootstrap bootstrap(places[i]);
    main(bootstrap);
  });
}

TEST(TcpBootstrapDeathTest, APeerThatDiesIsNamedWithThoseBehindIt) {
  EXPECT_EXIT(
      {
        RendezvousServer server(7);
        run_threads(7, [&](RankId node) {
          auto bootstrap = std::make_unique<TcpBootstrap>(server.place(node));
          bootstrap->barrier();
          if (node == 1) bootstrap.reset();  // 5 and 6 are its children; who of the others is first?
          if (node == 0) bootstrap->barrier();
          while (true) ::pause();
        });
      },
      testing::ExitedWithCode(1),
      "the connection to rank 1, with 2 more behind it is lost before the job was over");
}

/// Node 0 goes on alone; of the loss it speaks after `silence`.
void lose_node_1(std::chrono::milliseconds silence, int steps) {
  RendezvousServer server(2);
  run_threads(2, [&](RankId node) {
    TcpPlace place = server.place(node);
    place.silence = silence;
    auto bootstrap = std::make_unique<TcpBootstrap>(place);
    bootstrap->barrier();
    if (node == 1) return bootstrap.reset();
    bootstrap->begin_barrier();
    for (int step = 0; step < steps; ++step) {
      EXPECT_FALSE(bootstrap->advance());
      bootstrap->sleep();
    }
  });
}

TEST(TcpBootstrapDeathTest, ALossIsNamedOnlyAfterTheSilence) {
  lose_node_1(std::chrono::hours(1), 5);
  EXPECT_EXIT(lose_node_1(std::chrono::milliseconds(50), 1'000'000), testing::ExitedWithCode(1),
              "the connection to rank 1 is lost before the job was over");
}

TEST(TcpBootstrapDeathTest, APeerThatDiesInTheMiddleOfAMessageIsNamed) {
  EXPECT_EXIT(
      {
        RendezvousServer server(2, RendezvousServer::As::kProcess);
        const pid_t child = ::fork();
        if (child == 0) {
          TcpBootstrap bootstrap(server.place(1));
          bootstrap.barrier();
          const std::vector<std::byte> much(std::size_t{64} << 20);
          bootstrap.begin_all_gather(much);
          bootstrap.advance();  // as much as fits into the socket
          ::raise(SIGKILL);
        }
        TcpBootstrap bootstrap(server.place(0));
        bootstrap.barrier();
        ::waitpid(child, nullptr, 0);
        bootstrap.all_gather({});
      },
      testing::ExitedWithCode(1), "the connection to rank 1 is lost before the job was over");
}

TEST(TcpBootstrapDeathTest, AWrongKeyIsSuspected) {
  EXPECT_EXIT(
      {
        RendezvousServer server(2);
        TcpPlace place = server.place(1);
        place.key = JobKey::random();
        TcpBootstrap(place).barrier();
      },
      testing::ExitedWithCode(1), "does not take number 1 in: .*; its key may be that of another job");
}

TEST(TcpBootstrapDeathTest, TwoWithTheSameNumberAreNamed) {
  EXPECT_EXIT(
      {
        RendezvousServer server(3);
        run_places({server.place(1), server.place(1)}, [](TcpBootstrap& bootstrap) { bootstrap.barrier(); });
      },
      testing::ExitedWithCode(1), "two participants have the number 1: this one, and one at 127.0.0.1:");
}

TEST(TcpBootstrapDeathTest, JobsOfDifferentSizesAreNamed) {
  EXPECT_EXIT(
      {
        RendezvousServer server(3);
        TcpPlace place = server.place(1);
        place.size = 4;
        TcpBootstrap(place).barrier();
      },
      testing::ExitedWithCode(1),
      "number 1 was told of a job of 4 participants, and the rendezvous .* of one of 3");
}

TEST(TcpBootstrapDeathTest, BothVersionsAreNamedByAParticipant) {
  EXPECT_EXIT(
      {
        RendezvousServer server(2);
        Descriptor listener = listen_at(*NetAddress::parse("127.0.0.1:0"));
        TcpPlace place = server.place(1);
        place.rendezvous = local_address(listener.get());
        std::jthread later([&] {
          Descriptor connection;
          while (!(connection = accept_from(listener.get()))) ::sched_yield();
          Answer answer;
          answer.version = 77;
          send_some(connection.get(), &answer, Answer::kCommonBytes);
          ::shutdown(connection.get(), SHUT_WR);
          ::pause();
        });
        TcpBootstrap(place).barrier();
      },
      testing::ExitedWithCode(1), "speaks version 77 of the bootstrap and this one version 1");
}

TEST(TcpBootstrapDeathTest, BothVersionsAreNamedByANode) {
  EXPECT_EXIT(
      {
        RendezvousServer server(2);
        TcpBootstrap root(server.place(0));
        root.begin_barrier();
        std::jthread other([&] {
          NetAddress there;
          do {
            there = answer_in(say(server.place(1).rendezvous,
                                  text_of(greeting_of(server, Greeting::Purpose::kRegister, 1))))
                        .address;
          } while (!there);
          Greeting later = greeting_of(server, Greeting::Purpose::kJoin, 1);
          later.version = 5;
          EXPECT_EQ(answer_in(say(there, text_of(later))).verdict, Verdict::kOtherVersion);
          ::pause();
        });
        while (!root.advance()) root.sleep();
      },
      testing::ExitedWithCode(1), "speaks version 5 of the bootstrap and this one version 1");
}

}  // namespace
}  // namespace aqueduct::job::test
