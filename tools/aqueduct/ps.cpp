// aqueduct ps: the jobs of this user on this host, or, for root, of all users.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "commands.hpp"
#include "watch/job_view.hpp"

namespace {

int list_jobs(bool of_all_users) {
  using aqueduct::watch::Whose;
  if (of_all_users && geteuid() != 0) {
    fmt::print(stderr, "aqueduct ps: --all: only root sees the jobs of all users\n");
    return 1;
  }
  winsize size = {};
  if (isatty(STDOUT_FILENO) == 1) ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  const auto jobs = aqueduct::watch::find_jobs(of_all_users ? Whose::kAllUsers : Whose::kOwn);
  fmt::print("{}", aqueduct::watch::table_of(jobs, size.ws_col, of_all_users));
  return 0;
}

}  // namespace

void add_ps_command(CLI::App& app, int& exit_code) {
  CLI::App* ps = app.add_subcommand("ps", "List this user's jobs on this host");
  ps->footer(
      "JOB is the number of the process that was started. `aqueduct top JOB` and `aqueduct explain JOB`\n"
      "say more about one.");
  static bool of_all_users = false;
  ps->add_flag("-a,--all", of_all_users, "Those of all users, with their names; for root alone");
  ps->callback([&exit_code] { exit_code = list_jobs(of_all_users); });
}
