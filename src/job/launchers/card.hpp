// What each rank tells all others through its launcher, in the first exchange: enough to know who shares a
// host with whom. One word of text, because launchers carry no more (job/launchers/exchange.hpp).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/place/layout.hpp"
#include "net/job_key.hpp"

namespace aqueduct::job::launchers {

struct Card {
  std::uint64_t host = 0;     ///< the same for ranks that can share memory, and for no others
  std::uint64_t meeting = 0;  ///< the name at which a host's warden is met, if this rank is its leader
  std::uint64_t settings =
      0;  ///< the same for ranks that were started alike, as to who shares memory and what a death means
  bool has_layout = false;  ///< AQUEDUCT_LAYOUT is set
  std::string host_name;    ///< for people
  /// Of rank 0 alone: random, to make the job's key of (JobKey::derive), with the key that the ranks have, if
  /// they have one. If not, whoever reads this card knows the job's key: the launcher must keep it to itself.
  net::JobKey salt;

  /// Of this process, which is rank 0 or another one.
  static Card mine(bool is_first);
  std::string text() const;
  /// Nothing if it is no card of this version.
  static std::optional<Card> parse(const std::string& text);
};

/// Who is on which host, by the cards of all ranks.
Layout hosts_by(const std::vector<Card>& cards);

/// A number that processes have in common if they run on one machine since it was started, see the same
/// processes and the same network, and belong to one user. A host's name alone says none of this: containers
/// of a machine may all have one, or each another.
std::uint64_t host_identity();

}  // namespace aqueduct::job::launchers
