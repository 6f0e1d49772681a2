// What a rank announces over its control socket (job/place/control.hpp), as events for whoever watches the
// rank.
#pragma once
#include "job/supervision/rank_source.hpp"

namespace aqueduct::job {

/// Reads all that is there and tells the watcher.
void tell_announcements(int control_fd, RankId rank, RankWatcher& watcher);

}  // namespace aqueduct::job
