// Jobs that `aqueduct run` does not start: by a server of PMI, and by plain environment. And what is said
// when they cannot be.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>

#include "pmi_server.hpp"
#include "support/free_port.hpp"

namespace aqueduct::test {
namespace {

const std::string kClient = CLIENT;
const std::string kClientWithMpi = CLIENT_WITH_MPI;
const std::string kRank = RANK_PROGRAM;
const std::string kSurvivors = SURVIVORS;

/// Ranks that are told who they are.
struct Plain {
  std::string root = "127.0.0.1:" + free_port();
  std::string timeout_s = "60";

  std::vector<std::string> place(int rank, int size) const {
    return {"AQUEDUCT_RANK=" + std::to_string(rank), "AQUEDUCT_SIZE=" + std::to_string(size),
            "AQUEDUCT_ROOT=" + root, "AQUEDUCT_START_TIMEOUT=" + timeout_s};
  }

  std::vector<Outcome> run(int size, const std::vector<std::string>& command,
                           const std::vector<std::string>& environment = {}) const {
    std::vector<std::unique_ptr<Process>> ranks;
    for (int rank = 0; rank < size; ++rank) {
      std::vector<std::string> settings = place(rank, size);
      settings.insert(settings.end(), environment.begin(), environment.end());
      ranks.push_back(std::make_unique<Process>(command, settings));
    }
    std::vector<Outcome> outcomes;
    for (auto& rank : ranks) outcomes.push_back(rank->finish(120));
    return outcomes;
  }
};

std::string errors_of(const std::vector<Outcome>& outcomes) {
  std::string all;
  for (const Outcome& outcome : outcomes) all += outcome.err;
  return all;
}

void expect_hellos(const std::vector<Outcome>& outcomes) {
  for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
    EXPECT_EQ(outcomes[rank].exit_code, 0);
    EXPECT_EQ(outcomes[rank].out,
              "hello from rank " + std::to_string(rank) + " of " + std::to_string(outcomes.size()) + "\n");
  }
  EXPECT_EQ(errors_of(outcomes), "");
}

/// That all say together is this one line.
void expect_one_line(const std::vector<Outcome>& outcomes, const std::string& part) {
  const std::string errors = errors_of(outcomes);
  EXPECT_EQ(lines_of(errors).size(), 1u) << errors;
  EXPECT_NE(errors.find(part), std::string::npos) << errors;
}

TEST(PlainEnvironment, TwoAndFourRanksFindEachOther) {
  expect_hellos(Plain().run(2, {kClient}));
  expect_hellos(Plain().run(4, {kClient}));
}

TEST(PlainEnvironment, TheFirstRankMayComeLast) {
  const Plain plain;
  Process second({kClient}, plain.place(1, 2));
  usleep(300'000);
  Process first({kClient}, plain.place(0, 2));
  expect_hellos({first.finish(120), second.finish(120)});
}

TEST(PlainEnvironment, APortCanBeUsedAgainAtOnce) {
  const Plain plain;
  for (int i = 0; i < 3; ++i) expect_hellos(plain.run(2, {kClient}));
}

TEST(PlainEnvironment, OneMachineMayCountAsSeveralHosts) {
  expect_hellos(Plain().run(4, {kClient}, {"AQUEDUCT_LAYOUT=0,2/1,3", "AQUEDUCT_CONDUIT=wire"}));
}

TEST(PlainEnvironment, OneRankNeedsNobody) { expect_hellos(Plain().run(1, {kClient})); }

TEST(PlainEnvironment, AKeyKeepsOthersOut) {
  const std::string key = "AQUEDUCT_JOB_KEY=" + std::string(64, '7');
  expect_hellos(Plain().run(2, {kClient}, {key}));
  Plain plain;
  plain.timeout_s = "3";
  std::vector<std::string> settings = plain.place(0, 2);
  settings.push_back(key);
  Process first({kClient}, settings);
  const Outcome stranger = run({kClient}, plain.place(1, 2));
  EXPECT_EQ(stranger.exit_code, 1);
  EXPECT_NE(stranger.err.find("its key may be that of another job"), std::string::npos) << stranger.err;
  const Outcome waited = first.finish(120);
  EXPECT_NE(waited.err.find("1 of 2 ranks are missing: 1;"), std::string::npos) << waited.err;
}

TEST(PlainEnvironment, WhoHasAWrongKeyIsMentionedWhenTheOthersGiveUp) {
  Plain plain;
  plain.timeout_s = "3";
  const auto with_key = [&](int rank, char digit) {
    std::vector<std::string> settings = plain.place(rank, 2);
    settings.push_back("AQUEDUCT_JOB_KEY=" + std::string(64, digit));
    return settings;
  };
  Process first({kClient}, with_key(0, '7'));
  EXPECT_EQ(run({kClient}, with_key(1, '8')).exit_code, 1);
  const std::string said = first.finish(120).err;
  const std::size_t at =
      said.find("1 of 2 ranks are missing: 1; connections with a wrong key were refused: ");
  ASSERT_NE(at, std::string::npos) << said;
  EXPECT_NE(said.find(" from 127.0.0.1; each rank needs", at), std::string::npos) << said;
}

TEST(PlainEnvironment, OnANetworkAJobWithoutAKeyIsRefused) {
  const std::vector<std::string> place = {"AQUEDUCT_RANK=0", "AQUEDUCT_SIZE=2",
                                          "AQUEDUCT_ROOT=192.0.2.1:4000"};
  const Outcome outcome = run({kClient}, place);
  EXPECT_EQ(outcome.exit_code, 1);
  expect_one_line({outcome}, "AQUEDUCT_ROOT=192.0.2.1:4000 is on a network and the job has no key");
  EXPECT_NE(outcome.err.find("set AQUEDUCT_JOB_KEY_FILE=job.key for all ranks, or AQUEDUCT_JOB_KEY=none"),
            std::string::npos)
      << outcome.err;
}

TEST(PlainEnvironment, OneMayGoWithoutAKeyOnPurpose) {
  expect_hellos(Plain().run(2, {kClient}, {"AQUEDUCT_JOB_KEY=none"}));
}

/// A file of this mode that holds `text`, until it is destroyed.
struct KeyFile {
  std::string path = testing::TempDir() + "aqueduct-key-" + std::to_string(getpid());
  std::string setting = "AQUEDUCT_JOB_KEY_FILE=" + path;

  KeyFile(const std::string& text, mode_t mode) {
    std::ofstream(path) << text;
    chmod(path.c_str(), mode);
  }
  ~KeyFile() { std::remove(path.c_str()); }
};

TEST(PlainEnvironment, AKeyMayBeInAFile) {
  const KeyFile file(std::string(64, '7') + "\n", 0600);
  expect_hellos(Plain().run(2, {kClient}, {file.setting}));
}

TEST(PlainEnvironment, AFileThatHoldsNoKeyOfOnesOwnIsRefused) {
  const auto said = [](const std::string& text, mode_t mode, const std::string& more = "A=") {
    const KeyFile file(text, mode);
    std::vector<std::string> settings = Plain().place(0, 2);
    settings.insert(settings.end(), {file.setting, more});
    return run({kClient}, settings).err;
  };
  const std::string good(64, '7');
  EXPECT_NE(said(good, 0640).find("is open to others; make a new key, in a file of mode 600"),
            std::string::npos);
  EXPECT_NE(said("abc", 0600).find("does not hold 64 hexadecimal digits"), std::string::npos);
  EXPECT_NE(said(good + "00", 0600).find("does not hold 64 hexadecimal digits"), std::string::npos);
  EXPECT_NE(said(good, 0600, "AQUEDUCT_JOB_KEY=" + good).find("are both set"), std::string::npos);
  std::vector<std::string> missing = Plain().place(0, 2);
  missing.push_back("AQUEDUCT_JOB_KEY_FILE=/no/such/file");
  EXPECT_NE(run({kClient}, missing).err.find("cannot be opened: No such file"), std::string::npos);
  missing.back() = "AQUEDUCT_JOB_KEY_FILE=/tmp";
  EXPECT_NE(run({kClient}, missing).err.find("is not a file"), std::string::npos);
}

/// Without a key that the user has given, ranks on the loopback interface have one that others do not: a
/// stranger who says that there is none is no rank.
TEST(PlainEnvironment, OnTheLoopbackInterfaceOtherUsersGetNoKey) {
  Plain plain;
  plain.timeout_s = "3";
  Process first({kClient}, plain.place(0, 2));
  std::vector<std::string> stranger = plain.place(1, 2);
  stranger.push_back("AQUEDUCT_JOB_KEY=none");
  const Outcome refused = run({kClient}, stranger);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("its key may be that of another job"), std::string::npos) << refused.err;
  EXPECT_NE(first.finish(120).err.find("1 of 2 ranks are missing: 1;"), std::string::npos);
}

TEST(PlainEnvironment, RanksWithOtherExecutablesAreToldSo) {
  const auto together = [](const std::string& setting) {
    const Plain plain;
    std::vector<std::string> places[2] = {plain.place(0, 2), plain.place(1, 2)};
    for (auto& place : places) place.push_back(setting);
    Process first({kClient}, places[0]);
    Process second({kClientWithMpi}, places[1]);
    return std::vector<Outcome>{first.finish(120), second.finish(120)};
  };
  const std::vector<Outcome> warned = together("AQUEDUCT_EXECUTABLES=warn");
  expect_one_line(warned, "rank 1 runs another executable than rank 0: " + kClientWithMpi + " on host ");
  expect_one_line(warned, "), not " + kClient + " on host ");
  for (const Outcome& outcome : warned) EXPECT_EQ(outcome.exit_code, 0);
  expect_hellos(together("AQUEDUCT_EXECUTABLES=any"));
  const std::vector<Outcome> ended = together("AQUEDUCT_EXECUTABLES=same");
  EXPECT_NE(errors_of(ended).find("rank 1 runs another executable than rank 0"), std::string::npos);
  for (const Outcome& outcome : ended) EXPECT_NE(outcome.exit_code, 0);
}

TEST(PlainEnvironment, SizesThatDifferAreNamed) {
  const Plain plain;
  Process first({kClient}, plain.place(0, 2));
  Process second({kClient}, plain.place(1, 3));
  const Outcome a = first.finish(120), b = second.finish(120);
  EXPECT_EQ(a.exit_code, 1);
  EXPECT_EQ(b.exit_code, 1);
  EXPECT_NE(a.err.find("rank 1 has AQUEDUCT_SIZE=3 and rank 0 has 2"), std::string::npos) << a.err;
  EXPECT_NE(b.err.find("a job of 3 participants"), std::string::npos) << b.err;
  EXPECT_EQ(lines_of(a.err + b.err).size(), 2u);
}

TEST(PlainEnvironment, ARankThatIsThereTwiceIsNamed) {
  const Plain plain;
  std::vector<std::unique_ptr<Process>> ranks;
  ranks.push_back(std::make_unique<Process>(std::vector{kClient}, plain.place(0, 3)));
  for (int i = 0; i < 2; ++i)
    ranks.push_back(std::make_unique<Process>(std::vector{kClient}, plain.place(1, 3)));
  bool is_named = false;
  for (int i = 1; i < 3 && !is_named; ++i)
    is_named = !ranks[static_cast<std::size_t>(i)]
                    ->wait_for_lines("two participants have the number 1", 1, i == 1 ? 5 : 60)
                    .empty();
  EXPECT_TRUE(is_named);
}

TEST(PlainEnvironment, ARootThatNobodyListensAtIsNamed) {
  Plain plain;
  plain.timeout_s = "1";
  const Outcome outcome = run({kClient}, plain.place(1, 2));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(
      outcome.err.find("the rendezvous at " + plain.root + " does not take number 1 in: Connection refused"),
      std::string::npos)
      << outcome.err;
}

TEST(PlainEnvironment, APortInUseIsNamed) {
  Plain plain;
  plain.timeout_s = "5";
  Process first({kClient}, plain.place(0, 2));
  usleep(500'000);
  const Outcome outcome = run({kClient}, plain.place(0, 2));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("another job, or another rank 0, uses that port"), std::string::npos)
      << outcome.err;
}

TEST(PlainEnvironment, WhatIsMissingOrMalformedIsNamed) {
  const auto said = [](const std::vector<std::string>& environment) {
    return run({kClient}, environment).err;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos && lines_of(text).size() == 1;
  };
  EXPECT_TRUE(has(said({"AQUEDUCT_RANK=0"}), "AQUEDUCT_SIZE is not set"));
  EXPECT_TRUE(has(said({"AQUEDUCT_RANK=0", "AQUEDUCT_SIZE=2"}), "AQUEDUCT_ROOT is not set"));
  EXPECT_TRUE(
      has(said({"AQUEDUCT_RANK=2", "AQUEDUCT_SIZE=2", "AQUEDUCT_ROOT=localhost:1"}), "AQUEDUCT_RANK"));
  for (const char* root :
       {"localhost", "localhost:", "localhost:0", "localhost:99999", ":4000", "::1:4000"}) {
    const std::string text =
        said({"AQUEDUCT_RANK=0", "AQUEDUCT_SIZE=2", std::string("AQUEDUCT_ROOT=") + root});
    EXPECT_TRUE(has(text, "is not host:port")) << text;
  }
  EXPECT_TRUE(has(said({"AQUEDUCT_RANK=0", "AQUEDUCT_SIZE=2", "AQUEDUCT_ROOT=no.such.host.invalid:4000"}),
                  "names a host that cannot be found"));
  EXPECT_TRUE(has(
      said({"AQUEDUCT_RANK=0", "AQUEDUCT_SIZE=2", "AQUEDUCT_ROOT=192.0.2.1:4000", "AQUEDUCT_JOB_KEY=none"}),
      "is not an address of this host"));
  EXPECT_TRUE(has(
      said({"AQUEDUCT_RANK=0", "AQUEDUCT_SIZE=2", "AQUEDUCT_ROOT=localhost:4000", "AQUEDUCT_JOB_KEY=abc"}),
      "AQUEDUCT_JOB_KEY is malformed"));
  EXPECT_TRUE(has(said({"AQUEDUCT_LAUNCHER=mpi"}), "AQUEDUCT_LAUNCHER='mpi' is no launcher"));
}

TEST(PlainEnvironment, ADeathEndsAllWithOneLine) {
  const std::vector<Outcome> outcomes = Plain().run(4, {kClient, "kill", "2"});
  expect_one_line(outcomes, "aqueduct: rank 2 was killed by signal 9 (Killed); the job ends with code 137");
  for (const Outcome& outcome : outcomes) EXPECT_NE(outcome.exit_code, 0);
}

/// The last of four is killed.
void expect_survivors(const std::vector<std::string>& settings) {
  std::vector<std::string> environment = settings;
  environment.push_back("AQUEDUCT_ON_FAILURE=report");
  const std::vector<Outcome> outcomes = Plain().run(4, {kSurvivors, "killed"}, environment);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(outcomes[rank].exit_code, 0) << outcomes[rank].all();
    EXPECT_EQ(lines_with(outcomes[rank].out, "has gone on").size(), 1u) << outcomes[rank].all();
  }
  expect_one_line(outcomes,
                  "rank 3 was killed by signal 9 (Killed); the others go on (AQUEDUCT_ON_FAILURE=report)");
}

TEST(PlainEnvironment, SurvivorsGoOnWhereTheyAreTold) {
  expect_survivors({});
  expect_survivors({"AQUEDUCT_LAYOUT=2+2", "AQUEDUCT_CONDUIT=udp"});
}

TEST(PlainEnvironment, AnExitEndsAllWithOneLine) {
  const std::vector<Outcome> outcomes = Plain().run(3, {kClient, "exit", "0", "5"});
  expect_one_line(outcomes, "aqueduct: rank 0 called gasnet_exit(5); the job ends with code 5");
  for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.exit_code, 5);
}

TEST(PlainEnvironment, ARankThatIsMissedEndsAllWithOneLine) {
  const std::vector<Outcome> outcomes = Plain().run(3, {kClient, "leave", "1"}, {"GASNET_EXITTIMEOUT=1"});
  expect_one_line(outcomes, "aqueduct: rank 1 returned from main or called exit(0), and rank ");
  for (const int rank : {0, 2}) EXPECT_EQ(outcomes[static_cast<std::size_t>(rank)].exit_code, 1);
}

TEST(PlainEnvironment, SettingsThatDifferEndAllWithOneLine) {
  const Plain plain;
  std::vector<std::string> other = plain.place(1, 2);
  other.push_back("AQUEDUCT_LAYOUT=1+1");
  Process first({kClient}, plain.place(0, 2));
  Process second({kClient}, other);
  expect_one_line({first.finish(120), second.finish(120)}, "rank 1 has other settings of AQUEDUCT_LAYOUT");
}

TEST(Pmi1, TwoAndFourRanksFindEachOther) {
  expect_hellos(PmiServer().run(2, {kClient}));
  expect_hellos(PmiServer().run(4, {kClient}));
}

TEST(Pmi1, OneMachineMayCountAsSeveralHosts) {
  expect_hellos(PmiServer().run(4, {kClient}, {"AQUEDUCT_LAYOUT=2+2", "AQUEDUCT_CONDUIT=wire"}));
}

TEST(Pmi1, APlaceIsForOneProcess) {
  // Each rank starts the client again: those are jobs of one.
  for (const Outcome& outcome : PmiServer().run(2, {kClient, "run", kClient})) {
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(lines_with(outcome.out, "hello from rank 0 of 1").size(), 1u) << outcome.out;
  }
}

TEST(Pmi1, TheUserMayWantJobsOfTheirOwn) {
  // Nobody asks the server anything.
  const auto outcomes = PmiServer().run(2, {kClient}, {"AQUEDUCT_LAUNCHER=none"});
  for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.out, "hello from rank 0 of 1\n");
}

TEST(Pmi1, ANumberOfRanksThatContradictsTheLauncherIsRefused) {
  const auto outcomes = PmiServer().run(2, {kClient}, {"AQUEDUCT_RANKS=3"});
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("AQUEDUCT_RANKS is 3 and the launcher has started 2 processes"),
              std::string::npos)
        << outcome.err;
  }
}

TEST(Pmi1, ADeathEndsAllWithOneLine) {
  expect_one_line(PmiServer().run(4, {kRank, "signal", "1", "9"}),
                  "aqueduct: rank 1 was killed by signal 9 (Killed); the job ends with code 137");
}

/// How many of two ranks of a program that is linked with an MPI take leave of the server.
int count_leaves(const std::vector<std::string>& environment) {
  int leaves = 0;
  PmiServer server([&](int, const std::string& asked) -> std::optional<std::string> {
    if (asked == "cmd=finalize") ++leaves;
    return std::nullopt;
  });
  expect_hellos(server.run(2, {kClientWithMpi}, environment));
  return leaves;
}

TEST(Pmi1, LeaveIsTakenOnceByTheProgramsMpiOrByTheLibrary) {
  EXPECT_EQ(count_leaves({}), 2);
  EXPECT_EQ(count_leaves({"TEST_MPI_STARTED=1"}), 0);
}

/// What a rank says whose server answers `request` in this way.
std::string said_to(const std::string& request, const std::string& answer) {
  const Outcome outcome = PmiServer([&](int, const std::string& asked) -> std::optional<std::string> {
                            if (asked.rfind("cmd=" + request, 0) != 0) return std::nullopt;
                            return answer;
                          }).run(2, {kRank, "place"})[0];
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  return outcome.err;
}

TEST(Pmi1, WhatIsNotPmiIsOneLine) {
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(said_to("init", "HTTP/1.1 400 Bad Request\n"),
      "what answers at PMI_FD is not a PMI server: it says 'HTTP/1.1 400");
  has(said_to("init", std::string("\0\1\2\n", 4)), "it has characters that cannot be printed");
  has(said_to("init", std::string(20000, 'x')), "more than 8192 bytes without an end of line");
  has(said_to("init", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1\n"), "refuses 'cmd=init");
  has(said_to("init", "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=0\n"),
      "does not speak version 1");
  has(said_to("init", "cmd=maxes\n"), "with cmd=maxes instead of response_to_init");
  has(said_to("init", ""), "has closed its connection before it answered");
  has(said_to("get_my_kvsname", "cmd=my_kvsname\n"), "has no space for values");
  has(said_to("put", "cmd=put_result rc=-1 msg=no_room\n"), "refuses 'cmd=put");
  has(said_to("get ", "cmd=get_result rc=0 msg=success\n"), "has no value of rank 0");
  has(said_to("get ", "cmd=get_result rc=0 msg=success value=old\n"),
      "rank 0 has another version of the library");
}

TEST(Pmi1, VariablesThatAreWrongAreNamed) {
  const auto said = [](const std::vector<std::string>& environment) {
    return run({kRank, "place"}, environment).err;
  };
  EXPECT_NE(said({"PMI_FD=6", "PMI_RANK=0"}).find("needs PMI_SIZE, which is not set"), std::string::npos);
  EXPECT_NE(said({"PMI_FD=x", "PMI_RANK=0", "PMI_SIZE=2"}).find("PMI_FD"), std::string::npos);
  EXPECT_NE(said({"PMI_PORT=nonsense", "PMI_ID=0"}).find("PMI_PORT=nonsense is not host:port"),
            std::string::npos);
  EXPECT_NE(said({"PMI_PORT=127.0.0.1:1", "PMI_ID=0"})
                .find("the PMI server at PMI_PORT=127.0.0.1:1 cannot be reached: Connection refused"),
            std::string::npos);
  EXPECT_NE(said({"PMI_FD=6", "PMI_RANK=2", "PMI_SIZE=2"}).find("PMI_RANK"), std::string::npos);
  EXPECT_NE(said({"PMI_FD=999", "PMI_RANK=0", "PMI_SIZE=2"}).find("PMI_FD=999 is not open"),
            std::string::npos);
}

}  // namespace
}  // namespace aqueduct::test
