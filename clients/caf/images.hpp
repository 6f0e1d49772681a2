// From the number of an image in a statement to a rank.
#pragma once
#include "clients/caf/error.hpp"
#include "clients/caf/job.hpp"
#include "clients/caf/status.hpp"

namespace aqueduct::caf {

/// What error lines call statements that have no keyword.
inline constexpr const char* kPutStatement = "an assignment to another image";
inline constexpr const char* kGetStatement = "a reference to another image";

/// The rank of an image of the current team; 0 stands for this image. If there is none, or it has failed, the
/// outcome says so, or the job ends, and the answer is false.
inline bool find_image(int image, gex_Rank_t& rank, const Outcome& outcome, const char* statement) {
  if (image == 0) {
    rank = job.rank;
    return true;
  }
  if (!job.team->has(image)) [[unlikely]] {
    outcome.fail(kNoSuchImage, statement, "there is no image %d in a team of %d", image, job.team->size);
    return false;
  }
  rank = job.team->rank_of(image);
  if (job.reports_failures && has_failed(rank)) [[unlikely]] {
    outcome.fail(kFailedImage, statement, "image %d has failed", image);
    return false;
  }
  return true;
}

/// For operators without an outcome: the same, but an image that has failed is as good as any.
inline gex_Rank_t rank_of_image(int image, const char* statement) {
  if (!job.team->has(image)) [[unlikely]]
    fatal(statement, "there is no image %d in a team of %d", image, job.team->size);
  return job.team->rank_of(image);
}

}  // namespace aqueduct::caf
