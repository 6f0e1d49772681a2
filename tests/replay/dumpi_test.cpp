// Traces of MPI calls in DUMPI's text form, which these tests write: what they become, how long that takes,
// and what is refused.
#include "tools/replay/dumpi.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "support/process.hpp"

namespace aqueduct::test {
namespace {

namespace fs = std::filesystem;
using namespace replay;

/// A rank's text; each call begins where the one before ended.
class Text {
 public:
  Text() { add("MPI_Init", 1000, {"int argc=0"}); }
  Text& add(const std::string& name, int ns, const std::vector<std::string>& arguments = {}) {
    text_ += name + " entering at walltime " + moment() + ", cputime 0.001000000 seconds in thread 0.\n";
    for (const std::string& argument : arguments) text_ += argument + "\n";
    now_ += ns;
    text_ += name + " returning at walltime " + moment() + ", cputime 0.001000000 seconds in thread 0.\n";
    return *this;
  }
  Text& compute(int ns) {
    now_ += ns;
    return *this;
  }
  Text& send(int to, int count, int tag = 7, const std::string& name = "MPI_Send") {
    return add(name, 100,
               {"int count=" + std::to_string(count), "MPI_Datatype datatype=11 (MPI_DOUBLE)",
                "int dest=" + std::to_string(to), "int tag=" + std::to_string(tag), kWorld,
                "MPI_Request request=[" + std::to_string(tag) + "]"});
  }
  Text& receive(const std::string& source, const std::string& tag, const std::string& status = "<IGNORED>") {
    return add("MPI_Recv", 500,
               {"int count=16", "MPI_Datatype datatype=11 (MPI_DOUBLE)", "int source=" + source,
                "int tag=" + tag, kWorld, "MPI_Status status=" + status});
  }
  Text& post(int source, int tag, int request) {
    return add(
        "MPI_Irecv", 50,
        {"int count=16", "MPI_Datatype datatype=11 (MPI_DOUBLE)", "int source=" + std::to_string(source),
         "int tag=" + std::to_string(tag), kWorld, "MPI_Request request=[" + std::to_string(request) + "]"});
  }
  std::string end() { return add("MPI_Finalize", 10).text_; }
  std::string text() const { return text_; }

  static constexpr const char* kWorld = "MPI_Comm comm=2 (MPI_COMM_WORLD)";

 private:
  std::string moment() const {
    char text[32];
    std::snprintf(text, sizeof text, "%lld.%09lld", 8153 + now_ / 1'000'000'000, now_ % 1'000'000'000);
    return text;
  }
  long long now_ = 49'000'000;
  std::string text_;
};

std::string refusal(const std::vector<std::string>& texts) {
  std::string why;
  EXPECT_FALSE(program_of_dumpi(texts, &why)) << "it was taken";
  EXPECT_EQ(why.find('\n'), std::string::npos);
  return why;
}

TEST(Dumpi, MessagesAreMatchedInTheirOrderBySourceAndTag) {
  // Rank 1 posts 8 before 7, and takes any source and tag last.
  const std::vector<std::string> texts{
      Text().send(1, 2, 7).send(1, 3, 8, "MPI_Isend").compute(2000).send(1, 4, 7).end(),
      Text()
          .post(0, 8, 40)
          .receive("0", "7")
          .add("MPI_Waitall", 900,
               {"int count=2", "MPI_Request requests[2]=[40, 0]", "MPI_Status statuses[2]=<IGNORED>"})
          .receive("-2 (MPI_ANY_SOURCE)", "-1 (MPI_ANY_TAG)",
                   "[{bytes=32, cancelled=0, source=0, tag=7, error=0}]")
          .end()};
  std::string why;
  const auto program = program_of_dumpi(texts, &why);
  ASSERT_TRUE(program) << why;
  ASSERT_EQ(program->messages.size(), 3u);
  std::vector<std::uint64_t> bytes;
  for (const Arrivals& arrivals : program->ranks[1].arrivals) {
    for (const std::uint32_t message : arrivals.messages) bytes.push_back(program->messages[message].bytes);
  }
  EXPECT_EQ(bytes, (std::vector<std::uint64_t>{16, 24, 32}));
  std::uint64_t computed = 0;
  for (const Step& step : program->ranks[0].steps) computed += step.ns;
  EXPECT_EQ(computed, 2000u);
  EXPECT_TRUE(program->notes.empty());
}

/// What libdumpi has recorded of two ranks over Open MPI, as dumpi2ascii writes it (tests/replay/dumpi).
std::vector<std::string> recorded_texts() {
  std::vector<std::string> texts;
  for (const char* name : {"dumpi-0000.txt", "dumpi-0001.txt"}) {
    std::ifstream file(fs::path(DUMPI_SAMPLE) / name);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    EXPECT_FALSE(texts.back().empty()) << name;
  }
  return texts;
}

std::uint64_t nanoseconds_of(const Program& program) {
  std::uint64_t ns = 0;
  for (const auto& rank : program.ranks)
    for (const Step& step : rank.steps) ns += step.ns;
  return ns;
}

TEST(Dumpi, ATraceOfARealProgramIsRead) {
  std::string why;
  const auto program = program_of_dumpi(recorded_texts(), &why);
  ASSERT_TRUE(program) << why;
  std::multiset<std::uint64_t> bytes;
  for (const auto& message : program->messages) bytes.insert(message.bytes);
  // Rows to each other, a Sendrecv, an int for whoever receives it, and a text that MPI_Test waits for.
  EXPECT_EQ(bytes, (std::multiset<std::uint64_t>{4, 10, 64, 64, 8000, 8000}));
  EXPECT_TRUE(program->notes.empty());
  EXPECT_GT(nanoseconds_of(*program), 30'000u);  // each rank computes a little
}

TEST(Dumpi, TimesMayCountFrom1970) {
  std::vector<std::string> texts = recorded_texts();
  std::string why;
  const auto program = program_of_dumpi(texts, &why);
  ASSERT_TRUE(program) << why;
  for (std::string& text : texts) {
    for (std::size_t at; (at = text.find("walltime 59")) != std::string::npos;)
      text.replace(at, std::strlen("walltime 59"), "walltime 12967779");
  }
  const auto later = program_of_dumpi(texts, &why);
  ASSERT_TRUE(later) << why;
  EXPECT_EQ(nanoseconds_of(*later), nanoseconds_of(*program));
}

TEST(Dumpi, TypesAndCollectivesHaveTheirSizes) {
  const auto text = [] {
    return Text()
        .add("MPI_Type_contiguous", 1,
             {"int count=3", "MPI_Datatype oldtype=5 (MPI_INT)",
              "MPI_Datatype newtype=40 (user-defined-datatype)"})
        .add("MPI_Comm_dup", 1, {Text::kWorld, "MPI_Comm newcomm=5 (user-defined-comm)"})
        .add("MPI_Bcast", 10,
             {"int count=2", "MPI_Datatype datatype=40 (user-defined-datatype)", "int root=1",
              "MPI_Comm comm=5 (user-defined-comm)"})
        .add("MPI_Alltoall", 10,
             {"int sendcount=4", "MPI_Datatype sendtype=11 (MPI_DOUBLE)", "int recvcount=4",
              "MPI_Datatype recvtype=11 (MPI_DOUBLE)", Text::kWorld})
        .add("MPI_Barrier", 10, {Text::kWorld})
        .end();
  };
  std::string why;
  const auto program = program_of_dumpi(std::vector{text(), text(), text()}, &why);
  ASSERT_TRUE(program) << why;
  const std::vector<Step>& steps = program->ranks[2].steps;
  std::vector<std::uint64_t> bytes;
  for (const Step& step : steps) {
    if (step.what != Step::What::kCompute) bytes.push_back(step.bytes);
  }
  EXPECT_EQ(bytes, (std::vector<std::uint64_t>{24, 32, 0}));
  EXPECT_EQ(program->largest_data, 96u);
  EXPECT_EQ(program->meetings.size(), 3u);
}

TEST(Dumpi, WhatCannotBeReplayedIsSaid) {
  const std::string good = Text().end();
  EXPECT_EQ(refusal({Text().text()}),
            "rank 0 does not end with MPI_Finalize: only whole jobs can be replayed");
  EXPECT_EQ(refusal({"nonsense"}), "rank 0 does not begin with MPI_Init");
  EXPECT_EQ(refusal({good, good.substr(0, good.find("MPI_Finalize returning"))}),
            "rank 1 is cut off in MPI_Finalize: copy it again");
  EXPECT_EQ(refusal({Text().add("MPI_Win_fence", 5).add("MPI_Scan", 5).add("MPI_Scan", 5).end()}),
            "has calls that cannot be replayed: 2 MPI_Scan, 1 MPI_Win_fence");
  EXPECT_NE(refusal({Text().add("MPI_Barrier", 5, {"MPI_Comm comm=9 (user-defined-comm)"}).end()})
                .find("MPI_Barrier on the communicator 9 (user-defined-comm)"),
            std::string::npos);
  EXPECT_NE(refusal({Text()
                         .add("MPI_Bcast", 5,
                              {"int count=2", "MPI_Datatype datatype=77 (user-defined-datatype)",
                               "int root=0", Text::kWorld})
                         .end()})
                .find("datatype whose size is not known (user-defined-datatype)"),
            std::string::npos);
  EXPECT_NE(refusal({Text().send(1, 1).end()}).find("whose dest is no rank of the job"), std::string::npos);
  EXPECT_NE(refusal({good, Text().receive("0", "7").end()}).find("more messages of rank 0 with tag 7 than"),
            std::string::npos);
  EXPECT_NE(refusal({Text().send(1, 1).end(), Text().receive("-2 (MPI_ANY_SOURCE)", "7").end()})
                .find("whose status was not traced"),
            std::string::npos);
  EXPECT_NE(refusal({Text().add("MPI_Barrier", 5, {Text::kWorld}).end(), good}).find("not all ranks came to"),
            std::string::npos);
}

// By hand: a message that is sent at 0, and answered when it has come, takes two ways; computing adds up.
TEST(Dumpi, AReplayTakesItsWaysAndItsComputing) {
  const std::string folder = testing::TempDir() + "dumpi_" + std::to_string(getpid());
  fs::create_directories(folder + "/traces");
  const auto write = [&](int rank, const std::string& text) {
    std::ofstream(folder + "/traces/dumpi-2026-000" + std::to_string(rank) + ".txt") << text;
  };
  std::ofstream(folder + "/traces/dumpi-2026.meta") << "numprocs=2\n";
  write(0, Text().compute(10'000).send(1, 1).receive("1", "9").compute(4'000).end());
  write(1, Text().receive("0", "7").compute(5'000).send(0, 1, 9).end());
  const auto replayed = [&](const std::string& network) {
    const Outcome outcome = run({AQUEDUCT_TOOL, "sim", "--network", "crossbar", "--set",
                                 "link.hop=" + network, "--replay", folder + "/traces"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
    const std::string line = lines_with(outcome.out, "replayed  ").at(0);
    return std::stod(line.substr(line.find_first_of("0123456789")));
  };
  const double near = replayed("100ns"), far = replayed("10us");
  EXPECT_GT(near, 19.0);
  EXPECT_LT(near, 22.0);
  EXPECT_NEAR(far - near, 2 * 9.9, 0.01);
  fs::remove(folder + "/traces/dumpi-2026-0000.txt");
  const Outcome lacks = run({AQUEDUCT_TOOL, "sim", "--replay", folder + "/traces"});
  EXPECT_EQ(lacks.exit_code, 2);
  EXPECT_NE(lacks.err.find("lacks the text of rank 0"), std::string::npos) << lacks.err;
  fs::remove_all(folder);
}

}  // namespace
}  // namespace aqueduct::test
