#include "job/supervision/oom_killer.hpp"

#include <fstream>
#include <sstream>
#include <utility>

namespace aqueduct::job {
namespace {

std::optional<std::uint64_t> kills_according_to(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return oom_kills_in(text.str());
}

/// The file of this process's control group that counts kills: of version 2, or of version 1.
std::string group_file() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    std::string folder = "/sys/fs/cgroup";
    std::string name = "/memory.events";
    if (controllers == "memory") {
      folder += "/memory";
      name = "/memory.oom_control";
    } else if (!controllers.empty()) {
      continue;
    }
    // A container may see only the group's own folder.
    for (const std::string& path : {folder + group + name, folder + name}) {
      if (kills_according_to(path)) return path;
    }
  }
  return {};
}

}  // namespace

std::optional<std::uint64_t> oom_kills_in(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t number;
    if (words >> name >> number && name == "oom_kill") return number;
  }
  return std::nullopt;
}

OomKiller::OomKiller() : OomKiller(group_file(), "/proc/vmstat") {}

OomKiller::OomKiller(std::string group_file, std::string system_file)
    : group_{std::move(group_file), {}}, system_{std::move(system_file), {}} {
  for (Source* source : {&group_, &system_}) source->kills = kills_according_to(source->path);
}

std::string OomKiller::news() {
  std::string words;
  for (const auto& [source, where] :
       {std::pair{&system_, "on this machine"}, {&group_, "in its control group"}}) {
    const std::optional<std::uint64_t> now = kills_according_to(source->path);
    if (now && source->kills && *now > *source->kills)
      words = std::string(", while the out-of-memory killer was at work ") + where;
    source->kills = now;
  }
  return words;
}

}  // namespace aqueduct::job
