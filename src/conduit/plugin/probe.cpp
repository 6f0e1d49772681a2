#include "conduit/plugin/probe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/types.hpp"
#include "conduit/plugin/announcement.hpp"
#include "job/place/shared_memory.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::conduit::plugin {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(kPatienceS);
constexpr auto kMorePatience = std::chrono::seconds(5);

// The answer to one question, which the ranks of a machine share. Zero at first. The rank that changes
// `question` from 0 to its own writes the text and then `is_there`; the others only read.
struct SharedAnswer {
  std::atomic<std::uint64_t> question;
  std::atomic<std::uint32_t> is_there;
  char text[244];  // the process's answer, and a zero
};
static_assert(sizeof(SharedAnswer) == 256);
constexpr std::size_t kMostAnswers = kPage / sizeof(SharedAnswer);

std::uint64_t number_of(const std::string& text) {  // FNV-1a; never 0
  std::uint64_t number = 0xcbf29ce484222325;
  for (const char c : text) number = (number ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return number | 1;
}

std::string find_program(const File& plugin) {
  std::vector<std::string> folders = {plugin.path.substr(0, plugin.path.rfind('/'))};
  for (const Directory& directory : directories()) folders.push_back(directory.path);
  for (const std::string& folder : folders) {
    std::string path = folder + "/" + kProbeProgram;
    if (::access(path.c_str(), X_OK) != 0) continue;
    const auto announcement = read_announcement(path);
    if (announcement && announcement->is_for_this_library()) return path;
  }
  return {};
}

// Reads one line, until the end of input or until `until`.
std::string read_line(int fd, SteadyClock::time_point until) {
  std::string text;
  char part[256];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - SteadyClock::now());
    pollfd polled = {fd, POLLIN, 0};
    if (left.count() <= 0) return {};
    const int ready = ::poll(&polled, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return {};
    const ssize_t got = ::read(fd, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    text.append(part, static_cast<std::size_t>(got));
    if (const std::size_t end = text.find('\n'); end != text.npos) return text.substr(0, end);
  }
}

// Waits for the end of a process that has answered or was killed. False, and it is left behind: a killed one
// that waits for a device in the kernel may never end.
bool wait_for_end(pid_t pid, int* status) {
  constexpr auto kMost = std::chrono::seconds(1);
  const auto until = SteadyClock::now() + kMost;
  for (;;) {
    const pid_t ended = ::waitpid(pid, status, WNOHANG);
    if (ended == pid) return true;
    if ((ended < 0 && errno != EINTR) || SteadyClock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Starts the program, which answers on `answer_fd`; false with errno if that is not possible.
bool start_program(std::vector<std::string> command, int answer_fd, pid_t* pid) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, answer_fd, kProbeAnswerFd);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kProbeAnswerFd + 1);
  errno = ::posix_spawn(pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return errno == 0;
}

// What the program is to be told of the job, and of more.
std::vector<std::string> question_of(const File& plugin, const job::Membership& membership,
                                     const std::vector<std::string>& more) {
  std::vector<std::string> words = {plugin.path,
                                    plugin.name,
                                    std::to_string(membership.size),
                                    std::to_string(membership.hosts.largest_host()),
                                    membership.hosts_are_given ? "1" : "0",
                                    membership.hosts_are_machines ? "1" : "0",
                                    membership.rendezvous ? membership.rendezvous.text() : "-"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string ask_program(const File& plugin, std::vector<std::string> question) {
  const std::string program = find_program(plugin);
  if (program.empty())
    return std::string("no ") + kProbeProgram +
           ", which asks plug-ins, is not where plug-ins are; ask for the conduit by its name";
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::string("no it cannot be asked: ") + std::strerror(errno);
  const net::Descriptor from(ends[0]);
  net::Descriptor to(ends[1]);
  pid_t pid = -1;
  question.insert(question.begin(), program);
  if (!start_program(std::move(question), to.get(), &pid))
    return "no " + program + " cannot be started: " + std::strerror(errno);
  to.close();
  std::string answer = read_line(from.get(), SteadyClock::now() + kPatience);
  if (answer.empty()) ::kill(pid, SIGKILL);
  int status = 0;
  const bool has_ended = wait_for_end(pid, &status);
  if (!answer.empty()) return answer;
  if (has_ended && WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
    return "no it ends " + program + " by signal " + std::to_string(WTERMSIG(status));
  return "no it does not answer " + program + ", neither yes nor no";
}

ProbeAnswer in_numbers(const std::string& text) {
  ProbeAnswer answer;
  if (text.starts_with("yes ")) {
    answer.is_possible =
        std::from_chars(text.data() + 4, text.data() + text.size(), answer.preference).ec == std::errc();
  }
  if (!answer.is_possible) answer.reason = text.starts_with("no ") ? text.substr(3) : text;
  return answer;
}

// The entry that holds the answer to that question, or will. Null: there is no room.
SharedAnswer* shared_answer(SharedAnswer* answers, std::uint64_t question, bool* is_mine) {
  for (std::size_t i = 0; i < kMostAnswers; ++i) {
    std::uint64_t there = 0;
    if (answers[i].question.compare_exchange_strong(there, question)) {
      *is_mine = true;
      return &answers[i];
    }
    if (there == question) return &answers[i];
  }
  return nullptr;
}

// The rank that asks has begun before, perhaps just before.
bool wait_for(const SharedAnswer& answer) {
  const auto until = SteadyClock::now() + kPatience + kMorePatience;
  while (answer.is_there.load(std::memory_order_acquire) == 0) {
    if (SteadyClock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// What makes a rank see other devices than its neighbours, under the same numbers, or another network.
std::string sight() {
  std::string text;
  for (const char* const name : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                 "ZE_AFFINITY_MASK", "GASNET_OFI_DEVICE", "FI_PROVIDER"}) {
    const char* const value = std::getenv(name);
    text += value ? std::string("\n=") + value : "\n";
  }
  return text;
}

ProbeAnswer ask(const File& file, const job::Membership& membership, const std::vector<std::string>& more) {
  const std::vector<std::string> question = question_of(file, membership, more);
  void* const memory = membership.memory_fd >= 0
                           ? job::try_map_shared(membership.memory_fd, job::kPluginAnswersPlace, kPage)
                           : nullptr;
  if (!memory) return in_numbers(ask_program(file, question));
  std::string name = file.path;  // the rest of the job is the same for its ranks
  for (const std::string& word : more) name += "\n" + word;
  if (!more.empty()) name += sight();
  bool is_mine = false;
  SharedAnswer* const shared = shared_answer(static_cast<SharedAnswer*>(memory), number_of(name), &is_mine);
  std::string text;
  if (shared && !is_mine && wait_for(*shared)) {
    text = shared->text;
  } else {
    text = ask_program(file, question);
    if (is_mine) {
      text.copy(shared->text, sizeof shared->text - 1);
      shared->is_there.store(1, std::memory_order_release);
    }
  }
  ::munmap(memory, kPage);
  return in_numbers(text);
}

}  // namespace

ProbeAnswer probe(const File& file, const job::Membership& membership) { return ask(file, membership, {}); }

ProbeAnswer probe_device(const File& file, const job::Membership& membership, device::Family family,
                         int ordinal) {
  return ask(file, membership, {std::to_string(static_cast<unsigned>(family)), std::to_string(ordinal)});
}

}  // namespace aqueduct::conduit::plugin
