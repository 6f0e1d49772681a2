// Shows on stderr how far a long command is and about how long it will still take, as a line at a terminal
// that is replaced. It shows nothing if stderr is not a terminal, or during the first two seconds.
//
//   Progress progress("aqueduct sim");
//   for (...) { progress.stage("seed 7, 6 of 100 done"); progress.span(0.06, 0.07); ... Progress::report(0.5); ... }
//
// While one exists, simulations report to it as well: their virtual time and events follow the stage. One per
// process and thread; it does not influence simulations.
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
  /// Where and how often it writes; for tests.
  struct Manner {
    int fd;                 ///< -1: nowhere
    Clock::duration first;  ///< nothing is written before
    Clock::duration next;   ///< between one line and the next
  };
  static Manner on_stderr();

  explicit Progress(std::string command, Manner manner = on_stderr());
  /// Removes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Says what the command does now.
  void stage(std::string text);

  /// The next part of the work takes the command from `from` to `to`, from 0 to 1.
  void span(double from, double to);

  /// Reports which part of the span is done, from 0 to 1. Does nothing if there is no Progress.
  static void report(double part);

  /// Removes the line, if there is one, before other output to the terminal.
  static void clear();

  /// In a fork: leaves all of it to the parent.
  static void leave_to_parent();

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
  double part_ = 0;  // of the whole command
  bool is_line_there_ = false;
};

/// "about 40 s left", "about 3 min left".
std::string time_left_text(std::chrono::duration<double> left);

}  // namespace aqueduct
