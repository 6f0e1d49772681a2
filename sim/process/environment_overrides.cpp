// The environment, the working folder and the reading of options: a process's own.
#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "sim/process/groups.hpp"
#include "sim/process/process.hpp"

namespace aqueduct::sim::process {
namespace {

bool is_name(const char* name) { return name && *name != '\0' && !std::strchr(name, '='); }

int wrong() {
  errno = EINVAL;
  return -1;
}

int set_variable(const char* name, const char* value, int overwrite) {
  if (!is_name(name)) return wrong();
  if (overwrite == 0 && ::getenv(name)) return 0;
  Process::current().set_variable(std::string(name) + "=" + value);
  return 0;
}

int remove_variable(const char* name) {
  if (!is_name(name)) return wrong();
  Process::current().remove_variable(name);
  return 0;
}

int put_variable(char* text) {
  if (std::strchr(text, '=')) {
    Process::current().put_variable(text);
  } else {
    Process::current().remove_variable(text);
  }
  return 0;
}

int clear_variables() {
  Process::current().clear_variables();
  return 0;
}

int enter_folder(int folder) {
  if (folder < 0) return -1;
  const int own = ::fcntl(folder, F_DUPFD_CLOEXEC, 0);
  if (own < 0 || ::fchdir(own) != 0) {
    if (own >= 0) ::close(own);
    return -1;
  }
  Process::current().change_folder(own);
  return 0;
}

int change_folder(const char* path) {
  const int folder = ::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  const int result = enter_folder(folder);
  if (folder >= 0) ::close(folder);
  return result;
}

/// The C library has one set of variables for all; the program's own are those that its code reads.
template <class Read>
int read_options(Read read) {
  Process& process = Process::current();
  Process::Options& options = process.options;
  const Image& image = process.image();
  int* const index = image.variable<int>("optind");
  int* const complains = image.variable<int>("opterr");
  if (index) options.index = *index;
  if (complains) options.complains = *complains;
  // Zero makes it forget the options of another process.
  if (!std::exchange(options.have_begun, true) && options.index == 1) options.index = 0;
  ::optind = options.index;
  if (complains) ::opterr = options.complains;
  const int result = read();
  options.index = ::optind;
  if (index) *index = options.index;
  if (int* const option = image.variable<int>("optopt")) *option = ::optopt;
  if (char** const argument = image.variable<char*>("optarg")) *argument = ::optarg;
  return result;
}

int get_option(int argc, char* const* argv, const char* letters) {
  return read_options([&] { return ::getopt(argc, argv, letters); });
}

int get_long_option(int argc, char* const* argv, const char* letters, const option* words, int* which) {
  return read_options([&] { return ::getopt_long(argc, argv, letters, words, which); });
}

int get_only_long_option(int argc, char* const* argv, const char* letters, const option* words, int* which) {
  return read_options([&] { return ::getopt_long_only(argc, argv, letters, words, which); });
}

}  // namespace

OverrideGroup environment_overrides() {
  static const Override table[] = {
      replaces("setenv", set_variable),
      replaces("unsetenv", remove_variable),
      replaces("putenv", put_variable),
      replaces("clearenv", clear_variables),
      replaces("chdir", change_folder),
      replaces("fchdir", enter_folder),
      replaces("getopt", get_option),
      replaces("getopt_long", get_long_option),
      replaces("getopt_long_only", get_only_long_option),
  };
  return table;
}

}  // namespace aqueduct::sim::process
