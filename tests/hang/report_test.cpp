// What follows from what ranks wait for: words, edges, cycles and the rank for which others wait. And the
// bytes in which that travels between hosts.
#include <gtest/gtest.h>

#include "observe/hang_report.hpp"
#include "observe/words.hpp"
#include "watch/in_flight.hpp"

namespace {

using namespace aqueduct;
using namespace aqueduct::observe;
using namespace aqueduct::watch;

RankState waiting(RankId rank, Wait wait) {
  RankState state;
  state.rank = rank;
  state.process = ProcessState::kSleeps;
  state.threads.emplace_back().wait = std::move(wait);
  return state;
}
RankState at_barrier(RankId rank, std::uint64_t number, std::uint32_t team = 0) {
  Wait wait;
  wait.kind = WaitKind::kBarrier;
  wait.team = team;
  wait.number = number;
  RankState state = waiting(rank, wait);
  state.teams.push_back({team, 0, number, 0, 0});
  return state;
}
RankState awaiting(RankId rank, RankId peer) {
  Wait wait;
  wait.kind = WaitKind::kCredits;
  wait.transfer = TransferKind::kMessage;
  wait.peer = peer;
  return waiting(rank, wait);
}
RankState with(RankState state, ProcessState process) {
  state.process = process;
  return state;
}
RankState doing(RankId rank, ProcessState process) {
  RankState state;
  state.rank = rank;
  state.process = process;
  return state;
}

TEST(Words, NameRanks) {
  EXPECT_EQ(name_ranks({3}), "rank 3");
  EXPECT_EQ(name_ranks({0, 1}), "ranks 0 and 1");
  EXPECT_EQ(name_ranks({0, 2, 3, 4, 9}), "ranks 0, 2-4 and 9");
  EXPECT_EQ(name_ranks({0, 2, 4, 6}, 2), "ranks 0, 2 and 2 more");
}

TEST(Words, NameCommands) {
  EXPECT_EQ(name_command("/home/me/a/program 5", 20), "/home/me/a/program 5");
  EXPECT_EQ(name_command("/home/me/a/program 5", 19), "program 5");
  EXPECT_EQ(name_command("/home/me/a/program /in/put", 12), "program /...");
  EXPECT_EQ(name_command("./program", 2), "pr");
  EXPECT_EQ(name_command("program", 0), "");
}

TEST(Words, ShortNumbers) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(9999), "9999");
  EXPECT_EQ(short_number(9999.6), "10.0k");
  EXPECT_EQ(short_number(123'456), "123k");
  EXPECT_EQ(short_number(45e6), "45.0M");
}

TEST(Words, NameTimes) {
  EXPECT_EQ(name_time(1'250'000'000), "1.2 s");
  EXPECT_EQ(name_time(245'000'000'000), "4 min 5 s");
  EXPECT_EQ(name_time(7'380'000'000'000), "2 h 3 min");
}

TEST(Report, NamesWhoHasNotComeToABarrier) {
  RankState late = doing(2, ProcessState::kRuns);
  late.teams.push_back({0, 0, 4, 0, 0});
  const std::vector<RankState> states = {at_barrier(0, 5), at_barrier(1, 5), late};
  EXPECT_EQ(missing_members(states, states[0].threads[0].wait), std::vector<RankId>{2});
  EXPECT_EQ(describe_rank(states, states[0]), "rank 0 waits for barrier 5 of all ranks; rank 2 has not come");
  EXPECT_EQ(findings(states),
            std::vector<std::string>{"everyone waits for rank 2, which computes outside of the library"});
}

TEST(Report, AMemberThatHasArrivedAndGoneOnIsNotMissing) {
  RankState ahead = doing(1, ProcessState::kRuns);
  ahead.teams.push_back({0, 0, 5, 0, 0});
  const std::vector<RankState> states = {at_barrier(0, 5), ahead};
  EXPECT_EQ(missing_members(states, states[0].threads[0].wait), std::vector<RankId>{});
}

TEST(Report, OnlyMembersCanBeMissingInATeam) {
  RankState member = doing(1, ProcessState::kRuns);
  member.teams.push_back({7, 0, 0, 0, 0});
  const std::vector<RankState> states = {at_barrier(0, 1, 7), member, doing(2, ProcessState::kRuns)};
  EXPECT_EQ(missing_members(states, states[0].threads[0].wait), std::vector<RankId>{1});
}

TEST(Report, FindsACycleAndItsOrder) {
  const std::vector<RankState> states = {awaiting(0, 1), awaiting(1, 3), awaiting(2, 0), awaiting(3, 1)};
  EXPECT_EQ(find_cycle(states, wait_edges(states)), (std::vector<RankId>{1, 3}));
  EXPECT_EQ(findings(states), std::vector<std::string>{"a cycle: rank 1 waits for rank 3 waits for rank 1"});
}

TEST(Report, WhoWaitsForHimselfIsInNoCycle) {
  const std::vector<RankState> states = {awaiting(0, 0)};
  EXPECT_TRUE(find_cycle(states, wait_edges(states)).empty());
}

TEST(Report, FollowsAChainToItsEnd) {
  const std::vector<RankState> states = {awaiting(0, 1), awaiting(1, 2), doing(2, ProcessState::kStopped)};
  EXPECT_EQ(findings(states), (std::vector<std::string>{"rank 2 is stopped; SIGCONT lets it go on",
                                                        "everyone waits for rank 2, which is stopped"}));
}

TEST(Report, AStoppedRankIsNotToldToWait) {
  const std::vector<RankState> states = {at_barrier(0, 2), with(at_barrier(1, 1), ProcessState::kStopped)};
  EXPECT_EQ(describe_rank(states, states[1]), "rank 1 is stopped");
  EXPECT_EQ(findings(states).back(), "rank 0 waits for rank 1, which is stopped");
}

TEST(Report, AHandlerThatRunsIsTheCause) {
  RankState busy = waiting(1, {});
  ThreadState& thread = busy.threads[0];
  thread.has_answered = true;
  thread.in_handler = 1;
  thread.handler = 130;
  thread.handler_name = "stay";
  thread.source = 0;
  const std::vector<RankState> states = {at_barrier(0, 2), busy};
  EXPECT_EQ(describe_rank(states, states[1]), "rank 1 runs handler 130 ('stay') of a request of rank 0");
  EXPECT_EQ(findings(states).back(),
            "rank 0 waits for rank 1, which runs handler 130 ('stay') of a request of rank 0");
}

TEST(Report, AnswersThatAreOwedAreEdgesWhereNothingElseIs) {
  Wait wait;
  wait.kind = WaitKind::kBlockUntil;
  wait.missing = {{3, "2 replies"}};
  wait.waited_ns = 2'000'000'000;
  const std::vector<RankState> states = {waiting(0, wait), doing(3, ProcessState::kSleeps)};
  EXPECT_EQ(wait_edges(states)[0], std::vector<RankId>{3});
  EXPECT_EQ(
      describe_rank(states, states[0]),
      "rank 0 waits for a message, in GASNET_BLOCKUNTIL, since 2.0 s; it has not got 2 replies of rank 3");
}

// It handles requests while it waits, so what it owes will come.
TEST(Report, AnswersOfARankThatWaitsAreNoEdges) {
  Wait wait;
  wait.kind = WaitKind::kBlockUntil;
  wait.missing = {{1, "1 reply or credit"}};
  const std::vector<RankState> states = {waiting(0, wait), at_barrier(1, 2)};
  EXPECT_TRUE(wait_edges(states)[0].empty());
  EXPECT_EQ(findings(states),
            std::vector<std::string>{"rank 1 waits for rank 0, which waits for a message, in "
                                     "GASNET_BLOCKUNTIL, which nobody has sent"});
}

TEST(Report, SaysWhatSendsHaveLacked) {
  RankState state = awaiting(0, 1);
  state.peers.resize(2);
  state.peers[0].counts.retries[static_cast<unsigned>(Retry::kBuffers)] = 5;
  state.peers[1].peer = 1;
  state.peers[1].counts.retries[static_cast<unsigned>(Retry::kCredits)] = 3;
  state.peers[1].counts.retries[static_cast<unsigned>(Retry::kTimeout)] = 12'345;
  const std::string line = "rank 0 waits for credits: room for a message to rank 1";
  EXPECT_EQ(describe_rank({state}, state), line + "; retries: credits 3, timeout 12.3k");
  state.peers.pop_back();
  EXPECT_EQ(describe_rank({state}, state), line);
}

TEST(Report, OfNobodyWhoOwesAnythingSaysSo) {
  Wait wait;
  wait.kind = WaitKind::kBlockUntil;
  const std::vector<RankState> states = {waiting(0, wait), waiting(1, wait)};
  ASSERT_EQ(findings(states).size(), 1u);
  EXPECT_EQ(findings(states)[0], "all ranks wait for something that nobody has sent");
  EXPECT_TRUE(findings({doing(0, ProcessState::kRuns), doing(1, ProcessState::kRuns)}).empty());
}

TEST(Report, OfThousandsTakesNoTime) {
  std::vector<RankState> states;
  for (RankId rank = 0; rank < 8192; ++rank)
    states.push_back(rank % 2 ? at_barrier(rank, 2) : awaiting(rank, rank + 1));
  const std::string text = hang_report(states, {.most_ranks = 16});
  EXPECT_NE(text.find("and 8176 more"), std::string::npos) << text;
}

TEST(Stacks, HaveTheLinesOfSourceThatAreKnown) {
  std::vector<RankState> states = {at_barrier(0, 5)};
  states[0].threads[0].has_answered = true;
  states[0].threads[0].stack = {
      {.text = "wait+0x5 in program 0x1105", .source = "wait.c:7", .inlined = {"poll at poll.h:3"}},
      {.text = "main+0x12 in program 0x1234"}};
  EXPECT_NE(hang_report(states, {})
                .find("      poll at poll.h:3 (inlined)\n"
                      "      wait+0x5 in program 0x1105 at wait.c:7\n"
                      "      main+0x12 in program 0x1234\n"),
            std::string::npos);
}

TEST(States, TravelAsBytes) {
  std::vector<RankState> states = {at_barrier(0, 5), awaiting(7, 3)};
  states[0].where = "host a, pid 12";
  states[0].files = {{"/bin/program", "0123abcd"}};
  states[0].threads[0].stack = {{.text = "main+0x12 in program 0x1234", .file = 0, .address = 0x1233},
                                {.text = "0x7f0012345678"}};
  states[0].threads[0].wait.missing = {{3, "1 reply"}};
  states[1].peers.push_back({3, {}});
  states[1].peers[0].counts.bytes = 17;
  states[1].done.polls = 99;
  const std::string bytes = encode(states);
  const auto back = decode(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(encode(*back), bytes);
  EXPECT_EQ((*back)[0].threads, states[0].threads);
  EXPECT_EQ((*back)[0].files, states[0].files);
  EXPECT_EQ((*back)[1].peers[0].counts.bytes, 17u);
  EXPECT_EQ(hang_report(*back, {}), hang_report(states, {}));
}

TEST(States, WithAFrameInNoFileOfTheirsAreRefused) {
  std::vector<RankState> states = {at_barrier(0, 5)};
  states[0].files = {{"/bin/program", "0123abcd"}};
  states[0].threads[0].stack = {{.text = "main", .file = 1}};
  EXPECT_FALSE(decode(encode(states)));
}

TEST(States, ThatAreCutOrChangedAreRefusedOrRead) {
  const std::string bytes = encode({at_barrier(0, 5), awaiting(7, 3)});
  for (std::size_t length = 0; length < bytes.size(); ++length) EXPECT_FALSE(decode(bytes.substr(0, length)));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const char change : {'\x01', '\x40', '\xff'}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      if (const auto states = decode(changed)) hang_report(*states, {});
    }
  }
}

TEST(Records, OfNonsenseSayNothing) {
  WaitRecord record{};
  record.kind = static_cast<WaitKind>(200);
  EXPECT_FALSE(wait_of(record, 0));
  record.clear();
  record.kind = WaitKind::kEvent;
  record.missing = 255;
  EXPECT_FALSE(wait_of(record, 0));
  record.missing = 0;
  std::memset(record.call, '\x1b', sizeof record.call);
  EXPECT_EQ(wait_of(record, 0)->call, std::string(sizeof record.call, '?'));
}

TEST(Records, KeepWhatFits) {
  WaitRecord record{};
  record.clear();
  for (RankId peer = 0; peer < kMostMissing + 2; ++peer) record.add_missing(peer, std::string(100, 'x'));
  record.kind = WaitKind::kMessage;
  const auto wait = wait_of(record, 0);
  ASSERT_TRUE(wait);
  EXPECT_EQ(wait->missing.size(), kMostMissing);
  EXPECT_TRUE(wait->more);
}

// A rank that has sent 10 Short, 4 Medium and 2 Long requests and 3 replies; the other has handled some of
// them.
std::vector<RankState> exchange(bool is_neighbour) {
  std::vector<RankState> states(2);
  states[0].rank = 0;
  states[1].rank = 1;
  states[0].process = states[1].process = ProcessState::kRuns;
  PeerCounts sent{}, received{};
  sent.short_requests = 10;
  sent.medium_requests = 4;
  sent.long_requests = 2;
  sent.replies = 3;
  sent.is_neighbour = is_neighbour ? 1 : 0;
  sent.settled = 9;
  received.requests_received = 9;
  received.medium_received = 1;
  received.long_received = 1;
  received.replies_received = 1;
  states[0].peers.push_back({1, sent});
  states[1].peers.push_back({0, received});
  return states;
}

TEST(InFlight, IsWhatWasSentAndNotHandled) {
  for (const bool is_neighbour : {true, false}) {
    const std::vector<RankState> states = exchange(is_neighbour);
    const InFlight flight = in_flight(states, states[0], states[0].peers[0]);
    EXPECT_TRUE(flight.knows_messages);
    EXPECT_EQ(flight.shorts, 3u);
    EXPECT_EQ(flight.mediums, 3u);
    EXPECT_EQ(flight.longs, 1u);
    EXPECT_EQ(flight.replies, 2u);
    EXPECT_EQ(flight.all(), 9u);
  }
}

// Two looks at different moments: the number of requests to a neighbour is that of the sender all the same.
TEST(InFlight, OfANeighbourIsWhatTheSenderKnows) {
  std::vector<RankState> states = exchange(true);
  PeerCounts& received = states[1].peers[0].counts;
  received.requests_received = 1000;
  received.medium_received = 500;
  InFlight flight = in_flight(states, states[0], states[0].peers[0]);
  EXPECT_EQ(flight.shorts + flight.mediums + flight.longs, 7u);
  EXPECT_EQ(flight.longs, 1u);
  received = {};
  flight = in_flight(states, states[0], states[0].peers[0]);
  EXPECT_EQ(flight.shorts + flight.mediums + flight.longs, 7u);
}

TEST(InFlight, IsNotKnownOfASilentPeer) {
  std::vector<RankState> states = exchange(false);
  states[1].process = ProcessState::kSilent;
  EXPECT_FALSE(in_flight(states, states[0], states[0].peers[0]).knows_messages);
  states.pop_back();
  EXPECT_FALSE(in_flight(states, states[0], states[0].peers[0]).knows_messages);
}

// Neither to it nor from it, once the other knows.
TEST(InFlight, IsNothingOfARankThatHasDied) {
  std::vector<RankState> states = exchange(false);
  states[0].peers[0].counts.puts_in_flight = 2;
  states[0].peers[0].counts.has_died = 1;
  InFlight flight = in_flight(states, states[0], states[0].peers[0]);
  EXPECT_TRUE(flight.knows_messages);
  EXPECT_EQ(flight.all(), 0u);
  states = exchange(false);
  states[1].peers[0].counts.has_died = 1;
  EXPECT_EQ(in_flight(states, states[0], states[0].peers[0]).all(), 0u);
}

// One thread starts an operation, another completes it: neither count makes sense without the other.
TEST(InFlight, OfOperationsIsTheSumOverThreads) {
  std::vector<RankState> states = exchange(false);
  PeerCounts& counts = states[0].peers[0].counts;
  counts.puts_in_flight = 2;
  counts.gets_in_flight = std::uint64_t{0} - 1;  // the thread that has started it was looked at too early
  const InFlight flight = in_flight(states, states[0], states[0].peers[0]);
  EXPECT_EQ(flight.puts, 2u);
  EXPECT_EQ(flight.gets, 0u);
}

TEST(InFlight, ShortRequestsThatHaveComeWereSent) {
  std::vector<RankState> states = exchange(true);
  EXPECT_EQ(short_requests(states, states[0], states[0].peers[0]), 10u);
  states[1].peers[0].counts.requests_received = 30;
  EXPECT_EQ(short_requests(states, states[0], states[0].peers[0]), 28u);
}

}  // namespace
