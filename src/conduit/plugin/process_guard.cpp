#include "conduit/plugin/process_guard.hpp"

#include <fcntl.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <climits>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "aqueduct/tools/debugging.h"
#include "net/descriptor.hpp"

namespace aqueduct::conduit::plugin {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

struct Remembered {
  std::mutex mutex;
  std::map<std::string, std::vector<std::string>> of;
};
Remembered& remembered() {
  static Remembered& all = *new Remembered;
  return all;
}

void remember(const std::string& who, const std::string& what) {
  Remembered& all = remembered();
  const std::lock_guard guard(all.mutex);
  std::vector<std::string>& known = all.of[who];
  if (std::find(known.begin(), known.end(), what) == known.end()) known.push_back(what);
}

// "A, B and 3 more".
std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

std::string name_of_signal(int signal) {
  return signal >= SIGRTMIN ? "SIGRTMIN+" + std::to_string(signal - SIGRTMIN)
                            : gasnett_signame_fromval(signal);
}

bool is_same(const struct sigaction& a, const struct sigaction& b) {
  return a.sa_handler == b.sa_handler && a.sa_flags == b.sa_flags &&
         std::memcmp(&a.sa_mask, &b.sa_mask, _NSIG / CHAR_BIT) == 0;
}

// The floating-point mode of this thread, without the sticky flags.
std::uint64_t floating_point_mode() {
#if defined(__x86_64__)
  constexpr std::uint32_t kCounted = 0x3f;
  std::uint32_t vector_mode = 0;
  std::uint16_t stack_mode = 0;
  __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(vector_mode), "=m"(stack_mode));
  return std::uint64_t{stack_mode} << 32 | (vector_mode & ~kCounted);
#elif defined(__aarch64__)
  std::uint64_t mode = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
#else
  return static_cast<std::uint64_t>(std::fegetround());
#endif
}

Variables environment() {
  Variables variables;
  for (char** each = environ; each && *each; ++each) {
    const std::string_view variable = *each;
    const std::size_t equals = variable.find('=');
    if (equals != 0 && equals != variable.npos)
      variables.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return variables;
}

// Reads it without setting it, because another thread may create a file meanwhile.
std::optional<mode_t> current_umask() {
  char text[512] = {};
  const net::Descriptor status(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  if (!status || ::read(status.get(), text, sizeof text - 1) <= 0) return std::nullopt;
  const char* const line = std::strstr(text, "\nUmask:");
  return line ? std::optional(static_cast<mode_t>(std::strtoul(line + 7, nullptr, 8))) : std::nullopt;
}

std::string working_directory() {
  char path[PATH_MAX];
  return ::getcwd(path, sizeof path) ? path : "";
}

}  // namespace

struct ProcessGuard::State {
  std::array<std::optional<struct sigaction>, _NSIG> actions;
  sigset_t mask;
  stack_t signal_stack;
  std::uint64_t floating_point = floating_point_mode();
  std::fenv_t floating_point_environment;
  locale_t thread_locale = ::uselocale(nullptr);
  std::string locale;
  Variables variables = environment();
  std::optional<mode_t> umask = current_umask();
  std::string directory = working_directory();

  State();
  void put_back(const std::string& who) const;

 private:
  void put_back_actions(const std::string& who) const;
  void put_back_thread(const std::string& who) const;
  void put_back_variables(const std::string& who) const;
  void put_back_locale(const std::string& who) const;
  void put_back_files(const std::string& who) const;
};

ProcessGuard::State::State() {
  for (int signal = 1; signal < _NSIG; ++signal) {
    struct sigaction action;
    if (::sigaction(signal, nullptr, &action) == 0) actions[static_cast<std::size_t>(signal)] = action;
  }
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  ::sigaltstack(nullptr, &signal_stack);
  std::fegetenv(&floating_point_environment);
  const char* const name = std::setlocale(LC_ALL, nullptr);
  locale = name ? name : "";
}

void ProcessGuard::State::put_back_actions(const std::string& who) const {
  std::vector<std::string> changed;
  for (int signal = 1; signal < _NSIG; ++signal) {
    const auto& before = actions[static_cast<std::size_t>(signal)];
    struct sigaction now;
    if (!before || ::sigaction(signal, nullptr, &now) != 0 || is_same(*before, now)) continue;
    const bool is_its_own = signal >= SIGRTMIN && before->sa_handler == SIG_DFL;
    if (is_its_own || ::sigaction(signal, &*before, nullptr) != 0) continue;
    changed.push_back(name_of_signal(signal));
  }
  if (!changed.empty()) remember(who, "the actions of " + joined(changed));
}

void ProcessGuard::State::put_back_thread(const std::string& who) const {
  sigset_t mask_now;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_now);
  if (std::memcmp(&mask, &mask_now, _NSIG / CHAR_BIT) != 0) {
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    remember(who, "the signal mask");
  }
  stack_t stack_now;
  ::sigaltstack(nullptr, &stack_now);
  if (stack_now.ss_sp != signal_stack.ss_sp || stack_now.ss_flags != signal_stack.ss_flags) {
    ::sigaltstack(&signal_stack, nullptr);
    remember(who, "the alternate signal stack");
  }
  if (floating_point_mode() != floating_point) {
    std::fesetenv(&floating_point_environment);
    remember(who, "the mode of floating point");
  }
}

void ProcessGuard::State::put_back_variables(const std::string& who) const {
  std::vector<std::string> changed;
  const Variables now = environment();
  for (const auto& [name, value] : now) {
    if (variables.find(name) != variables.end()) continue;
    ::unsetenv(name.c_str());
    changed.push_back(name);
  }
  for (const auto& [name, value] : variables) {
    const auto found = now.find(name);
    if (found != now.end() && found->second == value) continue;
    ::setenv(name.c_str(), value.c_str(), 1);
    changed.push_back(name);
  }
  if (!changed.empty()) remember(who, "the variables " + joined(changed));
}

void ProcessGuard::State::put_back_locale(const std::string& who) const {
  const char* const name = std::setlocale(LC_ALL, nullptr);
  const bool has_changed = (name && locale != name) || ::uselocale(nullptr) != thread_locale;
  if (!has_changed) return;
  ::uselocale(thread_locale);
  std::setlocale(LC_ALL, locale.c_str());
  remember(who, "the locale");
}

void ProcessGuard::State::put_back_files(const std::string& who) const {
  if (umask && current_umask() != umask) {
    ::umask(*umask);
    remember(who, "the umask");
  }
  if (!directory.empty() && working_directory() != directory && ::chdir(directory.c_str()) == 0)
    remember(who, "the working directory");
}

void ProcessGuard::State::put_back(const std::string& who) const {
  put_back_actions(who);
  put_back_thread(who);
  put_back_variables(who);
  put_back_locale(who);
  put_back_files(who);
}

ProcessGuard::ProcessGuard(std::string who) : who_(std::move(who)), before_(std::make_unique<State>()) {}

ProcessGuard::~ProcessGuard() { before_->put_back(who_); }

std::vector<std::string> put_back(const std::string& who) {
  Remembered& all = remembered();
  const std::lock_guard guard(all.mutex);
  const auto found = all.of.find(who);
  return found == all.of.end() ? std::vector<std::string>() : found->second;
}

}  // namespace aqueduct::conduit::plugin
