// Which host each rank of a job runs on. The ranks of a host need not be consecutive. Everybody has the same
// layout; hosts are numbered from 0, and so are the ranks of one.
#pragma once
#include <span>
#include <vector>

#include "base/types.hpp"

namespace aqueduct::job {

using HostId = std::uint32_t;

struct RankPlace {
  HostId host;
  RankId local;  ///< its number among the ranks of that host
};

class Layout {
 public:
  virtual ~Layout() = default;
  virtual RankId ranks() const = 0;
  virtual HostId hosts() const = 0;
  /// How many ranks a host has; at least one.
  virtual RankId on(HostId host) const = 0;
  virtual RankPlace place(RankId rank) const = 0;
  virtual RankId rank_at(HostId host, RankId local) const = 0;
};

/// One number that is the same for the same layout, to compare those of two ranks by.
inline std::uint64_t digest(const Layout& layout) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a, by words
  for (RankId rank = 0; rank < layout.ranks(); ++rank) {
    const RankPlace place = layout.place(rank);
    for (const std::uint32_t word : {place.host, place.local}) hash = (hash ^ word) * 1099511628211u;
  }
  return hash;
}

/// From the host of each rank; a host's ranks are numbered in the order of the job.
class ListedLayout final : public Layout {
 public:
  /// Every host up to the largest number has a rank.
  explicit ListedLayout(std::span<const HostId> host_of_rank) : places_(host_of_rank.size()) {
    for (RankId rank = 0; rank < places_.size(); ++rank) {
      const HostId host = host_of_rank[rank];
      if (host >= ranks_of_.size()) ranks_of_.resize(host + 1);
      places_[rank] = {host, static_cast<RankId>(ranks_of_[host].size())};
      ranks_of_[host].push_back(rank);
    }
  }

  RankId ranks() const override { return static_cast<RankId>(places_.size()); }
  HostId hosts() const override { return static_cast<HostId>(ranks_of_.size()); }
  RankId on(HostId host) const override { return static_cast<RankId>(ranks_of_[host].size()); }
  RankPlace place(RankId rank) const override { return places_[rank]; }
  RankId rank_at(HostId host, RankId local) const override { return ranks_of_[host][local]; }

 private:
  std::vector<RankPlace> places_;
  std::vector<std::vector<RankId>> ranks_of_;
};

}  // namespace aqueduct::job
