// Which ranks of a job are on which host. Ranks of a host need not be consecutive; hosts are numbered in the
// order of their first ranks, ranks of a host (local ranks) in the order of their numbers.
//
// Immutable once made; any thread. Layouts of consecutive ranks, as many on each host, are arithmetic and
// keep nothing per rank; others keep 8 bytes for each. Copies share what is kept.
//
// In text (AQUEDUCT_LAYOUT), for six ranks:
//
//   2+4            two hosts: ranks 0 and 1, and the next four
//   0,2,4/1,3,5    two hosts by their ranks; ranges are written 0-3
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace aqueduct::job {

using HostId = std::uint32_t;

/// Where a rank is.
struct RankPlace {
  HostId host;
  RankId local;  ///< its number among the ranks of that host
};

class Layout {
 public:
  /// One rank on one host.
  Layout() : Layout(1, 1) {}
  /// Consecutive ranks, `per_host` to a host (the last may have fewer).
  static Layout blocks(RankId size, RankId per_host) { return {size, per_host}; }
  static Layout one_host(RankId size) { return {size, size}; }
  /// `host_of[r]` is any number that the ranks of r's host, and no others, have in common.
  static Layout of(const std::vector<std::uint32_t>& host_of);
  /// Reads what AQUEDUCT_LAYOUT says for `size` ranks. Empty with the reason in `*why`, which names the ranks
  /// and hosts that are wrong.
  static std::optional<Layout> parse(const std::string& text, RankId size, std::string* why);

  RankId size() const { return size_; }
  HostId hosts() const { return hosts_; }
  HostId host_of(RankId rank) const { return table_ ? table_->host_of[rank] : rank / per_host_; }
  /// The number of `rank` among the ranks of its host.
  RankId local_rank_of(RankId rank) const;
  RankPlace place(RankId rank) const { return {host_of(rank), local_rank_of(rank)}; }
  RankId local_size(HostId host) const;
  /// The rank in that place.
  RankId rank_at(HostId host, RankId local) const {
    return table_ ? table_->ranks[table_->first[host] + local] : host * per_host_ + local;
  }
  /// All ranks of that host, in their order.
  std::vector<RankId> ranks_of(HostId host) const;
  /// How many ranks the largest host has.
  RankId largest_host() const { return largest_; }
  /// True if every host's ranks are consecutive.
  bool is_consecutive() const { return consecutive_; }

  /// The same hosts, each divided into parts of at most `most` ranks, which count as hosts of their own.
  Layout split(RankId most) const;

  /// In the form of AQUEDUCT_LAYOUT, the shorter one of the two; for messages.
  std::string text() const;
  /// Equal layouts have equal digests.
  std::uint64_t digest() const;
  bool operator==(const Layout& other) const;

 private:
  struct Table {
    std::vector<HostId> host_of;  // by rank
    std::vector<RankId> ranks;    // by host, then local rank
    std::vector<RankId> first;    // of each host in `ranks`, and the end
  };

  Layout(RankId size, RankId per_host);

  RankId size_;
  RankId per_host_;
  RankId largest_;
  HostId hosts_;
  bool consecutive_ = true;
  std::shared_ptr<const Table> table_;
};

}  // namespace aqueduct::job
