// The ranks' output: many pipes in, two descriptors out, whole lines only.
//
// A LineSource collects what one rank writes to one stream and passes on every complete line. An OutputSink
// queues these lines and writes as much as the descriptor takes without blocking, so that the supervisor
// keeps serving deaths and signals while its reader (a pager, a slow disk) does not read. If a sink's backlog
// is large, its owner leaves the sources unread, and the ranks wait in write() as they would without a
// supervisor.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace aqueduct::job {

/// Receives the lines of sources.
class TextTarget {
 public:
  virtual void append(RankId source, std::string_view text) = 0;

 protected:
  ~TextTarget() = default;
};

class OutputSink final : public TextTarget {
 public:
  explicit OutputSink(int fd);

  /// Queues text of `source`, any number that identifies a source. Starts a new line if another source has
  /// left a line unfinished.
  void append(RankId source, std::string_view text) override;

  /// Writes as much as possible without blocking, or, with `until_empty`, everything.
  void write_some(bool until_empty = false);

  int fd() const { return fd_; }
  bool is_empty() const { return written_ == queue_.size(); }
  std::size_t backlog() const { return queue_.size() - written_; }
  /// The errno of the write that failed, or 0. A failed sink takes everything and writes nothing.
  int error() const { return error_; }

 private:
  int fd_;
  std::size_t chunk_;
  std::string queue_;
  std::size_t written_ = 0;  ///< how much of the front of queue_ has been written
  bool is_line_open_ = false;
  RankId last_source_ = kNoRank;
  int error_ = 0;
};

class LineSource {
 public:
  LineSource(RankId rank, bool tag);

  /// Reads once from `fd`, which does not block, and passes complete lines to `target`. False at the end of
  /// the stream.
  bool read_some(int fd, TextTarget& target);

  /// Passes on the last line, if it has no newline.
  void finish(TextTarget& target);

 private:
  void hand_on(std::string_view text, TextTarget& target);

  RankId rank_;
  std::string prefix_;
  std::string partial_;
  bool continues_line_ = false;  ///< the beginning of an overlong line has been passed on already
};

}  // namespace aqueduct::job
