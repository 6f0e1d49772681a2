// Which variables of the launcher's environment the ranks of other hosts get.
//
// The rule: all of them, on top of what the login there has set, but for those that describe the machine, the
// person or the session of the launcher (kNotForwarded), and those in which supervisors talk to their ranks
// (job/place/variables.hpp). What the user names counts in any case.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace aqueduct::job {

/// Names that stay at home; a "*" at the end stands for any rest.
inline constexpr std::string_view kNotForwarded[] = {
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "MAIL",
    "HOSTNAME",
    "HOST",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "_",
    "TMPDIR",
    "DISPLAY",
    "TERM*",
    "XAUTHORITY",
    "XDG_*",
    "DBUS_*",
    "SSH_*",
    "SUDO_*",
    "WINDOWID",
    "AQUEDUCT_LAYOUT",
    "AQUEDUCT_LAUNCHER_PLUGINS",
};

bool is_forwarded(std::string_view name);

/// NAME=VALUE of all that are forwarded; then `added`, which are NAME=VALUE, or NAME for one that the
/// launcher has. Where a name that was added is not set, `*error` says so.
std::vector<std::string> forwarded_environment(const char* const* environment,
                                               const std::vector<std::string>& added, std::string* error);

/// Sets these in this process.
void set_environment(const std::vector<std::string>& variables);

}  // namespace aqueduct::job
