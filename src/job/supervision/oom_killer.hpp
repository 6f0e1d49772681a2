// Evidence of the system's out-of-memory killer, whose victims otherwise look like ranks that somebody
// killed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace aqueduct::job {

/// The number after the word `oom_kill` at the beginning of a line of a kernel file.
std::optional<std::uint64_t> oom_kills_in(const std::string& text);

/// Counts what the killer does while this object lives.
class OomKiller {
 public:
  OomKiller();
  /// Reads these files instead of the kernel's: one counts for a control group, one for the system.
  OomKiller(std::string group_file, std::string system_file);

  /// A few words for a line about a killed rank if the killer has been at work since the last call; otherwise
  /// empty.
  std::string news();

 private:
  struct Source {
    std::string path;
    std::optional<std::uint64_t> kills;
  };
  Source group_;   ///< of this process's control group, which the ranks share
  Source system_;  ///< of the whole machine
};

}  // namespace aqueduct::job
