// One of two processes that measure Portals between them.
//
// The measuring code in this folder uses only portals3.h and this header, so that it runs both live, between
// the ranks of a job, and in simulation, between fibers in virtual time.
#pragma once
#include <functional>
#include <stdexcept>
#include <string>

#include "portals3.h"

namespace aqueduct::bench::portals {

struct Side {
  ptl_handle_ni_t interface = PTL_INVALID_HANDLE;  ///< open
  ptl_process_id_t peer{};
  bool leads = false;  ///< the one whose clock counts
  /// Nanoseconds since a fixed moment.
  std::function<double()> now_ns{};
  /// Returns when both sides have called it and nothing that either did before is still under way.
  std::function<void()> meet{};
};

/// A call of the interface that did not return PTL_OK, or an operation that failed.
class Failed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws if `code` is not PTL_OK.
inline void must(int code, const char* call) {
  if (code != PTL_OK) throw Failed(std::string(call) + ": " + PtlErrorStr(code));
}

}  // namespace aqueduct::bench::portals
