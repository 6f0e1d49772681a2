// A check that all ranks were started alike: same library, same limits. (The layout is compared with the
// supervisor's in join(): ranks that differ in it might not meet here.)
//
//   agree(bootstrap, {{"Aqueduct", "0.2.0"}, {"GASNET_MAX_SEGSIZE", "8192"}});
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "job/bootstrap/bootstrap.hpp"

namespace aqueduct::job {

/// One thing that a rank states about itself.
struct Claim {
  std::string what;   ///< "GASNET_MAX_SEGSIZE": a name, for the error line
  std::string value;  ///< "8192": printable, short
};

/// Collective; costs one all-gather. All ranks pass claims with the same names. Ends the job if two ranks do
/// not claim the same, with one line that names the first two of them and the first claim in which they
/// differ: "rank 3 has GASNET_MAX_SEGSIZE 4096 and rank 0 has 8192". Each rank compares itself with rank 0
/// alone, which is cheap in large jobs. No rank returns before all have called it.
///
/// `least`, unless it is null, points to this rank's number and receives the smallest number of all ranks.
/// `remark` is a value in which ranks may differ.
///
/// Rank 0 gets the first rank whose remark has another value than its own; an empty value differs from none.
/// Other ranks get nothing.
struct Remark {
  std::string value;
  std::string shown;  ///< the same for people
};
struct OtherRemark {
  RankId rank = 0;
  Remark remark;
};
std::optional<OtherRemark> agree(Bootstrap& bootstrap, std::span<const Claim> claims,
                                 std::uint64_t* least = nullptr, const Remark& remark = {});
inline std::optional<OtherRemark> agree(Bootstrap& bootstrap, std::initializer_list<Claim> claims,
                                        std::uint64_t* least = nullptr, const Remark& remark = {}) {
  return agree(bootstrap, std::span(claims.begin(), claims.size()), least, remark);
}

}  // namespace aqueduct::job
