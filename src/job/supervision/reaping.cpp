#include "job/supervision/reaping.hpp"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace aqueduct::job {
namespace {

constexpr int kMaxRounds = 1000;
constexpr useconds_t kRoundPauseUs = 1000;

/// The parent in /proc/PID/stat. The command in parentheses before it may hold anything, so search from the
/// end.
pid_t parent_of(const char* process) {
  char path[300];
  std::snprintf(path, sizeof path, "/proc/%s/stat", process);
  char text[512];
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return -1;
  const std::size_t length = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  text[length] = '\0';
  const char* after_command = std::strrchr(text, ')');
  int parent = -1;
  if (after_command == nullptr || std::sscanf(after_command + 1, " %*c %d", &parent) != 1) return -1;
  return parent;
}

bool has_children() {
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/// All of /proc is read, because the shorter way over task/*/children is a kernel option.
std::vector<pid_t> own_children() {
  const pid_t self = getpid();
  std::vector<pid_t> children;
  if (!has_children()) return children;
  DIR* processes = opendir("/proc");
  if (processes == nullptr) return children;
  while (const dirent* entry = readdir(processes)) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    if (parent_of(entry->d_name) == self) children.push_back(static_cast<pid_t>(std::atol(entry->d_name)));
  }
  closedir(processes);
  return children;
}

}  // namespace

Adoption::Adoption() : earlier_children_(own_children()) {
  prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Adoption::~Adoption() { prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_); }

void Adoption::end_all() {
  // The children of a killed child become ours when it has been reaped; so repeat until there are none.
  for (int round = 0; round < kMaxRounds; ++round) {
    bool found = false;
    for (const pid_t child : own_children()) {
      if (std::count(earlier_children_.begin(), earlier_children_.end(), child) != 0) continue;
      found = true;
      kill(child, SIGKILL);
      waitpid(child, nullptr, WNOHANG);
    }
    if (!found) return;
    usleep(kRoundPauseUs);
  }
}

}  // namespace aqueduct::job
