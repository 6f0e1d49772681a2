// A file that several threads, and perhaps several processes, write whole lines to.
//
// Lines are gathered in a buffer and written many at a time, each write in one piece at the end of the file,
// so that lines of processes that share it do not mix. A terminal or pipe gets every line at once.
//
// What cannot be written, because the disk is full, say, is fatal: a trace with a hole is worse than none.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/spin_lock.hpp"

namespace aqueduct::trace {

class Journal {
 public:
  /// `name`: a path in which every '%' becomes the rank, or "stdout", "stderr" or "-" (stderr). With
  /// `every_line`, each line is forced to the disk before the call returns.
  void open(const char* variable, const char* name, std::uint32_t rank, bool every_line);
  bool is_open() const { return fd_ >= 0; }

  /// One line, without its newline. Any thread.
  void write(const char* line, std::size_t length);

  /// Writes what is in the buffer. At the end of a process the thread that holds the lock may never run
  /// again, so this waits for the lock only for a moment.
  void flush();

 private:
  static constexpr std::size_t kBufferBytes = 1 << 16;

  /// Empties the buffer. Returns the errno of what could not be written, or 0.
  int write_out();
  [[noreturn]] void fail(int error);

  SpinLock lock_;
  const char* variable_ = "";
  char* path_ = nullptr;  ///< for the life of the process
  int fd_ = -1;
  bool every_line_ = false;
  bool to_disk_ = false;
  std::size_t used_ = 0;
  char* buffer_ = nullptr;
};

}  // namespace aqueduct::trace
