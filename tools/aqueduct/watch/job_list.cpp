#include "watch/job_list.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <fstream>
#include <memory>
#include <set>

#include "job/inspection/job_table.hpp"

namespace aqueduct::watch {
namespace {

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  while (open) {
    const dirent* const entry = ::readdir(open.get());
    if (!entry) break;
    if (entry->d_name[0] != '.') names.push_back(entry->d_name);
  }
  return names;
}

std::optional<pid_t> process_of(const std::string& name) {
  pid_t pid = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, pid);
  if (error != std::errc() || rest != end || pid <= 0) return std::nullopt;
  return pid;
}

/// The files that a process holds open and that may be a job's memory.
std::vector<net::Descriptor> memories_of(pid_t process) {
  constexpr std::string_view kName = "/memfd:aqueduct (deleted)";  // never linked; others are longer
  std::vector<net::Descriptor> memories;
  const std::string folder = "/proc/" + std::to_string(process) + "/fd/";
  for (const std::string& number : names_in(folder)) {
    char target[kName.size() + 1];
    const ssize_t length = ::readlink((folder + number).c_str(), target, sizeof target);
    if (length < 0 || std::string_view(target, static_cast<std::size_t>(length)) != kName) continue;
    net::Descriptor memory(::open((folder + number).c_str(), O_RDWR | O_CLOEXEC));
    if (memory) memories.push_back(std::move(memory));
  }
  return memories;
}

/// False for a zombie as well.
bool is_running(std::uint32_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && text.find_first_of("ZX", name_end + 2) != name_end + 2;
}

std::optional<uid_t> owner_of(pid_t process) {
  struct stat facts = {};
  if (::stat(("/proc/" + std::to_string(process)).c_str(), &facts) != 0) return std::nullopt;
  return facts.st_uid;
}

std::string user_name(uid_t user) {
  const passwd* const entry = ::getpwuid(user);
  return entry ? entry->pw_name : std::to_string(user);
}

/// The owner of its process, or of its supervisor's: others may hold its memory to look at it.
std::string owner_of_job(const observe::JobHeader& header) {
  std::optional<uid_t> owner = owner_of(static_cast<pid_t>(header.job));
  if (!owner) owner = owner_of(static_cast<pid_t>(header.supervisor));
  return owner ? user_name(*owner) : "?";
}

constexpr uid_t kEverybody = ~uid_t{0};  // no user has that number

/// Calls `take(memory)` once for each memory that a process of `user`, or of everybody, holds, until it
/// returns true.
void for_each_memory(uid_t user, const auto& take) {
  std::set<std::pair<dev_t, ino_t>> seen;
  for (const std::string& name : names_in("/proc")) {
    const std::optional<pid_t> process = process_of(name);
    if (!process || (user != kEverybody && owner_of(*process) != user)) continue;
    for (net::Descriptor& memory : memories_of(*process)) {
      struct stat facts = {};
      if (::fstat(memory.get(), &facts) != 0 || !seen.emplace(facts.st_dev, facts.st_ino).second) continue;
      if (take(std::move(memory))) return;
    }
  }
}

}  // namespace

bool is_over(const observe::JobHeader& header) {
  return !is_running(header.job) && (header.supervisor == 0 || !is_running(header.supervisor));
}

std::vector<FoundJob> find_jobs(Whose whose) {
  std::vector<FoundJob> jobs;
  for_each_memory(whose == Whose::kOwn ? ::geteuid() : kEverybody, [&](net::Descriptor memory) {
    std::string why;
    const std::optional<observe::JobHeader> header = job::read_job_header(memory.get(), &why);
    if (header && !is_over(*header))
      jobs.push_back({std::move(memory), *header, owner_of_job(*header), whose == Whose::kOwn});
    return false;
  });
  std::sort(jobs.begin(), jobs.end(),
            [](const FoundJob& a, const FoundJob& b) { return a.header.job < b.header.job; });
  return jobs;
}

std::optional<FoundJob> find_job(const std::string& name, std::string* why) {
  const auto refuse = [&](const std::string& line) {
    *why = line;
    return std::nullopt;
  };
  const std::optional<pid_t> process = process_of(name);
  if (!process)
    return refuse("'" + name +
                  "' is no job: a job is called by the number of its process, as `aqueduct ps` shows it");
  const std::optional<uid_t> owner = owner_of(*process);
  if (!owner)
    return refuse("there is no job " + name +
                  ": no such process; it may have ended (`aqueduct ps` lists jobs)");
  if (::geteuid() != 0 && *owner != ::geteuid())
    return refuse("job " + name + " belongs to user " + user_name(*owner) +
                  ", and only that user may look at it");
  std::optional<FoundJob> found;
  std::string nonsense;
  const auto take = [&](net::Descriptor memory, bool must_be_named) {
    std::string reason;
    const std::optional<observe::JobHeader> header = job::read_job_header(memory.get(), &reason);
    if (!header && !must_be_named) nonsense = reason;
    if (!header) return false;
    const auto number = static_cast<std::uint32_t>(*process);
    if (must_be_named && ((header->job != number && header->supervisor != number) || is_over(*header)))
      return false;
    found.emplace(FoundJob{std::move(memory), *header, owner_of_job(*header), *owner == ::geteuid()});
    return true;
  };
  // A rank or a supervisor holds the memory itself; the process that was started does not.
  for (net::Descriptor& memory : memories_of(*process)) {
    if (take(std::move(memory), false)) break;
  }
  if (!found && nonsense.empty())
    for_each_memory(*owner, [&](net::Descriptor memory) { return take(std::move(memory), true); });
  if (found) return found;
  if (!nonsense.empty()) return refuse("job " + name + ": " + nonsense);
  return refuse("process " + name + " belongs to no job (`aqueduct ps` lists jobs)");
}

}  // namespace aqueduct::watch
