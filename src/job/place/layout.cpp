#include "job/place/layout.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace aqueduct::job {
namespace {

std::optional<RankId> number(std::string_view text) {
  RankId value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// Calls `visit(part)` for each part of `text` between separators; false as soon as one says so.
template <class Visit>
bool for_each_part(std::string_view text, char separator, Visit&& visit) {
  for (;;) {
    const std::size_t end = text.find(separator);
    if (!visit(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

// "2+4"
bool read_counts(std::string_view text, RankId size, std::vector<std::uint32_t>& host_of, std::string* why) {
  HostId host = 0;
  std::uint64_t total = 0;
  const bool ok = for_each_part(text, '+', [&](std::string_view part) {
    const std::optional<RankId> count = number(part);
    if (!count) {
      *why = "'" + std::string(part) + "' is not a number of ranks";
      return false;
    }
    if (*count == 0) {
      *why = "host " + std::to_string(host) + " has no ranks";
      return false;
    }
    for (RankId i = 0; i < *count && total + i < size; ++i) host_of[total + i] = host;
    total += *count;
    ++host;
    return true;
  });
  if (ok && total != size)
    *why = "it places " + std::to_string(total) + " ranks, and the job has " + std::to_string(size);
  return ok && total == size;
}

// "0,2-3/1"
class RankLists {
 public:
  RankLists(RankId size, std::vector<std::uint32_t>& host_of, std::string* why)
      : size_(size), host_of_(host_of), why_(why) {}

  bool read(std::string_view text) {
    std::fill(host_of_.begin(), host_of_.end(), kNowhere);
    if (!for_each_part(text, '/', [&](std::string_view part) { return read_host(part); })) return false;
    const auto missing = std::find(host_of_.begin(), host_of_.end(), kNowhere);
    if (missing == host_of_.end()) return true;
    return refuse("rank " + std::to_string(missing - host_of_.begin()) + " is on no host");
  }

 private:
  static constexpr std::uint32_t kNowhere = ~0u;

  bool refuse(std::string why) {
    *why_ = std::move(why);
    return false;
  }
  bool read_host(std::string_view text) {
    if (text.empty()) return refuse("host " + std::to_string(host_) + " has no ranks");
    const bool ok = for_each_part(text, ',', [&](std::string_view part) { return read_range(part); });
    ++host_;
    return ok;
  }
  bool read_range(std::string_view part) {
    const std::size_t dash = part.find('-');
    const std::optional<RankId> first = number(part.substr(0, dash));
    const std::optional<RankId> last = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
    if (!first || !last || *last < *first)
      return refuse("'" + std::string(part) + "' is not a rank or range");
    if (*last >= size_)
      return refuse("rank " + std::to_string(*last) + " is not one of the job's " + std::to_string(size_));
    for (RankId rank = *first; rank <= *last; ++rank) {
      if (host_of_[rank] != kNowhere) {
        return refuse("rank " + std::to_string(rank) + " is on host " + std::to_string(host_of_[rank]) +
                      " and on host " + std::to_string(host_));
      }
      host_of_[rank] = host_;
    }
    return true;
  }

  RankId size_;
  std::vector<std::uint32_t>& host_of_;
  std::string* why_;
  HostId host_ = 0;
};

}  // namespace

Layout::Layout(RankId size, RankId per_host)
    : size_(size),
      per_host_(std::max<RankId>(std::min(per_host, size), 1)),
      largest_(per_host_),
      hosts_((size + per_host_ - 1) / per_host_) {}

Layout Layout::of(const std::vector<std::uint32_t>& host_of) {
  const auto size = static_cast<RankId>(host_of.size());
  auto table = std::make_shared<Table>();
  std::unordered_map<std::uint32_t, HostId> number_of;
  std::vector<RankId> count;
  for (const std::uint32_t given : host_of) {
    const auto [entry, is_new] = number_of.try_emplace(given, static_cast<HostId>(count.size()));
    if (is_new) count.push_back(0);
    ++count[entry->second];
    table->host_of.push_back(entry->second);
  }
  Layout layout(size, size);
  layout.hosts_ = static_cast<HostId>(count.size());
  layout.largest_ = count.empty() ? 0 : *std::max_element(count.begin(), count.end());
  layout.consecutive_ = std::is_sorted(table->host_of.begin(), table->host_of.end());
  // As many consecutive ranks on each host need no table.
  const bool is_regular =
      layout.consecutive_ &&
      std::all_of(count.begin(), count.end() - 1, [&](RankId each) { return each == count[0]; }) &&
      count.back() <= count[0];
  if (is_regular) return blocks(size, count[0]);
  table->first.push_back(0);
  for (const RankId each : count) table->first.push_back(table->first.back() + each);
  table->ranks.resize(size);
  std::vector<RankId> next(table->first.begin(), table->first.end() - 1);
  for (RankId rank = 0; rank < size; ++rank) table->ranks[next[table->host_of[rank]]++] = rank;
  layout.table_ = std::move(table);
  return layout;
}

std::optional<Layout> Layout::parse(const std::string& text, RankId size, std::string* why) {
  std::vector<std::uint32_t> host_of(size);
  const bool is_lists = text.find_first_of(",/-") != std::string::npos;
  const bool ok = is_lists ? RankLists(size, host_of, why).read(text) : read_counts(text, size, host_of, why);
  if (!ok) return std::nullopt;
  return of(host_of);
}

RankId Layout::local_rank_of(RankId rank) const {
  if (!table_) return rank % per_host_;
  const HostId host = table_->host_of[rank];
  const auto begin = table_->ranks.begin() + table_->first[host];
  return static_cast<RankId>(std::lower_bound(begin, table_->ranks.begin() + table_->first[host + 1], rank) -
                             begin);
}

RankId Layout::local_size(HostId host) const {
  if (table_) return table_->first[host + 1] - table_->first[host];
  return host + 1 == hosts_ ? size_ - host * per_host_ : per_host_;
}

std::vector<RankId> Layout::ranks_of(HostId host) const {
  std::vector<RankId> ranks;
  for (RankId local = 0; local < local_size(host); ++local) ranks.push_back(rank_at(host, local));
  return ranks;
}

Layout Layout::split(RankId most) const {
  if (most == 0 || most >= largest_) return *this;
  if (!table_ && (hosts_ == 1 || per_host_ % most == 0)) return blocks(size_, most);
  std::vector<std::uint32_t> part_of(size_);
  HostId parts = 0;
  for (HostId host = 0; host < hosts_; ++host) {
    const RankId ranks = local_size(host);
    for (RankId local = 0; local < ranks; ++local) part_of[rank_at(host, local)] = parts + local / most;
    parts += (ranks + most - 1) / most;
  }
  return of(part_of);
}

std::string Layout::text() const {
  std::string text;
  for (HostId host = 0; host < hosts_; ++host) {
    if (consecutive_) {
      text += (host == 0 ? "" : "+") + std::to_string(local_size(host));
      continue;
    }
    if (host != 0) text += '/';
    for (RankId local = 0; local < local_size(host);) {
      const RankId first = rank_at(host, local);
      RankId last = first;
      while (++local < local_size(host) && rank_at(host, local) == last + 1) ++last;
      if (!text.empty() && text.back() != '/') text += ',';
      text += std::to_string(first) + (last != first ? "-" + std::to_string(last) : "");
    }
  }
  return text;
}

std::uint64_t Layout::digest() const {
  constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a
  std::uint64_t digest = (0xcbf29ce484222325 ^ size_) * kPrime;
  if (!table_) return (digest ^ per_host_) * kPrime;
  for (const HostId host : table_->host_of) digest = (digest ^ host) * kPrime;
  return digest;
}

bool Layout::operator==(const Layout& other) const {
  if (size_ != other.size_ || !table_ != !other.table_) return false;
  return table_ ? table_->host_of == other.table_->host_of : per_host_ == other.per_host_;
}

}  // namespace aqueduct::job
