#include <sys/resource.h>

#include <cstdio>

#include "aqueduct/tools/environment.h"
#include "aqueduct/tools/system.h"

extern "C" {

int gasnett_maximize_rlimit(int resource, const char* name) {
  char variable[128];
  std::snprintf(variable, sizeof variable, "GASNET_MAXIMIZE_%s", name);
  if (!gasnett_getenv_yesno_withdefault(variable, 1)) return 1;
  rlimit limit;
  const auto which = static_cast<__rlimit_resource_t>(resource);
  if (getrlimit(which, &limit) != 0) return 0;
  if (limit.rlim_cur == limit.rlim_max) return 1;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(which, &limit) == 0;
}

int gasnett_maximize_rlimits(void) {
  struct Limit {
    int resource;
    const char* name;
  };
  static constexpr Limit kLimits[] = {{RLIMIT_CPU, "RLIMIT_CPU"},
                                      {RLIMIT_DATA, "RLIMIT_DATA"},
                                      {RLIMIT_STACK, "RLIMIT_STACK"},
                                      {RLIMIT_RSS, "RLIMIT_RSS"},
                                      {RLIMIT_AS, "RLIMIT_AS"}};
  int all = 1;
  for (const Limit& limit : kLimits) all &= gasnett_maximize_rlimit(limit.resource, limit.name);
  return all;
}

}  // extern "C"
