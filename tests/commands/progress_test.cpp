// Long runs say how far they are: at a terminal at once, elsewhere now and then, and short ones not at all.
#include "progress.hpp"

#include <unistd.h>

#include "command.hpp"
#include "sim/engine.hpp"

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

TEST(Progress, ReplacesItsLineAtATerminalAndTakesItAway) {
  Sink sink;
  {
    Progress progress("aqueduct sim", {.fd = sink.fd(), .is_terminal = true, .first = 0s, .next = 0s});
    progress.stage("seed 1");
    progress.stage("seed 2");
  }
  EXPECT_EQ(sink.text(), "\r\033[Kaqueduct sim: seed 1\r\033[Kaqueduct sim: seed 2\r\033[K");
}

TEST(Progress, IsALineNowAndThenElsewhere) {
  Sink sink;
  {
    Progress progress("aqueduct sim", {.fd = sink.fd(), .is_terminal = false, .first = 0s, .next = 1h});
    progress.stage("seed 1");
    progress.stage("seed 2");
  }
  EXPECT_EQ(sink.text(), "aqueduct sim: seed 1\n");
}

TEST(Progress, SaysNothingOfWhatIsShort) {
  Sink sink;
  {
    Progress progress("aqueduct sim", {.fd = sink.fd(), .is_terminal = false, .first = 1h, .next = 1h});
    progress.stage("seed 1");
  }
  EXPECT_EQ(sink.text(), "");
}

TEST(Progress, FollowsASimulation) {
  Sink sink;
  {
    Progress progress("aqueduct sim", {.fd = sink.fd(), .is_terminal = false, .first = 0s, .next = 0s});
    sim::Engine engine;
    int left = 200'000;
    std::function<void()> again = [&] {
      if (--left > 0) engine.after(sim::kNanosecond, {sim::kControl, 0}, [&again] { again(); });
    };
    engine.after(0, {sim::kControl, 0}, [&again] { again(); });
    engine.run();
  }
  const std::string text = sink.text();
  EXPECT_GE(lines_with(text, "0.1 million events, virtual time 131.1 us").size(), 1u) << text;
}

TEST(Progress, OfAShortCommandIsSilent) { EXPECT_EQ(command("sim --seeds 1:20 ring").err, ""); }

}  // namespace
}  // namespace aqueduct::test
