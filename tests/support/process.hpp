// Starting a program from a test, talking to it, and looking at how it ended.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace aqueduct::test {

/// Lines of a text, without their newlines.
std::vector<std::string> lines_of(const std::string& text);
/// Those of them that contain `part`.
std::vector<std::string> lines_with(const std::string& text, const std::string& part);

struct Outcome {
  int exit_code = -1;  ///< 128 + n for a process that signal n ended
  std::string out, err;
  double seconds = 0;
  bool timed_out = false;  ///< it had to be killed

  std::string all() const { return out + err; }
};

/// A child process whose output is collected. Killed if it is destroyed while it runs.
class Process {
 public:
  /// `environment` holds NAME=VALUE settings that are added to this process's own.
  explicit Process(std::vector<std::string> command, std::vector<std::string> environment = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  /// Reads until the output has `count` lines with `part`, and returns them; fewer if the time is over or it
  /// ended.
  std::vector<std::string> wait_for_lines(const std::string& part, std::size_t count, double seconds);
  /// Waits for its end.
  Outcome finish(double seconds);

 private:
  using Clock = std::chrono::steady_clock;
  bool read_some(Clock::time_point until);  // false at the end of both streams or when the time is over

  pid_t pid_ = -1;
  int out_fd_ = -1, err_fd_ = -1;
  Clock::time_point started_;
  Outcome outcome_;
};

Outcome run(std::vector<std::string> command, std::vector<std::string> environment = {},
            double seconds = 120);

}  // namespace aqueduct::test
