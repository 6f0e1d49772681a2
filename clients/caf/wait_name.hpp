// What this image waits for, in the words of the program: for reports about a job that does not go on
// (aqueduct/wait.h).
#pragma once
#include <aqueduct/wait.h>

#include <cstdio>

#include "clients/caf/job.hpp"

namespace aqueduct::caf {

/// While it lives, waits have a name.
class WaitName {
 public:
  /// A statement alone.
  explicit WaitName(const char* statement) { aqueduct_wait_for(statement, GEX_RANK_INVALID); }
  /// A statement that waits for an image of the current team.
  WaitName(const char* statement, const char* relation, int image, gex_Rank_t rank) {
    std::snprintf(text_, sizeof text_, "%s%s%d", statement, relation, image);
    aqueduct_wait_for(text_, rank);
  }
  ~WaitName() { aqueduct_wait_for(nullptr, GEX_RANK_INVALID); }
  WaitName(const WaitName&) = delete;
  WaitName& operator=(const WaitName&) = delete;

  /// It waits for that image now.
  void becomes_late(const char* statement, int image, gex_Rank_t rank) {
    std::snprintf(text_, sizeof text_, "%s: image %d is late", statement, image);
    aqueduct_wait_for(text_, rank);
  }
  /// It waits for what that image, counted in the initial team, holds.
  void names_holder(const char* statement, int image) {
    std::snprintf(text_, sizeof text_, "%s held by image %d", statement, image);
    aqueduct_wait_for(text_, static_cast<gex_Rank_t>(image - 1));
  }
  /// It waits for more of something that had come so far.
  void counts(const char* statement, std::uint64_t come, std::uint64_t wanted) {
    std::snprintf(text_, sizeof text_, "%s: %llu of %llu", statement, static_cast<unsigned long long>(come),
                  static_cast<unsigned long long>(wanted));
    aqueduct_wait_for(text_, GEX_RANK_INVALID);
  }

 private:
  char text_[64];  // reports show 31 characters
};

}  // namespace aqueduct::caf
