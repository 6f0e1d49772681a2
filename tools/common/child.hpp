// Runs another program for a command, to its end or until a timeout.
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
  std::vector<std::string> words;  ///< the program, found by PATH unless it is a path, and its arguments
  std::vector<std::pair<std::string, std::string>> environment{};  ///< set only for the child
  std::optional<double> timeout_s{};                               ///< after this time the child is ended
  std::function<void()> meanwhile{};                               ///< called a few times a second
  bool drops_errors = false;                                       ///< its stderr is discarded
};

struct Ended {
  int code = 0;      ///< its exit code; 127: it could not run; 1: a signal ended it
  std::string said;  ///< its output on stdout and, unless dropped, stderr
  bool timed_out = false;
};

/// A child that runs beside its parent. The destructor ends it.
class Child {
 public:
  explicit Child(const ChildRun& run);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits until it has ended, at most `timeout_s` if that is set; then ends it.
  Ended finish();

 private:
  /// Waits for output and reads it; false once the child has closed its output.
  bool read_some(int longest_ms);
  void end();

  ChildRun run_;
  pid_t pid_ = -1;
  int output_ = -1;
  Ended ended_;
};

Ended run_to_end(const ChildRun& run);

/// The line that says why a child of this program failed: the first of Aqueduct's lines, otherwise the first
/// line.
std::string reason_in(const std::string& said);

/// Whether PATH has a program of this name.
bool is_in_path(const std::string& program);

/// The path of this very program.
std::string this_program();

/// Memory that children open as the file `path()`.
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
