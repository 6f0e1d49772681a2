// Finds the jobs of this user, or of all users, on this host, by the processes that hold a job's shared
// memory open. No other process has to run or answer.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "net/descriptor.hpp"
#include "observe/job_header.hpp"

namespace aqueduct::watch {

struct FoundJob {
  net::Descriptor memory;  ///< for reading it, and for asking its ranks
  observe::JobHeader header;
  std::string owner;  ///< the name of the user who has started it
  bool is_own;        ///< whether it belongs to the calling user; root may look at all jobs
};

enum class Whose { kOwn, kAllUsers };

/// Whether neither the process that was started nor the supervisor runs any more. Memory alone proves
/// nothing, because whoever looks at a job keeps its memory.
bool is_over(const observe::JobHeader& header);

/// All jobs, sorted by process numbers. Leaves out jobs of another version and jobs that this process may not
/// look at: those of other users, unless it is root's.
std::vector<FoundJob> find_jobs(Whose whose = Whose::kOwn);

/// The job that `name`, a process number, means: the process that was started, its supervisor, or any of its
/// ranks. Nothing, with one line in `*why`, if there is no such job that this user may look at.
std::optional<FoundJob> find_job(const std::string& name, std::string* why);

}  // namespace aqueduct::watch
