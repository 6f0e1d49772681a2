#include "hosts/host_list.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include "job/place/membership.hpp"
#include "job/place/shared_memory.hpp"

namespace aqueduct::job {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// The text for an error line.
std::string in_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; }, '?');
  return text;
}

/// Whether a name is valid. A leading "-" would make it an option of the remote shell.
bool is_host_name(std::string_view name) {
  const auto is_allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("._-@:%", c) != nullptr;
  };
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), is_allowed);
}

std::optional<RankId> slots_in(std::string_view text) {
  RankId slots = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slots);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || slots < 1 || slots > kMaxRanks) return std::nullopt;
  return slots;
}

/// "b", "b:4", "[2001:db8::1]:4"; "2001:db8::1" is a name as well, without slots.
std::string parse_host(std::string_view text, ListedHost& host) {
  std::string_view name = text;
  std::optional<std::string_view> slots;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == text.npos) return "'" + std::string(text) + "' has no closing bracket";
    name = text.substr(1, end - 1);
    if (const std::string_view rest = text.substr(end + 1); rest.starts_with(':')) {
      slots = rest.substr(1);
    } else if (!rest.empty()) {
      return "'" + std::string(text) + "' is no host; after the bracket may come :SLOTS";
    }
  } else if (std::count(text.begin(), text.end(), ':') == 1) {
    name = text.substr(0, text.find(':'));
    slots = text.substr(text.find(':') + 1);
  }
  if (!is_host_name(name)) return "'" + std::string(text) + "' is no name of a host";
  host.name = name;
  if (!slots) return {};
  const std::optional<RankId> number = slots_in(*slots);
  if (!number) {
    return "'" + std::string(text) + "': '" + std::string(*slots) + "' is no number of slots, 1 to " +
           std::to_string(kMaxRanks);
  }
  host.slots = *number;
  return {};
}

/// One line of a file, which is not empty.
std::string parse_host_line(std::string_view line, ListedHost& host) {
  const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
  if (std::string error = parse_host(line.substr(0, end), host); !error.empty()) return error;
  constexpr std::string_view kSlots = "slots=";
  const std::string_view rest = trimmed(line.substr(end));
  if (rest.empty()) return {};
  const std::optional<RankId> number =
      rest.starts_with(kSlots) ? slots_in(rest.substr(kSlots.size())) : std::nullopt;
  if (!number)
    return "'" + std::string(rest) + "': after a host may come slots=N, 1 to " + std::to_string(kMaxRanks);
  if (host.slots != 0) return "the slots of " + host.name + " are given twice";
  host.slots = *number;
  return {};
}

/// Adds a host, or a slot to one that is there already.
std::string add_host(std::vector<ListedHost>& hosts, std::vector<bool>& was_bare, ListedHost host) {
  const auto same = std::find_if(hosts.begin(), hosts.end(),
                                 [&](const ListedHost& other) { return other.name == host.name; });
  if (same == hosts.end()) {
    was_bare.push_back(host.slots == 0);
    hosts.push_back(std::move(host));
    return {};
  }
  if (host.slots == 0 && was_bare[static_cast<std::size_t>(same - hosts.begin())]) {
    same->slots = std::max<RankId>(same->slots, 1) + 1;
    return {};
  }
  const auto in_words = [](const ListedHost& each) {
    return each.slots == 0 ? std::string("without slots") : "with " + std::to_string(each.slots) + " slots";
  };
  return "host " + host.name + " is listed twice, " + in_words(*same) + " (" + same->where + ") and " +
         in_words(host) + "; list it once";
}

}  // namespace

HostList parse_hosts(std::string_view text, const std::string& source) {
  HostList list;
  std::vector<bool> was_bare;
  for (;;) {
    const std::size_t end = text.find(',');
    ListedHost host;
    host.where = source;
    std::string error = parse_host(trimmed(text.substr(0, end)), host);
    if (error.empty()) error = add_host(list.hosts, was_bare, std::move(host));
    if (!error.empty()) return {{}, in_one_line(source + ": " + error)};
    if (end == text.npos) return list;
    text.remove_prefix(end + 1);
  }
}

HostList parse_hostfile(std::string_view text, const std::string& source) {
  HostList list;
  std::vector<bool> was_bare;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    ListedHost host;
    host.where = source + ":" + std::to_string(number);
    const std::string where = host.where;
    std::string error = parse_host_line(line, host);
    if (error.empty()) error = add_host(list.hosts, was_bare, std::move(host));
    if (!error.empty()) return {{}, where + ": " + error};
  }
  if (list.hosts.empty()) list.error = source + ": no host is listed there";
  return list;
}

HostList read_hostfile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || file.bad()) return {{}, path + ": " + std::strerror(errno)};
  return parse_hostfile(text.str(), path);
}

Placement place_ranks(const std::vector<ListedHost>& hosts, RankId ranks, bool may_oversubscribe) {
  Placement placement;
  const bool has_slots =
      std::any_of(hosts.begin(), hosts.end(), [](const ListedHost& host) { return host.slots != 0; });
  std::vector<RankId> count(hosts.size(), 0);
  std::uint64_t left = ranks;
  if (has_slots) {
    std::uint64_t slots = 0;
    for (const ListedHost& host : hosts) slots += std::max<RankId>(host.slots, 1);
    if (ranks == 0) left = slots;
    if (left > kMaxRanks) {
      placement.error = "a job has 1 to " + std::to_string(kMaxRanks) + " ranks, and the hosts have " +
                        std::to_string(slots) + " slots";
      return placement;
    }
    if (left > slots && !may_oversubscribe) {
      placement.error = std::to_string(ranks) + " ranks do not fit in the " + std::to_string(slots) +
                        " slots of the hosts; list more, or give --oversubscribe";
      return placement;
    }
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      count[i] = static_cast<RankId>(std::min<std::uint64_t>(left, std::max<RankId>(hosts[i].slots, 1)));
      left -= count[i];
    }
  } else if (ranks == 0) {
    placement.error = "the number of ranks is missing: -n N, or slots for the hosts";
    return placement;
  }
  for (std::size_t i = 0; i < hosts.size(); ++i)
    count[i] += static_cast<RankId>(left / hosts.size() + (i < left % hosts.size() ? 1 : 0));
  std::vector<std::uint32_t> host_of;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (count[i] == 0) continue;
    Placement::Host host;
    host.name = hosts[i].name;
    host.is_here = is_this_machine(host.name);
    for (RankId local = 0; local < count[i]; ++local) {
      host.ranks.push_back(static_cast<RankId>(host_of.size()));
      host_of.push_back(static_cast<std::uint32_t>(placement.hosts.size()));
    }
    placement.hosts.push_back(std::move(host));
  }
  if (placement.hosts.size() > kMostHosts)
    placement.error = "a job runs on at most " + std::to_string(kMostHosts) + " hosts";
  placement.layout = Layout::of(host_of);
  return placement;
}

bool is_this_machine(const std::string& name) {
  if (name == "localhost" || name == "127.0.0.1" || name == "::1") return true;
  char own[256] = "";
  if (gethostname(own, sizeof own - 1) != 0) return false;
  const std::string_view full = own;
  return name == full || name == full.substr(0, full.find('.'));
}

std::string describe_ranks(const std::vector<RankId>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(ranks[i]);
    if (last != i) text += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace aqueduct::job
