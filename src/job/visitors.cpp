#include "job/visitors.hpp"

#include <cerrno>

namespace aqueduct::job {

void Visitors::serve(int listener, const Receive& receive, const Refuse& refuse) {
  accept_all(listener);
  std::erase_if(waiting_, [&](Visitor& visitor) { return hear(visitor, receive, refuse); });
}

void Visitors::add_to_poll(std::vector<pollfd>& polled) const {
  for (const Visitor& visitor : waiting_) polled.push_back({visitor.connection.get(), POLLIN, 0});
}

void Visitors::accept_all(int listener) {
  // No more at once than there is place for: those that come now are heard before more are let in.
  for (std::size_t accepted = 0; accepted < kMost / 2; ++accepted) {
    Descriptor connection = accept_from(listener);
    const bool is_full = !connection && (errno == EMFILE || errno == ENFILE);
    if (is_full || (connection && waiting_.size() >= kMost)) {
      if (waiting_.empty()) return;
      waiting_.pop_front();
      ++dropped_;
    }
    if (!connection) {
      if (is_full || errno == ECONNABORTED || errno == EINTR) continue;
      return;
    }
    waiting_.push_back({std::move(connection), {}});
  }
}

bool Visitors::hear(Visitor& visitor, const Receive& receive, const Refuse& refuse) {
  // More than a greeting: enough for that of a later version, and to see that somebody says too much.
  char buffer[512];
  const Transferred got = receive_some(visitor.connection.get(), buffer, sizeof buffer);
  visitor.heard.append(buffer, got.bytes);
  const Examined examined = examine_greeting(visitor.heard, key_, purpose_, participants_);
  Answer answer;
  switch (examined.state) {
    case Examined::State::kIncomplete:
      if (got.is_closed) ++dropped_;
      return got.is_closed;
    case Examined::State::kStranger:
      ++dropped_;
      return true;
    case Examined::State::kRefused:
      answer.verdict = examined.verdict;
      answer.number = participants_;
      break;
    case Examined::State::kComplete: {
      const int fd = visitor.connection.get();
      answer = receive(examined.greeting, visitor.connection);
      if (!visitor.connection) {  // taken
        send_some(fd, &answer, sizeof answer);
        return true;
      }
    }
  }
  // An answer always fits into the buffer of a connection that has sent nothing yet.
  send_some(visitor.connection.get(), &answer, sizeof answer);
  if (examined.state == Examined::State::kRefused && refuse) refuse(examined.greeting, examined.verdict);
  return true;
}

}  // namespace aqueduct::job
