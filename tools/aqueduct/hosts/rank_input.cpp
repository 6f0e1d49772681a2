#include "hosts/rank_input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace aqueduct::job {

int RankInput::open() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  reader_ = net::Descriptor(ends[0]);
  writer_ = net::Descriptor(ends[1]);
  fcntl(writer_.get(), F_SETFL, O_NONBLOCK);
  return reader_.get();
}

std::size_t RankInput::write_some() {
  std::size_t taken = 0;
  while (writer_ && taken < waiting_.size()) {
    const ssize_t length = ::write(writer_.get(), waiting_.data() + taken, waiting_.size() - taken);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0 && errno == EAGAIN) break;
    if (length < 0) {
      writer_.close();
      break;
    }
    taken += static_cast<std::size_t>(length);
  }
  if (!writer_) taken = waiting_.size();
  waiting_.erase(0, taken);
  if (is_ended_ && waiting_.empty()) writer_.close();
  if (!writer_) {
    is_watched_ = false;
  } else if (const bool waits = !waiting_.empty(); waits != is_watched_) {
    if (waits) {
      events_.watch(writer_.get(), EPOLLOUT, [this](std::uint32_t) { is_ready_(); });
    } else {
      events_.unwatch(writer_.get());
    }
    is_watched_ = waits;
  }
  return taken;
}

}  // namespace aqueduct::job
