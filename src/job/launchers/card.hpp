// What each rank tells all others through its launcher, in the first exchange, so that all know which ranks
// share a host. It is one word of text, because launchers carry no more (job/launchers/exchange.hpp).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/place/layout.hpp"
#include "net/job_key.hpp"

namespace aqueduct::job::launchers {

struct RankCard {
  std::uint64_t host = 0;      ///< the same for ranks that can share memory, and for no others
  std::uint64_t meeting = 0;   ///< the name at which a host's warden is met, if this rank is its leader
  std::uint64_t settings = 0;  ///< a digest of the settings of neighbours and failures
  bool has_layout = false;     ///< AQUEDUCT_LAYOUT is set
  std::string host_name;       ///< for people
  /// Of rank 0 alone: random bytes from which, and from the ranks' own key if they have one, the job's key is
  /// derived (JobKey::derive). Without such a key whoever reads this card knows the job's key, so the
  /// launcher must keep the card secret.
  net::JobKey salt;

  /// The card of this process; `is_first`: it is rank 0.
  static RankCard mine(bool is_first);
  std::string text() const;
  /// Nothing if `text` is not a card of this version.
  static std::optional<RankCard> parse(const std::string& text);
};

/// The layout that follows from the cards of all ranks.
Layout hosts_by(const std::vector<RankCard>& cards);

/// A number that processes share if they run in one boot of one machine, see the same processes and the same
/// network, and belong to one user. A host's name is not enough: containers of a machine may all have the
/// same name, or different ones.
std::uint64_t host_identity();

}  // namespace aqueduct::job::launchers
