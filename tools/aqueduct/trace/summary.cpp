#include "trace/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace aqueduct::trace_report {
namespace {

enum class Unit { kNone, kBytes, kTime };

struct Table {
  char category;
  const char* title;
  Unit unit;
};
constexpr Table kTables[] = {
    {'P', "Puts", Unit::kBytes},        {'G', "Gets", Unit::kBytes},
    {'R', "Atomics", Unit::kNone},      {'A', "Active messages", Unit::kBytes},
    {'W', "Collectives", Unit::kBytes}, {'B', "Barriers", Unit::kTime},
    {'S', "Completion", Unit::kTime},   {'L', "Handler-safe locks", Unit::kNone},
    {'X', "Polls", Unit::kNone},
};

/// "812 ns", "1.25 us", "3.00 s"
std::string time_text(double ns) {
  static constexpr std::array kUnits = {"ns", "us", "ms"};
  for (const char* unit : kUnits) {
    if (ns < 1000) return fmt::format("{:.{}f} {}", ns, ns == static_cast<int>(ns) ? 0 : 2, unit);
    ns /= 1000;
  }
  return fmt::format("{:.2f} s", ns);
}

std::string amount_text(double amount, Unit unit) {
  return unit == Unit::kTime ? time_text(amount) : fmt::format("{:.0f}", amount);
}

std::string mean_text(double mean, Unit unit) {
  return unit == Unit::kTime ? time_text(mean) : fmt::format("{:.1f}", mean);
}

}  // namespace

void Summary::Totals::add(double amount) {
  least = measured == 0 ? amount : std::min(least, amount);
  most = measured == 0 ? amount : std::max(most, amount);
  total += amount;
  ++measured;
}

void Summary::add(const TraceLine& line) {
  ranks_.insert(line.rank);
  threads_.insert({line.rank, line.thread});
  seconds_ = std::max(seconds_, line.seconds);
  if (std::string_view(kCategories).find(line.category) == std::string_view::npos) return;
  Totals& totals = rows_[{line.category, std::string(line.call), std::string(line.where),
                          per_ == Per::kJob ? 0 : line.rank, per_ == Per::kThread ? line.thread : 0}];
  ++totals.count;
  if (const std::optional<double> amount = line.bytes ? line.bytes : line.ns) totals.add(*amount);
}

bool Summary::comes_first(const Row& a, const Row& b, Order order) {
  const auto& [key_a, left] = a;
  const auto& [key_b, right] = b;
  // Larger values first; equal ones, and all with Order::kPlace, by place, call, rank and thread.
  if (order == Order::kTotal && left.total != right.total) return left.total > right.total;
  if (order == Order::kMost && left.most != right.most) return left.most > right.most;
  if (order != Order::kPlace && left.count != right.count) return left.count > right.count;
  return std::tie(std::get<2>(key_a), key_a) < std::tie(std::get<2>(key_b), key_b);
}

std::string Summary::who(const Key& key) const {
  if (per_ == Per::kJob) return "";
  if (per_ == Per::kRank) return fmt::format("{:>8}  ", std::get<3>(key));
  return fmt::format("{:>16}  ", fmt::format("{}({})", std::get<3>(key), std::get<4>(key)));
}

std::string Summary::tables(std::string_view letters, Order order) const {
  std::string text;
  for (const char letter : letters) {
    const Table& table = *std::find_if(std::begin(kTables), std::end(kTables),
                                       [&](const Table& one) { return one.category == letter; });
    std::vector<const Row*> rows;
    for (const Row& row : rows_) {
      if (std::get<0>(row.first) == letter) rows.push_back(&row);
    }
    if (rows.empty()) continue;
    std::sort(rows.begin(), rows.end(),
              [&](const Row* a, const Row* b) { return comes_first(*a, *b, order); });
    const char* rank_heading = per_ == Per::kRank ? "    rank  " : "    rank(thread)  ";
    text += fmt::format("{}\n{}{:>9}", table.title, per_ == Per::kJob ? "" : rank_heading, "calls");
    if (table.unit != Unit::kNone) {
      const char* total = table.unit == Unit::kBytes ? "bytes" : "time";
      text += fmt::format(" {:>12} {:>10} {:>10} {:>10}", total, "least", "mean", "most");
    }
    text += fmt::format("  {:<28}{}\n", "call", "where");
    for (const Row* row : rows) {
      const auto& [key, totals] = *row;
      text += fmt::format("{}{:>9}", who(key), totals.count);
      if (table.unit != Unit::kNone && totals.measured == 0) {
        text += fmt::format(" {:>12} {:>10} {:>10} {:>10}", "-", "-", "-", "-");
      } else if (table.unit != Unit::kNone) {
        text += fmt::format(" {:>12} {:>10} {:>10} {:>10}", amount_text(totals.total, table.unit),
                            amount_text(totals.least, table.unit),
                            mean_text(totals.total / static_cast<double>(totals.measured), table.unit),
                            amount_text(totals.most, table.unit));
      }
      const std::string& place = std::get<2>(key);
      text += place.empty() ? fmt::format("  {}\n", std::get<1>(key))
                            : fmt::format("  {:<28}{}\n", std::get<1>(key), place);
    }
    text += "\n";
  }
  return text;
}

std::string Summary::extent() const {
  return fmt::format("{} ranks, {} threads, {:.6f} s", ranks_.size(), threads_.size(), seconds_);
}

}  // namespace aqueduct::trace_report
