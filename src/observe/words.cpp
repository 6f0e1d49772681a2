#include "observe/words.hpp"

#include <cstdio>
#include <iterator>
#include <string_view>

namespace aqueduct::observe {
namespace {

std::string name_team(std::uint32_t team) {
  if (team == kNoTeam) return "";
  return team == 0 ? " of all ranks" : " of team " + std::to_string(team);
}

std::string numbered(const char* what, const Wait& wait) {
  std::string text = what;
  if (wait.number != 0) text += " " + std::to_string(wait.number);
  return (wait.number != 0 ? text : "a " + text) + name_team(wait.team);
}

const char* name_transfer(TransferKind transfer) {
  switch (transfer) {
    case TransferKind::kPut:
      return "a put";
    case TransferKind::kGet:
      return "a get";
    case TransferKind::kAtomic:
      return "a remote atomic";
    case TransferKind::kMessage:
      return "a message";
    case TransferKind::kNone:
      break;
  }
  return "an operation";
}

std::string with_peer(const std::string& text, RankId peer) {
  return peer == kNoRank ? text : text + " to rank " + std::to_string(peer);
}

}  // namespace

std::string name_ranks(const std::vector<RankId>& ascending, std::size_t most) {
  std::vector<std::string> runs;
  std::size_t named = 0;
  for (std::size_t i = 0; i < ascending.size() && runs.size() < most;) {
    std::size_t end = i + 1;
    while (end < ascending.size() && ascending[end] == ascending[end - 1] + 1) ++end;
    std::string run = std::to_string(ascending[i]);
    if (end - i == 2) end = i + 1;  // two in a row are two
    if (end - i > 2) run += "-" + std::to_string(ascending[end - 1]);
    runs.push_back(std::move(run));
    named += end - i;
    i = end;
  }
  if (named < ascending.size()) runs.push_back(std::to_string(ascending.size() - named) + " more");
  std::string text = ascending.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i != 0) text += i + 1 == runs.size() ? " and " : ", ";
    text += runs[i];
  }
  return text;
}

std::string name_wait(const Wait& wait) {
  switch (wait.kind) {
    case WaitKind::kNothing:
      return "nothing";
    case WaitKind::kMessage:
      return "a message";
    case WaitKind::kReply:
      return "a reply";
    case WaitKind::kBlockUntil:
      return wait.call.empty() ? "a message, in GASNET_BLOCKUNTIL" : wait.call;
    case WaitKind::kBarrier:
      return numbered("barrier", wait);
    case WaitKind::kNamedBarrier:
      return numbered("named barrier", wait);
    case WaitKind::kCollective:
      return numbered("collective", wait);
    case WaitKind::kEvent:
      return with_peer(std::string("an event: ") + name_transfer(wait.transfer), wait.peer);
    case WaitKind::kSomeEvents:
      return "one of several events";
    case WaitKind::kAllEvents:
      return "several events";
    case WaitKind::kImplicit:
      return with_peer(std::string("its implicit operations: ") + name_transfer(wait.transfer), wait.peer);
    case WaitKind::kCredits:
      return with_peer("credits: room for " + std::string(name_transfer(wait.transfer)), wait.peer);
    case WaitKind::kRelease:
      return with_peer("the network, which still reads " + std::string(name_transfer(wait.transfer)),
                       wait.peer);
    case WaitKind::kLock:
      return "a lock that thread " + std::to_string(wait.number) + " holds";
    case WaitKind::kNewTeam:
      return "the other members of a new team";
    case WaitKind::kOtherRanks:
      return "the other ranks, which must call the same";
  }
  return "something unknown";
}

std::string name_missing(const Wait& wait) {
  std::string text;
  for (std::size_t i = 0; i < wait.missing.size(); ++i) {
    if (i != 0) text += i + 1 == wait.missing.size() && !wait.more ? " and " : ", ";
    text += wait.missing[i].what + " of rank " + std::to_string(wait.missing[i].peer);
  }
  if (wait.more) text += " and maybe of others";
  return text;
}

std::vector<std::string> name_retries(const PeerCounts& counts) {
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < kRetries; ++i) {
    if (counts.retries[i] != 0)
      reasons.push_back(std::string(kRetryWords[i].name) + " " +
                        short_number(static_cast<double>(counts.retries[i])));
  }
  return reasons;
}

std::string short_number(double number) {
  constexpr const char* kUnits[] = {"", "k", "M", "G", "T", "P"};
  unsigned unit = 0;
  while (number >= 9999.5 && unit + 1 < std::size(kUnits)) {
    number /= 1000;
    ++unit;
  }
  char text[48];
  std::snprintf(text, sizeof text, "%.*f%s", unit != 0 && number < 99.95 ? 1 : 0, number, kUnits[unit]);
  return text;
}

std::string name_time(std::uint64_t ns) {
  const double seconds = static_cast<double>(ns) / 1e9;
  char text[48];
  if (seconds < 60) {
    std::snprintf(text, sizeof text, "%.1f s", seconds);
  } else if (seconds < 3600) {
    std::snprintf(text, sizeof text, "%d min %d s", static_cast<int>(seconds) / 60,
                  static_cast<int>(seconds) % 60);
  } else {
    std::snprintf(text, sizeof text, "%llu h %llu min", static_cast<unsigned long long>(seconds) / 3600,
                  static_cast<unsigned long long>(seconds) / 60 % 60);
  }
  return text;
}

std::string name_command(std::string command, std::size_t most) {
  constexpr std::string_view kMore = "...";
  if (command.size() <= most) return command;
  const std::size_t folders = command.substr(0, command.find(' ')).rfind('/');
  if (folders != std::string::npos) command.erase(0, folders + 1);
  if (command.size() <= most) return command;
  return most <= kMore.size() ? command.substr(0, most)
                              : command.substr(0, most - kMore.size()).append(kMore);
}

}  // namespace aqueduct::observe
