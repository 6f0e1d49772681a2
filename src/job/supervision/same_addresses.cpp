#include "job/supervision/same_addresses.hpp"

#include <sys/personality.h>

#include <fstream>

#include "base/env.hpp"

namespace aqueduct::job {
namespace {

constexpr unsigned long kAsk = 0xffffffff;

/// Whether this machine never randomizes addresses.
bool is_never_random() {
  int level = -1;
  std::ifstream("/proc/sys/kernel/randomize_va_space") >> level;
  return level == 0;
}

}  // namespace

SameAddresses::SameAddresses(bool is_wanted) {
  if (!is_wanted || is_never_random()) return;
  const int now = ::personality(kAsk);
  if (now >= 0 && (now & ADDR_NO_RANDOMIZE) != 0) return;
  if (now >= 0 && ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) >= 0) {
    before_ = now;
  } else {
    is_refused_ = true;
  }
}

SameAddresses::~SameAddresses() {
  if (before_ >= 0) ::personality(static_cast<unsigned long>(before_));
}

std::string warning_of_different_addresses(const std::string& host) {
  if (env::flag({"GASNET_QUIET"}, false)) return "";
  return "aqueduct: ranks " + (host.empty() ? "" : "of host " + host + " ") +
         "have different addresses (--same-addresses): the system does not let programs run without "
         "randomization, as in many containers; forks of one process have the same: AQUEDUCT_RANKS=N "
         "./program\n";
}

}  // namespace aqueduct::job
