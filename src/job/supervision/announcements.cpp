#include "job/supervision/announcements.hpp"

#include "job/place/control.hpp"

namespace aqueduct::job {

void tell_announcements(int control_fd, RankId rank, RankWatcher& watcher) {
  while (const std::optional<Announcement> news = receive_announcement(control_fd)) {
    using enum RankEvent::Kind;
    if (news->kind == ControlKind::kStart) watcher.take({kStarted, rank, news->code});
    if (news->kind == ControlKind::kExit) watcher.take({kCalledExit, rank, news->code});
    if (news->kind == ControlKind::kReturn) watcher.take({kReturned, rank});
    if (news->kind == ControlKind::kAbort) watcher.take({kAborted, rank, news->code, news->text});
    if (news->kind == ControlKind::kHang) watcher.take({kHangs, rank});
  }
}

}  // namespace aqueduct::job
