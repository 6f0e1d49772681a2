// Evidence of the system's out-of-memory killer, whose victims otherwise look like ranks that somebody
// killed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace aqueduct::job {

/// The number after the word `oom_kill` at the beginning of a line, as files of the kernel have it.
std::optional<std::uint64_t> oom_kills_in(const std::string& text);

/// Counts what the killer does while this object lives.
class OomKiller {
 public:
  OomKiller();
  /// With files of the caller's in place of the kernel's: one that counts for a control group, one for the
  /// system.
  OomKiller(std::string group_file, std::string system_file);

  /// If it has killed since the last call: a few words that say so, for a line about a rank that was killed.
  std::string news();

 private:
  struct Source {
    std::string path;
    std::optional<std::uint64_t> kills;
  };
  Source group_;   ///< of this process's control group, which is the ranks', too
  Source system_;  ///< of the whole machine
};

}  // namespace aqueduct::job
