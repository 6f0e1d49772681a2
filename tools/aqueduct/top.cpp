// aqueduct top JOB: what the ranks of a job do now.
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "commands.hpp"
#include "completion.hpp"
#include "tools/common/arguments.hpp"
#include "tools/common/printed.hpp"
#include "watch/counter_table.hpp"
#include "watch/job_view.hpp"

namespace aqueduct::watch {
namespace {

struct TopTyped {
  std::string job;
  std::string interval = "1";
  std::string rank;
  bool once = false;
};

/// The terminal of standard output and input: keys come at once and are not shown. The destructor restores
/// it.
class Terminal {
 public:
  Terminal() : is_one_(isatty(STDOUT_FILENO) == 1 && tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!is_one_) return;
    termios keys = before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
    tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  ~Terminal() {
    if (is_one_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  bool is_one() const { return is_one_; }
  /// The lines that are left for ranks.
  std::size_t rows() const {
    constexpr std::size_t kOthers = 4;
    winsize size = {};
    if (!is_one_ || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row <= kOthers) return 0;
    return size.ws_row - kOthers;
  }
  /// The columns of a line.
  std::size_t columns() const {
    constexpr std::size_t kAtLeast = 80;
    winsize size = {};
    if (!is_one_ || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return kAtLeast;
    return std::max<std::size_t>(size.ws_col, kAtLeast);
  }
  /// Waits for so long; false if the user ends the command.
  bool wait(double seconds) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
      const double left = std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count();
      if (left <= 0) return true;
      pollfd keys = {is_one_ ? STDIN_FILENO : -1, POLLIN, 0};
      if (poll(&keys, 1, static_cast<int>(left * 1000) + 1) <= 0) continue;
      constexpr char kControlC = 3;
      char key = 'q';
      if (read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q' || key == kControlC) return false;
    }
  }

 private:
  termios before_ = {};
  const bool is_one_;
};

int refuse_top(const std::string& why) {
  fmt::print(stderr, "aqueduct top: {}\n", why);
  return 1;
}

int top(const TopTyped& typed) {
  constexpr const char* kHomeAndClear = "\x1b[H\x1b[J";
  const double interval = arguments::seconds("--interval", typed.interval);
  std::string why;
  std::optional<JobView> view = JobView::open(typed.job, &why);
  if (!view) return refuse_top(why);
  const Terminal terminal;
  std::optional<std::vector<observe::RankState>> before;
  auto seen = std::chrono::steady_clock::now();
  for (;;) {
    auto states = view->look({.with_counters = true}, &why);
    const auto now = std::chrono::steady_clock::now();
    if (!states) return before ? (fmt::print("{}\n", why), 0) : refuse_top(why);
    std::string text = view->title(terminal.columns()) + "\n";
    if (!typed.rank.empty()) {
      const auto rank = static_cast<RankId>(arguments::whole_number("--rank", typed.rank, 0, ~RankId{0} - 1));
      const auto state =
          std::find_if(states->begin(), states->end(), [&](const auto& s) { return s.rank == rank; });
      if (state == states->end()) return refuse_top(fmt::format("job {} has no rank {}", typed.job, rank));
      text += peer_table(*states, *state);
    } else {
      const double seconds = std::chrono::duration<double>(now - seen).count();
      text += rank_table(*states, before ? &*before : nullptr, seconds, terminal.rows());
    }
    if (const std::string note = view->note(); !note.empty()) text += note + "\n";
    fmt::print("{}{}{}", terminal.is_one() ? kHomeAndClear : "", text, terminal.is_one() ? "q ends\n" : "");
    printed::flush();
    if (typed.once) return 0;
    before = std::move(states);
    seen = now;
    if (!terminal.wait(interval)) return 0;
  }
}

}  // namespace
}  // namespace aqueduct::watch

void add_top_command(CLI::App& app, int& exit_code) {
  static aqueduct::watch::TopTyped typed;
  CLI::App* command = app.add_subcommand("top", "Show what the ranks of a job send, receive and wait for");
  command->formatter(std::make_shared<UsageFormatter>("JOB"));
  command->footer(
      "The first table counts from the start of the ranks, the others what has happened in each second.\n"
      "At a terminal the table is replaced, and q ends it.");
  aqueduct::completion::offer(
      command->add_option("JOB", typed.job, "The job: the number of one of its processes")
          ->required()
          ->type_name(""),
      aqueduct::completion::jobs);
  command->add_option("--interval", typed.interval, "Seconds between two tables (1)")->type_name("S");
  command->add_option("--rank", typed.rank, "The peers of this rank instead")->type_name("N");
  command->add_flag("--once", typed.once, "One table");
  command->callback([&exit_code] { exit_code = aqueduct::watch::top(typed); });
}
