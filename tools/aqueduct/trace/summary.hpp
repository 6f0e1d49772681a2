// The sums of a trace: how often each call was made, with how many bytes or how long it took, by its place in
// the source and optionally by rank or thread.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "trace/line.hpp"

namespace aqueduct::trace_report {

enum class Per { kJob, kRank, kThread };  ///< what has separate rows
enum class Order { kTotal, kCount, kMost, kPlace };

class Summary {
 public:
  explicit Summary(Per per) : per_(per) {}

  void add(const TraceLine& line);
  /// The tables of the categories in `letters`, in that order, without empty ones.
  std::string tables(std::string_view letters, Order order) const;
  /// "4 ranks, 8 threads, 0.012 s"
  std::string extent() const;

 private:
  /// Category, call, place, rank, thread; the last two are 0 unless they have separate rows.
  using Key = std::tuple<char, std::string, std::string, std::uint32_t, std::uint32_t>;
  struct Totals {
    std::uint64_t count = 0;
    std::uint64_t measured = 0;  ///< how many of these had an amount
    double total = 0, least = 0, most = 0;
    void add(double amount);
  };
  using Row = std::pair<const Key, Totals>;

  static bool comes_first(const Row& a, const Row& b, Order order);
  std::string who(const Key& key) const;

  Per per_;
  std::map<Key, Totals> rows_;
  std::set<std::uint32_t> ranks_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> threads_;
  double seconds_ = 0;
};

/// The categories that have tables, in the order in which they are shown.
inline constexpr char kCategories[] = "PGRAWBSLX";

}  // namespace aqueduct::trace_report
