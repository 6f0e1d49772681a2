#include "job/messages/link.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace aqueduct::job {
namespace {

/// Login scripts may print so much before the preamble.
constexpr std::size_t kMostNoise = std::size_t{1} << 20;
constexpr std::size_t kFirstBytes = 256;
constexpr std::size_t kLinkBytes = std::size_t{64} << 10;
/// Reads per event, so that a host that sends much does not keep others waiting.
constexpr int kReadsAtOnce = 16;

void do_not_block(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

}  // namespace

FrameLink::FrameLink(net::Descriptor in, net::Descriptor out, std::string_view preamble)
    : in_(std::move(in)), out_(std::move(out)), preamble_(preamble), is_introduced_(preamble.empty()) {
  do_not_block(in_.get());
  do_not_block(out_.get());
}

// A set of events has each descriptor once, so that each direction needs one of its own.
FrameLink::FrameLink(net::Descriptor socket) : out_(socket.copy()), is_introduced_(true) {
  in_ = std::move(socket);
  do_not_block(in_.get());
}

void FrameLink::watch(net::EventSet& events, std::function<void()> hear) {
  events_ = &events;
  is_out_watched_ = false;
  events.watch(in_.get(), EPOLLIN, [hear = std::move(hear)](std::uint32_t) { hear(); });
  flush();
}

void FrameLink::close() {
  if (events_ && in_) events_->unwatch(in_.get());
  if (events_ && out_ && is_out_watched_) events_->unwatch(out_.get());
  is_out_watched_ = false;
  in_.close();
  out_.close();
  is_closed_ = true;
}

void FrameLink::send_raw(std::string_view bytes) {
  if (!out_) return;
  outgoing_ += bytes;
  flush();
}

void FrameLink::flush() {
  while (out_ && backlog() != 0) {
    const ssize_t written = ::write(out_.get(), outgoing_.data() + sent_, std::min(backlog(), kLinkBytes));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) break;
    if (written < 0) {
      // The end of input closes the link; until then the other end may still send.
      if (events_ && is_out_watched_) events_->unwatch(out_.get());
      is_out_watched_ = false;
      out_.close();
      wipe(std::span(outgoing_));
      sent_ = outgoing_.size();
      break;
    }
    wipe(outgoing_.data() + sent_, static_cast<std::size_t>(written));
    sent_ += static_cast<std::size_t>(written);
  }
  if (backlog() == 0) {
    outgoing_.clear();
    sent_ = 0;
  } else if (sent_ > outgoing_.size() / 2) {
    outgoing_ = WipedText(outgoing_, sent_);  // erase() would leave a copy of the moved bytes
    sent_ = 0;
  }
  if (const bool waits = out_ && backlog() != 0; events_ && out_ && waits != is_out_watched_) {
    if (waits) {
      events_->watch(out_.get(), EPOLLOUT, [this](std::uint32_t) { flush(); });
    } else {
      events_->unwatch(out_.get());
    }
    is_out_watched_ = waits;
  }
}

bool FrameLink::receive() {
  static char buffer[kLinkBytes];  // not on the stack, which may be small (ulimit -s); one thread supervises
  bool has_come = false;
  for (int reads = 0; in_ && !is_closed_ && reads < kReadsAtOnce; ++reads) {
    const ssize_t length = ::read(in_.get(), buffer, sizeof buffer);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0 && errno == EAGAIN) break;
    if (length <= 0) {
      is_closed_ = true;
      if (events_) events_->unwatch(in_.get());
      break;
    }
    has_come = true;
    take({buffer, static_cast<std::size_t>(length)});
    wipe(buffer, static_cast<std::size_t>(length));
  }
  return has_come;
}

void FrameLink::take(std::string_view bytes) {
  std::string after;
  if (!is_introduced_) {
    before_ += bytes;
    const std::size_t at = before_.find(preamble_);
    if (at == std::string::npos) {
      is_noise_ = before_.size() > kMostNoise;
      if (is_noise_) before_.clear();
      return;
    }
    is_introduced_ = true;
    after = before_.substr(at + preamble_.size());
    before_.clear();
    bytes = after;
  }
  if (!preamble_.empty() && first_bytes_.size() < kFirstBytes)
    first_bytes_ += bytes.substr(0, kFirstBytes - first_bytes_.size());
  frames_.feed(bytes);
}

}  // namespace aqueduct::job
