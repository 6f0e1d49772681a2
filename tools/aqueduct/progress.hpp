// How far a long command is, on stderr: at a terminal a line that is replaced, elsewhere a line now and then.
//
//   Progress progress("aqueduct sim");
//   for (...) { progress.stage("seed 7, 6 of 100 done"); ... }
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
    int fd;
    bool is_terminal;
    Clock::duration first;  ///< until then nothing is said
    Clock::duration next;   ///< between one line and the next
  };
  static Manner on_stderr();

  explicit Progress(std::string command, Manner manner = on_stderr());
  /// Takes the line away from a terminal.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What is done now; said at once at a terminal if the last line is old enough, elsewhere with the next
  /// line.
  void stage(std::string text);

  /// Takes the line of whatever Progress there is away, before something else is written to the terminal.
  static void clear();

 private:
  static void look_at(const sim::Engine& engine);
  void say(const std::string& detail);

  std::string command_;
  std::string stage_;
  Manner manner_;
  Clock::time_point due_;
  bool is_line_there_ = false;
};

}  // namespace aqueduct
