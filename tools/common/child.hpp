// Another program, run by a command: to its end, or as long as the command has patience with it.
//
//   const Ended ended = run_to_end({.words = {this_program(), "info"}, .timeout_s = 30});
//   if (ended.code != 0) complain(reason_in(ended.said));
//
// A child ends with the process that started it.
#pragma once
#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aqueduct {

struct ChildRun {
  std::vector<std::string> words;  ///< the program, found by PATH where it is no path, and its arguments
  std::vector<std::pair<std::string, std::string>> environment{};  ///< set for it alone
  std::optional<double> timeout_s{};                               ///< then it is ended
  std::function<void()> meanwhile{};                               ///< called a few times a second
  bool drops_errors = false;                                       ///< what it says on stderr is lost
};

struct Ended {
  int code = 0;      ///< its exit code; 127: it could not be run; 1: it was ended by a signal
  std::string said;  ///< on stdout and, unless that is dropped, stderr
  bool timed_out = false;
};

/// One that runs beside its parent. Whoever destroys it first ends it.
class Child {
 public:
  explicit Child(const ChildRun& run);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits until it has ended, for `timeout_s` at most if that is there; then ends it.
  Ended finish();

 private:
  /// Waits for what it says, and reads it; false once it has closed its output.
  bool read_some(int longest_ms);
  void end();

  ChildRun run_;
  pid_t pid_ = -1;
  int output_ = -1;
  Ended ended_;
};

Ended run_to_end(const ChildRun& run);

/// The line that says why one of our own failed: the first of ours, or else the first.
std::string reason_in(const std::string& said);

/// Whether a program can be run by its name.
bool is_in_path(const std::string& program);

/// The path of this very program.
std::string this_program();

/// Memory that children find as a file: `path()` in their arguments.
class InheritedFile {
 public:
  explicit InheritedFile(const std::string& text = "");
  ~InheritedFile();
  InheritedFile(const InheritedFile&) = delete;
  InheritedFile& operator=(const InheritedFile&) = delete;

  std::string path() const;
  std::string text() const;

 private:
  int fd_;
};

}  // namespace aqueduct
