// The bootstrap over TCP, on the loopback interface: participants, the rendezvous, and who should not be let
// in.
#include "job/bootstrap/tcp_bootstrap.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <atomic>
#include <deque>
#include <optional>
#include <thread>

#include "bootstrap/exercise.hpp"
#include "bootstrap/rendezvous_server.hpp"

namespace aqueduct::job::test {
namespace {

/// What a connection hears when it has said `bytes`, until it is closed or has heard as much as a challenge.
std::string say(const net::Address& where, std::string_view bytes) {
  net::Descriptor socket = net::connect_to(where);
  EXPECT_TRUE(socket);
  std::string heard;
  while (heard.size() < sizeof(Challenge)) {
    pollfd polled{socket.get(), static_cast<short>(bytes.empty() ? POLLIN : POLLIN | POLLOUT), 0};
    ::poll(&polled, 1, -1);
    if (!bytes.empty()) {
      const net::Transferred sent = net::send_some(socket.get(), bytes.data(), bytes.size());
      bytes.remove_prefix(sent.bytes);
      if (sent.is_closed) break;
    }
    char buffer[256];
    const net::Transferred got = net::receive_some(socket.get(), buffer, sizeof buffer);
    heard.append(buffer, got.bytes);
    if (got.is_closed) break;
  }
  return heard;
}

std::string_view text_of(const Greeting& greeting) {
  return {reinterpret_cast<const char*>(&greeting), sizeof greeting};
}

/// What somebody is answered who knows `key`; nothing if it is dropped.
std::optional<GreetingAnswer> greet(const net::Address& where, const Greeting& greeting,
                                    const net::JobKey& key) {
  Greeter greeter(where, greeting, key);
  for (;;) {
    const Greeter::State state = greeter.advance();
    if (state == Greeter::State::kAnswered) return greeter.answer();
    if (state == Greeter::State::kClosed) return std::nullopt;
    pollfd polled{greeter.fd(), static_cast<short>(greeter.wants_to_send() ? POLLIN | POLLOUT : POLLIN), 0};
    ::poll(&polled, 1, -1);
  }
}

Greeting greeting_of(const RendezvousServer& server, Greeting::Purpose purpose, RankId number) {
  Greeting greeting;
  greeting.purpose = purpose;
  greeting.number = number;
  greeting.participants = server.place(number).size;
  greeting.listens_at.port = 9;
  return greeting;
}

/// Registers as number 1 to find out where the root listens.
net::Address find_root(const RendezvousServer& server) {
  for (;;) {
    const auto answer = greet(server.place(1).rendezvous,
                              greeting_of(server, Greeting::Purpose::kRegister, 1), server.place(1).key);
    if (answer && answer->address) return answer->address;
  }
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
  const net::Address there = server.place(0).rendezvous;
  const net::JobKey key = server.place(0).key;
  const Greeting register_1 = greeting_of(server, Greeting::Purpose::kRegister, 1);
  const Greeting join_1 = greeting_of(server, Greeting::Purpose::kJoin, 1);
  Greeting outside = register_1;
  outside.number = kSize;
  Greeting wrong_magic = register_1;
  wrong_magic.magic ^= 1;
  const std::string too_much = std::string(text_of(register_1)) + "!";
  std::atomic<bool> is_over = false;
  std::vector<net::Descriptor> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(net::connect_to(there));
  std::jthread nuisance([&] {
    while (!is_over.load()) {
      for (const std::string_view bytes : {text_of(wrong_magic), std::string_view(too_much),
                                           std::string_view("GET / HTTP/1.0\r\n\r\n"), text_of(join_1)})
        EXPECT_EQ(say(there, bytes), "");
      EXPECT_FALSE(greet(there, register_1, net::JobKey::random()));
      EXPECT_FALSE(greet(there, outside, key));
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
    const net::Address there = find_root(server);
    const Greeting join_1 = greeting_of(server, Greeting::Purpose::kJoin, 1);
    EXPECT_FALSE(greet(there, join_1, net::JobKey::random()));
    EXPECT_EQ(say(there, "ssh-2.0-what is this"), "");
    EXPECT_EQ(say(there, text_of(greeting_of(server, Greeting::Purpose::kRegister, 1))), "");
    is_over = true;
  });
  while (!is_over) root.sleep();
  EXPECT_EQ(root.connections(), 0u);
}

// As many strangers as connect at all, who say nothing, garbage, half of a greeting, or a greeting that they
// cannot prove, at the listener of a node whose children are on their way.
TEST(TcpBootstrap, StrangersInCrowdsKeepNobodyOut) {
  constexpr RankId kSize = 5;
  RendezvousServer server(kSize);
  TcpBootstrap root(server.place(0));
  root.begin_barrier();
  net::Address listener = net::Address::loopback();
  listener.port = root.port();
  std::atomic<bool> is_over = false;
  std::atomic<std::uint64_t> came = 0;
  const Greeting join_1 = greeting_of(server, Greeting::Purpose::kJoin, 1);
  const std::string_view sayings[] = {"", "\r\n\r\n", text_of(join_1).substr(0, 40), text_of(join_1)};
  std::vector<std::jthread> crowd;
  for (const net::Address& there : {listener, server.place(0).rendezvous}) {
    crowd.emplace_back([&, there] {
      std::deque<net::Descriptor> held;
      for (std::size_t i = 0; !is_over; ++i) {
        net::Descriptor socket = net::connect_to(there);
        if (!socket) {
          held.clear();
          continue;
        }
        pollfd polled{socket.get(), POLLOUT, 0};
        ::poll(&polled, 1, 10);
        const std::string_view saying = sayings[i % std::size(sayings)];
        net::send_some(socket.get(), saying.data(), saying.size());
        held.push_back(std::move(socket));
        ++came;
        if (held.size() > 300) held.pop_front();
      }
    });
  }
  while (came < 1000) root.advance();  // they are there first
  std::vector<std::jthread> children;
  for (RankId node = 1; node < kSize; ++node)
    children.emplace_back([&, node] { TcpBootstrap(server.place(node)).barrier(); });
  while (!root.advance()) root.sleep();
  children.clear();
  is_over = true;
  EXPECT_EQ(root.connections(), kSize - 1);
  EXPECT_GT(root.dropped(), 100u);
  EXPECT_EQ(root.port(), 0);
}

// Both sides are given what a connection between others has carried.
TEST(Rendezvous, WhatOthersHaveSaidProvesNothing) {
  RendezvousServer server(2);
  const net::Address there = server.place(0).rendezvous;
  Greeting greeting = greeting_of(server, Greeting::Purpose::kRegister, 1);
  greeting.nonce = random_nonce();
  Challenge challenge;
  std::string answered;
  for (const bool is_replay : {false, true}) {
    net::Descriptor socket = net::connect_to(there);
    const auto transfer = [&](short event, auto function) {
      pollfd polled{socket.get(), event, 0};
      ::poll(&polled, 1, -1);
      return function();
    };
    transfer(POLLOUT, [&] { return net::send_some(socket.get(), &greeting, sizeof greeting); });
    Challenge fresh;
    ASSERT_EQ(transfer(POLLIN, [&] { return net::receive_some(socket.get(), &fresh, sizeof fresh); }).bytes,
              sizeof fresh);
    EXPECT_NE(fresh.nonce, challenge.nonce);
    if (!is_replay) challenge = fresh;
    const Proof proof = prove(server.place(0).key, greeting, challenge);
    transfer(POLLOUT, [&] { return net::send_some(socket.get(), &proof, sizeof proof); });
    char buffer[256];
    const net::Transferred got =
        transfer(POLLIN, [&] { return net::receive_some(socket.get(), buffer, sizeof buffer); });
    EXPECT_EQ(got.bytes, is_replay ? 0 : sizeof(GreetingAnswer));
    if (!is_replay) answered.assign(buffer, got.bytes);
  }
  // A false rendezvous that repeats what the true one has said.
  net::Descriptor listener = net::listen_at(net::Address::loopback());
  std::jthread liar([&] {
    net::Descriptor connection;
    while (!(connection = net::accept_from(listener.get()))) ::sched_yield();
    net::send_some(connection.get(), &challenge, sizeof challenge);
    net::send_some(connection.get(), answered.data(), answered.size());
    ::shutdown(connection.get(), SHUT_WR);
    char buffer[256];
    while (!net::receive_some(connection.get(), buffer, sizeof buffer).is_closed) ::sched_yield();
  });
  EXPECT_FALSE(greet(net::local_address(listener.get()), greeting, server.place(0).key));
}

TEST(Rendezvous, TheKeyIsNeverSent) {
  const net::JobKey key = net::JobKey::random();
  net::Descriptor listener = net::listen_at(net::Address::loopback());
  Greeter greeter(net::local_address(listener.get()), Greeting{}, key);
  net::Descriptor connection;
  std::string heard;
  while (heard.size() < sizeof(Greeting) + sizeof(Proof)) {
    greeter.advance();
    if (!connection) {
      connection = net::accept_from(listener.get());
      const Challenge challenge;
      if (connection) net::send_some(connection.get(), &challenge, sizeof challenge);
      continue;
    }
    char buffer[256];
    heard.append(buffer, net::receive_some(connection.get(), buffer, sizeof buffer).bytes);
  }
  const auto* const bytes = reinterpret_cast<const char*>(key.bytes().data());
  for (std::size_t at = 0; at + 4 <= net::JobKey::kBytes; at += 4)
    EXPECT_EQ(heard.find(std::string_view(bytes + at, 4)), heard.npos);
}

TEST(Rendezvous, AnswersAnotherVersionWithItsOwn) {
  RendezvousServer server(2);
  Greeting later = greeting_of(server, Greeting::Purpose::kRegister, 1);
  later.version = kGreetingVersion + 1;
  const std::string heard =
      say(server.place(1).rendezvous, std::string(text_of(later)) + "more than we know");
  Challenge challenge;
  ASSERT_EQ(heard.size(), sizeof challenge);
  std::memcpy(static_cast<void*>(&challenge), heard.data(), sizeof challenge);
  EXPECT_EQ(challenge.verdict, GreetingVerdict::kOtherVersion);
  EXPECT_EQ(challenge.version, kGreetingVersion);
}

TEST(Rendezvous, SaysWhenTheParentHasNotComeAndWhenANumberIsTaken) {
  RendezvousServer server(7);
  const auto answer_to = [&](const Greeting& greeting) {
    return greet(server.place(0).rendezvous, greeting, server.place(0).key).value();
  };
  Greeting five = greeting_of(server, Greeting::Purpose::kRegister, 5);
  EXPECT_EQ(answer_to(five).verdict, GreetingVerdict::kNotYet);
  Greeting one = greeting_of(server, Greeting::Purpose::kRegister, 1);
  one.listens_at = *net::Address::parse("192.0.2.7:4000");
  EXPECT_EQ(answer_to(one).verdict, GreetingVerdict::kNotYet);
  const GreetingAnswer answer = answer_to(five);
  EXPECT_EQ(answer.verdict, GreetingVerdict::kWelcome);
  EXPECT_EQ(answer.address, one.listens_at);
  five.listens_at.port = 10;
  EXPECT_EQ(answer_to(five).verdict, GreetingVerdict::kTaken);
  five.participants = 8;
  EXPECT_EQ(answer_to(five).verdict, GreetingVerdict::kOtherSize);
}

TEST(Rendezvous, TakesInManyMoreThanItHears) {
  constexpr RankId kSize = 600;
  RendezvousServer server(kSize);
  std::vector<RendezvousRegistration> all;
  for (RankId number = kSize; number-- > 0;)  // parents come last
    all.emplace_back(server.place(number).rendezvous,
                     greeting_of(server, Greeting::Purpose::kRegister, number), server.place(number).key);
  for (std::size_t known = 0; known < all.size();) {
    known = 0;
    for (RendezvousRegistration& registration : all) known += registration.advance() ? 1 : 0;
  }
  for (RankId number = 1; number < kSize; ++number)
    EXPECT_EQ(all[kSize - 1 - number].parent(), *net::Address::parse("127.0.0.1:9"));
}

TEST(JobKey, TextAndBack) {
  const net::JobKey key = net::JobKey::random();
  ASSERT_TRUE(net::JobKey::parse(key.text()));
  EXPECT_EQ(*net::JobKey::parse(key.text()), key);
  EXPECT_NE(key, net::JobKey::random());
  EXPECT_TRUE(key);
  EXPECT_FALSE(net::JobKey());
  EXPECT_FALSE(net::JobKey::parse(key.text() + "0"));
  EXPECT_FALSE(net::JobKey::parse(std::string(64, 'x')));
}

TEST(JobKey, AnotherFollowsFromItAndASalt) {
  const net::JobKey key = net::JobKey::random();
  const std::uint8_t one = 1, two = 2;
  EXPECT_EQ(key.derive({&one, 1}), key.derive({&one, 1}));
  EXPECT_NE(key.derive({&one, 1}), key.derive({&two, 1}));
  EXPECT_NE(key.derive({&one, 1}), net::JobKey::random().derive({&one, 1}));
  EXPECT_NE(key.derive({&one, 1}), key);
}

TEST(Address, TextAndBack) {
  for (const char* text : {"127.0.0.1:1", "192.0.2.255:65535", "[2001:db8::1]:4000"})
    EXPECT_EQ(net::Address::parse(text)->text(), text);
  for (const char* text : {"", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0:1",
                           "localhost:1", "[::1:5", "::1:5", "127.0.0.1:1 "})
    EXPECT_FALSE(net::Address::parse(text)) << text;
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
        place.key = net::JobKey::random();
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
        net::Descriptor listener = net::listen_at(*net::Address::parse("127.0.0.1:0"));
        TcpPlace place = server.place(1);
        place.rendezvous = net::local_address(listener.get());
        std::jthread later([&] {
          net::Descriptor connection;
          while (!(connection = net::accept_from(listener.get()))) ::sched_yield();
          Challenge challenge;
          challenge.version = 77;
          net::send_some(connection.get(), &challenge, Challenge::kCommonBytes);
          ::shutdown(connection.get(), SHUT_WR);
          ::pause();
        });
        TcpBootstrap(place).barrier();
      },
      testing::ExitedWithCode(1), "speaks version 77 of the bootstrap and this one version 2");
}

// Anybody may say that it is of another version: it is for the one that was let down to end the job.
TEST(TcpBootstrap, AnotherVersionDoesNotEndANode) {
  RendezvousServer server(2);
  TcpBootstrap root(server.place(0));
  root.begin_barrier();
  std::atomic<bool> is_over = false;
  std::jthread other([&] {
    Greeting later = greeting_of(server, Greeting::Purpose::kJoin, 1);
    later.version = 5;
    EXPECT_EQ(say(find_root(server), text_of(later)).size(), sizeof(Challenge));
    is_over = true;
  });
  while (!is_over) root.sleep();
  EXPECT_EQ(root.connections(), 0u);
}

}  // namespace
}  // namespace aqueduct::job::test
