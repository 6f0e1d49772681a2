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

/// What a rank says of itself.
struct Claim {
  std::string what;   ///< "GASNET_MAX_SEGSIZE": a name, as a line would have it
  std::string value;  ///< "8192": printable, short
};

/// Collective, with the same names everywhere: one all-gather. Ends the job if two ranks do not claim the
/// same, with one line that names the first two of them and the first claim in which they differ:
/// "rank 3 has GASNET_MAX_SEGSIZE 4096 and rank 0 has 8192". A rank compares itself with rank 0 alone, so
/// that a large job pays nothing for it. Nobody returns before all have called it.
///
/// `least`, where ranks have one, is a number that comes along: it becomes the least of all ranks. `remark`
/// comes along as well: ranks may differ in it.
///
/// Returns, at rank 0 alone, the first rank whose remark has another value than rank 0's; a value that is
/// empty differs from none.
struct Remark {
  std::string value;
  std::string shown;  ///< what it says of itself to people
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
