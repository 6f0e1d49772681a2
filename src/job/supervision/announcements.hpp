// Turns what a rank announces over its control socket (job/place/control.hpp) into events for the rank's
// watcher.
#pragma once
#include "job/supervision/rank_source.hpp"

namespace aqueduct::job {

/// Reads all waiting announcements and tells the watcher.
void tell_announcements(int control_fd, RankId rank, RankWatcher& watcher);

}  // namespace aqueduct::job
