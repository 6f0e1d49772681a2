// Functions of the C library that the library calls on behalf of a rank, in this process as a whole: the rank
// of a program has an environment of its own, which the C library would free with that of another rank.
#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "sim/process/process.hpp"

using namespace aqueduct::sim::process;

extern "C" {

__attribute__((visibility("default"))) int setenv(const char* name, const char* value,
                                                  int overwrite) noexcept {
  if (!Thread::current()) {
    static const auto next =
        reinterpret_cast<int (*)(const char*, const char*, int)>(::dlsym(RTLD_NEXT, "setenv"));
    return next(name, value, overwrite);
  }
  if (overwrite != 0 || !std::getenv(name)) Process::current().set_variable(std::string(name) + "=" + value);
  return 0;
}

__attribute__((visibility("default"))) int unsetenv(const char* name) noexcept {
  if (!Thread::current()) {
    static const auto next = reinterpret_cast<int (*)(const char*)>(::dlsym(RTLD_NEXT, "unsetenv"));
    return next(name);
  }
  Process::current().remove_variable(name);
  return 0;
}
}
