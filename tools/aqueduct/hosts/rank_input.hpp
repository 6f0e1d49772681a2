// The standard input of rank 0 where that comes from a launcher elsewhere: a pipe that is filled as the rank
// reads it. The launcher sends no more than kInputWindow bytes ahead of what was taken.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "net/event_set.hpp"

namespace aqueduct::job {

inline constexpr std::size_t kInputWindow = std::size_t{256} << 10;

class RankInput {
 public:
  /// `is_ready` is called when the pipe takes more of what waits: write_some() then.
  RankInput(net::EventSet& events, std::function<void()> is_ready)
      : events_(events), is_ready_(std::move(is_ready)) {}

  /// The end for the rank; -1 with errno if there can be no pipe.
  int open();
  /// The rank has its end.
  void close_reader() { reader_.close(); }

  void add(std::string_view text) { waiting_ += text; }
  /// After what was added comes nothing.
  void end() { is_ended_ = true; }
  /// Writes what the pipe takes; returns how many bytes need not be kept any more. What a rank does not want
  /// to read is dropped.
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
