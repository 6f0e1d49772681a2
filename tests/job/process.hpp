// A process under test: started with pipes around it, watched, and never left behind.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace job_test {

using Seconds = std::chrono::duration<double>;

/// The whole job must end within a second; slow machines and sanitizers get this much.
inline constexpr Seconds kSoon{20};

struct Command {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment =
      {};  ///< added to ours; an empty value removes the variable
  std::string input = {};
  bool on_terminal = false;  ///< leads a session of its own, on a terminal that carries its input and output
};

struct Outcome {
  int code = -1;  ///< 128+n if signal n ended it
  std::string output;
  std::string errors;
  Seconds took{0};
};

class Process {
 public:
  explicit Process(const Command& command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  /// What it has written to standard output so far, as far as that was read.
  const std::string& output() const { return output_text_; }
  void write(const std::string& text);
  /// Reads until standard output holds `count` times `text`. False if that takes too long.
  bool wait_for(const std::string& text, int count = 1);
  /// Likewise of standard error.
  bool wait_for_error(const std::string& text, int count = 1);
  /// Sends a signal, and starts the clock that `took` reads.
  void signal(int number);
  /// Nobody reads its standard output from now on.
  void close_output();
  /// Reads on until it has ended.
  Outcome finish();

 private:
  bool read_some(Seconds timeout);
  bool wait_until_holds(const std::string& all, const int& fd, const std::string& text, int count);

  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  int errors_ = -1;
  std::string output_text_;
  std::string errors_text_;
  std::chrono::steady_clock::time_point since_;
};

Outcome run(const Command& command);

/// `aqueduct run -n RANKS OPTIONS... COMMAND...`
Command job(int ranks, std::vector<std::string> command, std::vector<std::string> options = {});
/// The same, of the program in rank_program.cpp.
Command rank_job(int ranks, std::vector<std::string> arguments, std::vector<std::string> options = {});
/// The program itself, started without the launcher.
Command rank_program(std::vector<std::string> arguments);

/// Text that no other process on this machine has on its command line, to find ours by.
std::string unique_mark();
/// Waits until no process has `mark` on its command line; false if some stay.
bool all_gone(const std::string& mark, Seconds timeout = kSoon);
std::vector<pid_t> processes_with(const std::string& mark);
std::vector<pid_t> children_of(pid_t process);

std::vector<std::string> lines_of(const std::string& text);

}  // namespace job_test
