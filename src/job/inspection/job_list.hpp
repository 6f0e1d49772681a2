// The jobs of this user, or of all, on this host, found from outside: processes that hold a job's shared
// memory open. Nothing else has to run or to answer for that.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "net/descriptor.hpp"
#include "observe/job_header.hpp"

namespace aqueduct::job {

struct FoundJob {
  net::Descriptor memory;  ///< to be read, and asked through
  observe::JobHeader header;
  std::string owner;  ///< the name of the user who has started it
  bool is_own;        ///< known to be of the user who looks; root may look at all
};

enum class Whose { kOwn, kAllUsers };

/// Neither the process that was started nor the supervisor runs any more. Whoever looks at a job keeps its
/// memory, so that there is memory says nothing.
bool is_over(const observe::JobHeader& header);

/// All of them, by the numbers of their processes. What is no job, or belongs to another version, is left
/// out, and so is what this process may not look at: those of other users, unless it is root's.
std::vector<FoundJob> find_jobs(Whose whose = Whose::kOwn);

/// The one that `name` means: the process that was started, its supervisor, or any of its ranks. Nothing,
/// with one line in `*why`, if there is none: it is not a number, not a process, of another user, no job, or
/// says nonsense.
std::optional<FoundJob> find_job(const std::string& name, std::string* why);

}  // namespace aqueduct::job
