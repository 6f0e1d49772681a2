// A job as the commands that look at it from outside see it: `aqueduct ps`, `top` and `explain`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "job/inspection/inspection.hpp"
#include "job/inspection/job_list.hpp"
#include "observe/state.hpp"

namespace aqueduct::watch {

class JobView {
 public:
  /// By what find_job() takes. Nothing, with one line in `*why`, if there is no such job.
  static std::optional<JobView> open(const std::string& name, std::string* why);

  /// All ranks of the job, or those of this host where the job is another host's. Nothing, with one line, if
  /// the job has ended or does not answer.
  std::optional<std::vector<observe::RankState>> look(const job::InspectOptions& look, std::string* why);

  /// Whether it is known to be a job of the user who looks, not of another at whom root looks.
  bool is_own() const { return found_.is_own; }

  /// "job 4711: ./program 5, 4 ranks on 2 hosts, for 12.3 s"; in so many columns, 0: not cut.
  std::string title(std::size_t columns = 0) const;
  /// Where the rest of the job can be asked for, if this is a part of it; or empty.
  std::string note() const;

 private:
  JobView(std::string name, job::FoundJob found) : name_(std::move(name)), found_(std::move(found)) {}

  std::string name_;
  job::FoundJob found_;
  std::optional<job::Inspection> inspection_;
};

/// The table of `aqueduct ps`, cut to so many columns; 0: not cut.
std::string table_of(const std::vector<job::FoundJob>& jobs, std::size_t columns, bool with_owners);

}  // namespace aqueduct::watch
