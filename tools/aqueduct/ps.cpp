// aqueduct ps: the jobs of this user on this host.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "commands.hpp"
#include "watch/job_view.hpp"

void add_ps_command(CLI::App& app, int& exit_code) {
  CLI::App* ps = app.add_subcommand("ps", "List this user's jobs on this host");
  ps->footer(
      "JOB is the number of the process that was started. `aqueduct top JOB` and `aqueduct explain JOB`\n"
      "say more about one.");
  ps->callback([&exit_code] {
    winsize size = {};
    if (isatty(STDOUT_FILENO) == 1) ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    fmt::print("{}", aqueduct::watch::table_of(aqueduct::job::find_jobs(), size.ws_col));
    exit_code = 0;
  });
}
