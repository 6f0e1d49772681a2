// Chooses the variables of the launcher's environment that ranks on other hosts get.
//
// They get all variables, in addition to those that the login there has set, except those that describe the
// machine, the person or the session of the launcher (kNotForwarded), and those of supervisors for their
// ranks (job/place/variables.hpp). Variables that the user names are always forwarded.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace aqueduct::job {

/// Names that are not forwarded; a "*" at the end stands for any rest.
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

/// NAME=VALUE of all forwarded variables; then `added`, which are NAME=VALUE, or NAME for a variable of the
/// launcher. If such a NAME is not set, `*error` says so.
std::vector<std::string> forwarded_environment(const char* const* environment,
                                               const std::vector<std::string>& added, std::string* error);

/// Sets these variables in this process.
void set_environment(const std::vector<std::string>& variables);

}  // namespace aqueduct::job
