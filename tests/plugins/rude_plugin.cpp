// A conduit whose library changes everything in the process that it should not: the wire conduit, with what a
// foreign library does when it is loaded (a constructor) and when it is started.
//
//   AQUEDUCT_TEST_RUDE           set: the file announces that it may be the best; "best": and it is
//   AQUEDUCT_TEST_RUDE_LOADED    a file that gets a line with the name of each program that loads it
#include <sys/stat.h>
#include <unistd.h>

#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "conduit/plugin/plugin.hpp"
#include "conduit/wire/wire.hpp"

namespace {

using namespace aqueduct;
constexpr int kPreference = 1, kBest = 45;

void end_badly(int) { ::_exit(1); }

void block(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void change(bool is_starting) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGTERM}) std::signal(signal, end_badly);
  if (is_starting) std::signal(SIGUSR1, SIG_IGN);
  std::signal(SIGRTMIN + 5, end_badly);
  block(is_starting ? SIGUSR2 : SIGURG);
  ::setenv("RUDE_IS_HERE", is_starting ? "started" : "loaded", 1);
  ::unsetenv("RUDE_MUST_STAY");
  std::fesetround(is_starting ? FE_UPWARD : FE_TOWARDZERO);
  std::setlocale(LC_ALL, "C.UTF-8");
  ::umask(0077);
  if (::chdir("/") != 0) std::abort();
}

[[gnu::constructor]] void loaded() {
  if (const char* const file = std::getenv("AQUEDUCT_TEST_RUDE_LOADED")) {
    char program[256] = {};
    if (::readlink("/proc/self/exe", program, sizeof program - 1) < 0) std::abort();
    if (std::FILE* const list = std::fopen(file, "a")) {
      std::fprintf(list, "%s\n", std::strrchr(program, '/') + 1);
      std::fclose(list);
    }
  }
  change(false);
}

int preference_here(const job::Membership&) {
  const char* const wish = std::getenv("AQUEDUCT_TEST_RUDE");
  return wish && std::strcmp(wish, "best") == 0 ? kBest : kPreference;
}

const conduit::Description kDescription = [] {
  conduit::Description description = conduit::wire::kDescription;
  description.name = "rude";
  description.summary = "a conduit whose library changes the process";
  description.preference = kPreference;
  description.preference_here = preference_here;
  description.open = [](const conduit::Opening& opening) {
    change(true);
    return conduit::wire::kDescription.open(opening);
  };
  return description;
}();

}  // namespace

AQUEDUCT_CONDUIT_PLUGIN(kDescription, .preference = kPreference, .most = kBest,
                        .where = "$AQUEDUCT_TEST_RUDE");
