#include "aqueduct/tools/environment.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "gasnet_tools/failure.hpp"
#include "gasnet_tools/number.hpp"

namespace aqueduct::gasnet_tools {
namespace {

constexpr std::size_t kNumberBytes = 64;

/// The value, or null if it is not set or empty. Unlike env::text, which would, it reports nothing.
const char* value_of(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

[[noreturn]] void refuse(const char* name, const char* value, const char* accepted) {
  fatal("environment", "%s='%s' is not %s", name, value, accepted);
}

void report(const char* name, const char* value, bool is_default) { env::report(name, value, is_default); }

}  // namespace
}  // namespace aqueduct::gasnet_tools

using namespace aqueduct;
using namespace aqueduct::gasnet_tools;

extern "C" {

char* gasnett_getenv(const char* name) { return std::getenv(name); }

void gasnett_setenv(const char* name, const char* value) {
  if (setenv(name, value, 1) != 0) fail("gasnett_setenv", nullptr, "'%s' cannot be set to '%s'", name, value);
}

void gasnett_unsetenv(const char* name) {
  if (unsetenv(name) != 0) fail("gasnett_unsetenv", nullptr, "'%s' cannot be unset", name);
}

char* gasnett_getenv_withdefault(const char* name, const char* fallback) {
  const char* value = value_of(name);
  gasnett_envstr_display(name, value != nullptr ? value : fallback, value == nullptr);
  return const_cast<char*>(value != nullptr ? value : fallback);
}

int gasnett_getenv_yesno_withdefault(const char* name, int fallback) {
  const bool is_default = value_of(name) == nullptr;
  const bool value = env::flag({name}, fallback != 0);
  return is_default ? fallback : value;
}

int64_t gasnett_getenv_int_withdefault(const char* name, int64_t fallback, uint64_t unit_bytes) {
  const char* value = value_of(name);
  int64_t number = fallback;
  if (value != nullptr) {
    const ParsedInteger parsed = parse_integer(value, unit_bytes);
    if (!parsed.whole_text || parsed.too_large) {
      refuse(name, value, unit_bytes != 0 ? "a size such as 8388608, 512MB or 1.5G" : "a whole number");
    }
    number = parsed.value;
  }
  gasnett_envint_display(name, number, value == nullptr, unit_bytes != 0);
  return number;
}

double gasnett_getenv_dbl_withdefault(const char* name, double fallback) {
  const char* value = value_of(name);
  double number = fallback;
  if (value != nullptr && !parse_real(value, number))
    refuse(name, value, "a number such as 1.5, -1e4 or 3/8");
  gasnett_envdbl_display(name, number, value == nullptr);
  return number;
}

int gasnett_verboseenv(void) { return env::is_verbose(); }

void gasnett_envstr_display(const char* name, const char* value, int is_default) {
  report(name, value == nullptr ? "*not set*" : *value == '\0' ? "*empty*" : value, is_default != 0);
}

void gasnett_envint_display(const char* name, int64_t value, int is_default, int is_bytes) {
  char number[kNumberBytes];
  report(name, gasnett_format_number(value, number, sizeof number, is_bytes), is_default != 0);
}

void gasnett_envdbl_display(const char* name, double value, int is_default) {
  char number[kNumberBytes];
  std::snprintf(number, sizeof number, "%g", value);
  report(name, number, is_default != 0);
}

}  // extern "C"
