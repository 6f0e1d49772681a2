// The standard input of rank 0 if it comes from a launcher on another host: a pipe that is filled as the rank
// reads. The launcher sends at most kInputWindow bytes ahead of the rank.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "net/event_set.hpp"

namespace aqueduct::job {

inline constexpr std::size_t kInputWindow = std::size_t{256} << 10;

class RankInput {
 public:
  /// `is_ready` is called when the pipe takes more; then call write_some().
  RankInput(net::EventSet& events, std::function<void()> is_ready)
      : events_(events), is_ready_(std::move(is_ready)) {}

  /// Returns the rank's end; -1 with errno if there can be no pipe.
  int open();
  /// Closes this process's copy of the rank's end.
  void close_reader() { reader_.close(); }

  void add(std::string_view text) { waiting_ += text; }
  /// No more input will be added.
  void end() { is_ended_ = true; }
  /// Writes as much as the pipe takes; returns how many bytes are done. Drops input if the rank has closed
  /// its end.
  std::size_t write_some();

 private:
  net::EventSet& events_;
  std::function<void()> is_ready_;
  net::Descriptor reader_;
  net::Descriptor writer_;
  std::string waiting_;
  bool is_ended_ = false;
  bool is_watched_ = false;
};

}  // namespace aqueduct::job
