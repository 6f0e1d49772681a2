#include "job/supervision/output.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace aqueduct::job {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
/// A longer line is passed on in pieces.
constexpr std::size_t kMaxLine = std::size_t{256} << 10;
constexpr std::size_t kFileChunk = std::size_t{1} << 20;

/// How many bytes a descriptor that polls as writable surely takes without blocking.
std::size_t chunk_of(int fd) {
  struct stat status = {};
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? kFileChunk : PIPE_BUF;
}

}  // namespace

OutputSink::OutputSink(int fd) : fd_(fd), chunk_(chunk_of(fd)) {}

void OutputSink::append(RankId source, std::string_view text) {
  if (text.empty() || error_ != 0) return;
  if (is_line_open_ && source != last_source_) queue_ += '\n';
  queue_ += text;
  last_source_ = source;
  is_line_open_ = text.back() != '\n';
}

void OutputSink::write_some(bool until_empty) {
  while (!is_empty() && error_ == 0) {
    // Others share the descriptor (the shell, other jobs), so it must stay blocking.
    pollfd ready = {fd_, POLLOUT, 0};
    const int answer = poll(&ready, 1, until_empty ? -1 : 0);
    if (answer < 0 && errno == EINTR) continue;
    if (answer == 0) break;
    const ssize_t length = write(fd_, queue_.data() + written_, std::min(backlog(), chunk_));
    if (length >= 0) {
      written_ += static_cast<std::size_t>(length);
    } else if (errno == EAGAIN && !until_empty) {
      break;
    } else if (errno != EAGAIN && errno != EINTR) {
      error_ = errno;
    }
  }
  if (is_empty() || error_ != 0) {
    queue_.clear();
    written_ = 0;
  } else if (written_ > kFileChunk) {
    queue_.erase(0, written_);
    written_ = 0;
  }
}

LineSource::LineSource(RankId rank, bool tag) : rank_(rank) {
  if (tag) prefix_.append("[").append(std::to_string(rank)).append("] ");
}

bool LineSource::read_some(int fd, TextTarget& target) {
  static char buffer[kReadBytes];  // not on the stack, which may be small (ulimit -s); one thread supervises
  ssize_t length;
  do {
    length = read(fd, buffer, sizeof buffer);
  } while (length < 0 && errno == EINTR);
  if (length < 0) return errno == EAGAIN;
  if (length == 0) return false;

  const std::string_view text(buffer, static_cast<std::size_t>(length));
  const std::size_t last_newline = text.rfind('\n');
  if (last_newline == std::string_view::npos) {
    partial_ += text;
  } else {
    partial_ += text.substr(0, last_newline + 1);
    hand_on(partial_, target);
    partial_ = text.substr(last_newline + 1);
  }
  if (partial_.size() > kMaxLine) {
    hand_on(partial_, target);
    partial_.clear();
  }
  return true;
}

void LineSource::finish(TextTarget& target) {
  hand_on(partial_, target);
  partial_.clear();
}

void LineSource::hand_on(std::string_view text, TextTarget& target) {
  if (text.empty()) return;
  if (prefix_.empty()) {
    target.append(rank_, text);
  } else {
    std::string tagged;
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
      if (start > 0 || !continues_line_) tagged += prefix_;
      tagged += text.substr(start, end - start);
      start = end;
    }
    target.append(rank_, tagged);
  }
  continues_line_ = text.back() != '\n';
}

}  // namespace aqueduct::job
