// Long runs say at a terminal how far they are and how long they will take; short ones and others say
// nothing.
#include "tools/common/progress.hpp"

#include <unistd.h>

#include "command.hpp"
#include "sim/engine/engine.hpp"

namespace aqueduct::test {
namespace {

using namespace std::chrono_literals;

class Sink {
 public:
  Sink() {
    if (::pipe(ends_) != 0) ADD_FAILURE();
  }
  ~Sink() {
    ::close(ends_[0]);
    if (ends_[1] >= 0) ::close(ends_[1]);
  }
  int fd() const { return ends_[1]; }
  std::string text() {
    ::close(ends_[1]);
    ends_[1] = -1;
    std::string all;
    char part[256];
    for (ssize_t got; (got = ::read(ends_[0], part, sizeof part)) > 0;)
      all.append(part, static_cast<std::size_t>(got));
    return all;
  }

 private:
  int ends_[2] = {-1, -1};
};

TEST(Progress, ReplacesItsLineAndTakesItAway) {
  Sink sink;
  {
    Progress progress("aqueduct sim", {.fd = sink.fd(), .first = 0s, .next = 0s});
    progress.stage("seed 1");
    progress.stage("seed 2");
  }
  EXPECT_EQ(sink.text(), "\r\033[Kaqueduct sim: seed 1\r\033[Kaqueduct sim: seed 2\r\033[K");
}

TEST(Progress, SaysWhichPartIsDoneAndHowLongItWillTake) {
  Sink sink;
  {
    Progress progress("aqueduct sim", {.fd = sink.fd(), .first = 0s, .next = 0s});
    progress.stage("seeds");
    progress.span(0.5, 1);
    Progress::report(0.5);
  }
  const std::string text = sink.text();
  EXPECT_NE(text.find("aqueduct sim: seeds, 50 %, about"), std::string::npos) << text;
  EXPECT_NE(text.find("aqueduct sim: seeds, 75 %, about"), std::string::npos) << text;
  EXPECT_EQ(time_left_text(39.2s), "about 40 s left");
  EXPECT_EQ(time_left_text(100s), "about 2 min left");
}

TEST(Progress, OfNobodyIsNoError) { Progress::report(0.5); }

TEST(Progress, SaysNothingOfWhatIsShort) {
  Sink sink;
  {
    Progress progress("aqueduct sim", {.fd = sink.fd(), .first = 1h, .next = 0s});
    progress.stage("seed 1");
  }
  EXPECT_EQ(sink.text(), "");
}

TEST(Progress, SaysNothingWhereStderrIsNoTerminal) {
  EXPECT_EQ(Progress::on_stderr().fd, ::isatty(STDERR_FILENO) == 0 ? -1 : STDERR_FILENO);
  EXPECT_EQ(command("sim --seeds 1:20 ring").err, "");
}

TEST(Progress, FollowsASimulation) {
  Sink sink;
  {
    Progress progress("aqueduct sim", {.fd = sink.fd(), .first = 0s, .next = 0s});
    sim::Engine engine;
    int left = 200'000;
    std::function<void()> again = [&] {
      if (--left > 0) engine.after(sim::kNanosecond, {sim::kControl, 0}, [&again] { again(); });
    };
    engine.after(0, {sim::kControl, 0}, [&again] { again(); });
    engine.run();
  }
  const std::string text = sink.text();
  EXPECT_NE(text.find("0.1 million events, virtual time 131.1 us"), std::string::npos) << text;
}

}  // namespace
}  // namespace aqueduct::test
