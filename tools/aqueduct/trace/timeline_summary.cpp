#include "trace/timeline_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace aqueduct::trace_report {
namespace {

constexpr std::size_t kMostRows = 20;
constexpr std::size_t kMostPieces = 100'000;
constexpr std::uint64_t kAllRanks = 0;  ///< the team of all ranks

double micros(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

struct Sum {
  std::uint64_t count = 0;
  std::int64_t total = 0;
  std::int64_t most = 0;
  std::uint64_t bytes = 0;
  void add(const TimelineSlice& slice) {
    ++count;
    total += slice.duration;
    most = std::max(most, slice.duration);
    bytes += slice.bytes;
  }
};

template <class Key, class Name>
void append_table(std::string& out, const std::string& title, const std::map<Key, Sum>& sums,
                  const Name& name) {
  std::vector<std::pair<Key, Sum>> rows(sums.begin(), sums.end());
  std::ranges::stable_sort(rows, std::ranges::greater(), [](const auto& row) { return row.second.total; });
  const auto into = std::back_inserter(out);
  fmt::format_to(into, "{:<40} {:>9} {:>13} {:>12} {:>12} {:>14}\n", title, "calls", "total us", "mean us",
                 "most us", "bytes");
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    const Sum& sum = rows[i].second;
    fmt::format_to(into, "  {:<38} {:>9} {:>13.1f} {:>12.3f} {:>12.1f} {:>14}\n", name(rows[i].first),
                   sum.count, micros(sum.total), micros(sum.total) / static_cast<double>(sum.count),
                   micros(sum.most), sum.bytes);
  }
  if (rows.size() > kMostRows) fmt::format_to(into, "  and {} more\n", rows.size() - kMostRows);
  out += '\n';
}

void append_calls(std::string& out, const Timeline& timeline) {
  std::map<std::pair<std::string, std::string>, Sum> by_name;
  std::map<std::pair<std::string, std::uint32_t>, Sum> by_peer;
  for (const TimelineSlice& slice : timeline.slices) {
    by_name[{slice.category, slice.name}].add(slice);
    if (slice.peer) by_peer[{slice.category, *slice.peer}].add(slice);
  }
  append_table(out, "By operation", by_name,
               [](const auto& key) { return fmt::format("{} {}", key.first, key.second); });
  append_table(out, "By peer", by_peer, [](const auto& key) {
    return fmt::format("{} {} rank {}", key.first, key.first == "handler" ? "from" : "with", key.second);
  });
}

using BarrierKey = std::pair<std::uint64_t, std::uint64_t>;            // team and number
using Arrivals = std::vector<std::pair<std::int64_t, std::uint32_t>>;  // when, and which rank

std::map<BarrierKey, Arrivals> barriers_of(const Timeline& timeline) {
  std::map<BarrierKey, Arrivals> barriers;
  for (const TimelineSlice& slice : timeline.slices) {
    if (slice.category == "barrier")
      barriers[{slice.team, slice.number}].emplace_back(slice.begin, slice.rank);
  }
  for (auto& [key, arrivals] : barriers) std::ranges::sort(arrivals);
  return barriers;
}

/// Waits that never ended.
void append_unfinished(std::string& out, const Timeline& timeline) {
  std::size_t count = 0;
  for (const TimelineSlice& slice : timeline.slices) {
    if (!slice.is_unfinished || ++count > kMostRows) continue;
    fmt::format_to(std::back_inserter(out), "Unfinished: rank {} was in {} for {:.1f} us when it ended\n",
                   slice.rank, slice.name, micros(slice.duration));
  }
  if (count > kMostRows) fmt::format_to(std::back_inserter(out), "and {} more\n", count - kMostRows);
  if (count != 0) out += '\n';
}

/// The ranks that came last, and how long the others have waited for them in all.
void append_late_arrivers(std::string& out, const Timeline& timeline) {
  struct Late {
    std::uint64_t times = 0;
    std::int64_t waited = 0;
    std::int64_t most = 0;
  };
  std::map<std::uint32_t, Late> late;
  std::size_t count = 0;
  std::size_t unfinished = 0;
  for (const auto& [key, arrivals] : barriers_of(timeline)) {
    if (arrivals.size() < 2) continue;
    // If a rank never came, there is no last one. The size of other teams is unknown.
    if (key.first == kAllRanks && arrivals.size() < timeline.ranks) {
      ++unfinished;
      continue;
    }
    ++count;
    Late& last = late[arrivals.back().second];
    ++last.times;
    for (const auto& [when, rank] : arrivals) last.waited += arrivals.back().first - when;
    last.most = std::max(last.most, arrivals.back().first - arrivals[arrivals.size() - 2].first);
  }
  if (unfinished != 0)
    fmt::format_to(std::back_inserter(out),
                   "Not all ranks came to {} barriers, or their arrival was overwritten\n", unfinished);
  if (count == 0) return;
  std::vector<std::pair<std::uint32_t, Late>> rows(late.begin(), late.end());
  std::ranges::stable_sort(rows, std::ranges::greater(), [](const auto& row) { return row.second.waited; });
  const auto into = std::back_inserter(out);
  fmt::format_to(into, "Late arrivers at {} barriers\n", count);
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 10); ++i) {
    const Late& each = rows[i].second;
    fmt::format_to(into,
                   "  rank {:<6} last {:>6} times; all others waited {:.1f} us for it; at most {:.1f} us "
                   "after the one before\n",
                   rows[i].first, each.times, micros(each.waited), micros(each.most));
  }
  out += '\n';
}

/// Answers the questions of the search for the critical path.
class PathFinder {
 public:
  explicit PathFinder(const Timeline& timeline) : barriers_(barriers_of(timeline)) {
    ranks_.resize(timeline.ranks);
    for (const TimelineSlice& slice : timeline.slices) {
      if (slice.rank >= ranks_.size()) continue;
      Rank& rank = ranks_[slice.rank];
      rank.begin = std::min(rank.begin, slice.begin);
      rank.end = std::max(rank.end, slice.end());
      if (slice.category == "wait" || slice.category == "barrier") rank.waits.push_back(&slice);
    }
    for (const TimelineFlow& flow : timeline.flows) {
      if (flow.to < ranks_.size() && flow.from < ranks_.size()) ranks_[flow.to].arrivals.push_back(&flow);
    }
    for (Rank& rank : ranks_) {
      std::ranges::sort(rank.waits, {}, [](const TimelineSlice* slice) { return slice->end(); });
      std::ranges::sort(rank.arrivals, {}, [](const TimelineFlow* flow) { return flow->arrived; });
    }
  }

  std::vector<PathPiece> find() const {
    std::vector<PathPiece> path;
    std::uint32_t rank = 0;
    for (std::uint32_t i = 0; i < ranks_.size(); ++i) {
      if (ranks_[i].end > ranks_[rank].end) rank = i;
    }
    if (ranks_.empty()) return path;
    std::int64_t time = ranks_[rank].end;
    while (path.size() < kMostPieces) {
      const TimelineSlice* const wait = last_wait(rank, time);
      if (wait == nullptr) {
        add(path, {PathPiece::Kind::kCompute, rank, rank, std::min(ranks_[rank].begin, time), time});
        break;
      }
      add(path, {PathPiece::Kind::kCompute, rank, rank, wait->end(), time});
      step_over(*wait, rank, time, path);
    }
    std::ranges::reverse(path);
    return path;
  }

 private:
  struct Rank {
    std::int64_t begin = INT64_MAX;
    std::int64_t end = INT64_MIN;
    std::vector<const TimelineSlice*> waits;
    std::vector<const TimelineFlow*> arrivals;
  };

  static void add(std::vector<PathPiece>& path, const PathPiece& piece) {
    if (piece.end > piece.begin) path.push_back(piece);
  }

  const TimelineSlice* last_wait(std::uint32_t rank, std::int64_t before) const {
    const auto& waits = ranks_[rank].waits;
    auto after =
        std::ranges::upper_bound(waits, before, {}, [](const TimelineSlice* slice) { return slice->end(); });
    while (after != waits.begin()) {
      const TimelineSlice* const wait = *--after;
      if (wait->begin < before) return wait;
    }
    return nullptr;
  }

  /// Steps from the end of a wait to its cause: the last rank at a barrier, or the sender of the last message
  /// that came meanwhile and was sent after the wait had begun. Without a known cause, steps to the beginning
  /// of the wait.
  void step_over(const TimelineSlice& wait, std::uint32_t& rank, std::int64_t& time,
                 std::vector<PathPiece>& path) const {
    if (wait.category == "barrier") {
      const auto& [when, last] = barriers_.at({wait.team, wait.number}).back();
      if (last != rank && when > wait.begin && when <= wait.end()) {
        add(path, {PathPiece::Kind::kMessage, last, rank, when, wait.end()});
        rank = last;
        time = when;
        return;
      }
    }
    const auto& arrivals = ranks_[rank].arrivals;
    auto after = std::ranges::upper_bound(arrivals, wait.end(), {},
                                          [](const TimelineFlow* flow) { return flow->arrived; });
    while (after != arrivals.begin() && (*(after - 1))->arrived >= wait.begin) {
      const TimelineFlow& flow = **--after;
      if (flow.from == rank || flow.sent <= wait.begin) continue;
      add(path, {PathPiece::Kind::kMessage, flow.from, rank, flow.sent, wait.end()});
      rank = flow.from;
      time = flow.sent;
      return;
    }
    add(path, {PathPiece::Kind::kWait, rank, rank, wait.begin, wait.end()});
    time = wait.begin;
  }

  std::map<BarrierKey, Arrivals> barriers_;
  std::vector<Rank> ranks_;
};

std::string in_words(const PathPiece& piece) {
  switch (piece.kind) {
    case PathPiece::Kind::kCompute:
      return fmt::format("rank {} at work", piece.rank);
    case PathPiece::Kind::kMessage:
      return fmt::format("from rank {} to rank {}", piece.rank, piece.to);
    case PathPiece::Kind::kWait:
      return fmt::format("rank {} waits", piece.rank);
  }
  return "";
}

void append_path(std::string& out, const Timeline& timeline) {
  const std::vector<PathPiece> path = critical_path(timeline);
  if (path.empty()) return;
  std::map<std::string, std::int64_t> sums;
  std::int64_t whole = 0;
  for (const PathPiece& piece : path) {
    sums[in_words(piece)] += piece.end - piece.begin;
    whole += piece.end - piece.begin;
  }
  std::vector<std::pair<std::string, std::int64_t>> rows(sums.begin(), sums.end());
  std::ranges::stable_sort(rows, std::ranges::greater(), [](const auto& row) { return row.second; });
  const auto into = std::back_inserter(out);
  fmt::format_to(into, "Critical path: {:.1f} us in {} pieces\n", micros(whole), path.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 10); ++i) {
    fmt::format_to(into, "  {:<30} {:>12.1f} us  {:>5.1f} %\n", rows[i].first, micros(rows[i].second),
                   100.0 * static_cast<double>(rows[i].second) / static_cast<double>(whole));
  }
}

}  // namespace

std::vector<PathPiece> critical_path(const Timeline& timeline) { return PathFinder(timeline).find(); }

std::string summarize(const Timeline& timeline) {
  std::string out;
  append_calls(out, timeline);
  append_unfinished(out, timeline);
  append_late_arrivers(out, timeline);
  append_path(out, timeline);
  fmt::format_to(std::back_inserter(out), "{} ranks, {} slices, {} messages{}\n", timeline.ranks,
                 timeline.slices.size(), timeline.flows.size(),
                 timeline.lost == 0
                     ? ""
                     : fmt::format("; earlier events of {} ranks were overwritten (AQUEDUCT_TRACE_EVENTS)",
                                   timeline.lost));
  return out;
}

}  // namespace aqueduct::trace_report
