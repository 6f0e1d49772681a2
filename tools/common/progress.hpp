// How far a long command is, on stderr, and about how long it will still take: a line at a terminal, which is
// replaced. Where stderr is no terminal nothing is said, and nothing of what takes less than two seconds.
//
//   Progress progress("aqueduct sim");
//   for (...) { progress.stage("seed 7, 6 of 100 done"); progress.span(0.06, 0.07); ... Progress::report(0.5); ... }
//
// While one is there, simulations report to it, too: their virtual time and events follow the stage. One for
// the process and thread; nothing here changes what a simulation does.
#pragma once
#include <chrono>
#include <string>

namespace aqueduct::sim {
class Engine;
}

namespace aqueduct {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  /// Where it speaks, and how often; for tests.
  struct Manner {
    int fd;                 ///< -1: nowhere
    Clock::duration first;  ///< until then nothing is said
    Clock::duration next;   ///< between one line and the next
  };
  static Manner on_stderr();

  explicit Progress(std::string command, Manner manner = on_stderr());
  /// Takes the line away.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What is done now.
  void stage(std::string text);

  /// Which part of the whole command is done when what follows begins, and when it ends: from 0 to 1.
  void span(double from, double to);

  /// By whoever does it: which part of the span is done, from 0 to 1. Nothing happens where there is no
  /// Progress.
  static void report(double part);

  /// Takes the line of whatever Progress there is away, before something else is written to the terminal.
  static void clear();

 private:
  static void look_at(const sim::Engine& engine);
  void say(const std::string& detail);
  std::string estimate() const;

  std::string command_;
  std::string stage_;
  Manner manner_;
  Clock::time_point start_;
  Clock::time_point due_;
  double from_ = 0, to_ = 1;
  double part_ = 0;  // of the whole
  bool is_line_there_ = false;
};

/// "about 40 s left", "about 3 min left".
std::string time_left_text(std::chrono::duration<double> left);

}  // namespace aqueduct
