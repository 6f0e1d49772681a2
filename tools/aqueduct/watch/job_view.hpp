// A job for the commands that look at it from outside: `aqueduct ps`, `top` and `explain`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "job/inspection/inspection.hpp"
#include "observe/state.hpp"
#include "watch/job_list.hpp"

namespace aqueduct::watch {

class JobView {
 public:
  /// Opens a job by a name for find_job(). Nothing, with one line in `*why`, if there is no such job.
  static std::optional<JobView> open(const std::string& name, std::string* why);

  /// The states of all ranks of the job, or of those on this host if the launcher is on another one. Nothing,
  /// with one line, if the job has ended or does not answer.
  std::optional<std::vector<observe::RankState>> look(const job::InspectOptions& look, std::string* why);

  /// Whether the job belongs to the calling user; root also sees jobs of others.
  bool is_own() const { return found_.is_own; }

  /// "job 4711: ./program 5, 4 ranks on 2 hosts, for 12.3 s"; cut to so many columns; 0: not cut.
  std::string title(std::size_t columns = 0) const;
  /// If this is only a part of the job, says where to ask about the rest; otherwise empty.
  std::string note() const;

 private:
  JobView(std::string name, FoundJob found) : name_(std::move(name)), found_(std::move(found)) {}

  std::string name_;
  FoundJob found_;
  std::optional<job::Inspection> inspection_;
};

/// The table of `aqueduct ps`, cut to so many columns; 0: not cut.
std::string table_of(const std::vector<FoundJob>& jobs, std::size_t columns, bool with_owners);

}  // namespace aqueduct::watch
