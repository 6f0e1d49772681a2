#include "job/inspection/job_table.hpp"

#include <unistd.h>

#include <ctime>
#include <fstream>
#include <memory>

#include "job/place/membership.hpp"
#include "observe/words.hpp"

namespace aqueduct::job {

void describe_job(int memory_fd, const JobFacts& facts) {
  const auto header = std::make_unique<observe::JobHeader>();
  header->magic = observe::JobHeader::kMagic;
  header->version = observe::JobHeader::kVersion;
  header->ranks = facts.ranks;
  header->hosts = facts.hosts;
  header->job = static_cast<std::uint32_t>(facts.job);
  header->supervisor = static_cast<std::uint32_t>(facts.supervisor);
  header->is_launcher = facts.is_launcher ? 1 : 0;
  header->started_s = static_cast<std::uint64_t>(std::time(nullptr));
  observe::JobHeader::set_text(header->socket, sizeof header->socket, facts.socket);
  observe::JobHeader::set_text(header->launcher, sizeof header->launcher, facts.launcher);
  observe::JobHeader::set_text(header->program, sizeof header->program,
                               observe::name_command(facts.program, sizeof header->program - 1));
  (void)!::pwrite(memory_fd, header.get(), sizeof *header, static_cast<off_t>(kJobHeaderPlace));
}

std::string command_line(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> command;
  for (std::string word; std::getline(file, word, '\0');) command.push_back(word);
  return command_line(command);
}

std::optional<observe::JobHeader> read_job_header(int memory_fd, std::string* why) {
  const auto header = std::make_unique<observe::JobHeader>();
  const auto refuse = [&](const char* reason) {
    *why = reason;
    return std::nullopt;
  };
  if (::pread(memory_fd, header.get(), sizeof *header, static_cast<off_t>(kJobHeaderPlace)) !=
      static_cast<ssize_t>(sizeof *header))
    return refuse("its shared memory cannot be read");
  if (header->magic != observe::JobHeader::kMagic)
    return refuse(
        "its shared memory does not say what it is: the job is just starting, or was started by an older "
        "version");
  if (header->version != observe::JobHeader::kVersion) return refuse("it was started by another version");
  if (header->ranks < 1 || header->ranks > kMaxRanks || header->hosts < 1 || header->hosts > header->ranks)
    return refuse("its shared memory has been overwritten");
  return *header;
}

}  // namespace aqueduct::job
