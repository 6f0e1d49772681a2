#include "tools/replay/dumpi_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace aqueduct::replay {
namespace {

constexpr std::string_view kEntering = " entering at walltime ", kReturning = " returning at walltime ";
constexpr std::string_view kThread = " seconds in thread ";
/// Some traces count from 1970, others from when the machine was started. 64 bits of nanoseconds hold that.
constexpr std::int64_t kMostSeconds = 9'000'000'000;

template <class Number>
bool take(std::string_view* text, Number* number) {
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return true;
}

bool skip(std::string_view* text, std::string_view expected) {
  if (!text->starts_with(expected)) return false;
  text->remove_prefix(expected.size());
  return true;
}

/// "8153.049312345, ... in thread 0." Fractions may have fewer digits.
bool take_moment(std::string_view text, std::int64_t* ns, std::uint32_t* thread) {
  std::int64_t seconds = 0;
  if (!take(&text, &seconds) || seconds < 0 || seconds > kMostSeconds) return false;
  *ns = seconds * 1'000'000'000;
  if (skip(&text, ".")) {
    std::int64_t unit = 100'000'000;
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), unit /= 10)
      *ns += (text.front() - '0') * unit;
  }
  const std::size_t at = text.find(kThread);
  if (at == std::string_view::npos) return false;
  text.remove_prefix(at + kThread.size());
  return take(&text, thread);
}

/// "MPI_Request requests[2]=[4, 5]" is "requests" and "[4, 5]".
void take_argument(std::string_view line, MpiCall& call) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return;
  std::string_view name = line.substr(0, equals);
  name = name.substr(0, name.find('['));
  name = name.substr(name.rfind(' ') + 1);
  call.arguments.emplace(name, line.substr(equals + 1));
}

}  // namespace

std::optional<std::int64_t> MpiCall::number(std::string_view argument) const {
  const auto found = arguments.find(argument);
  if (found == arguments.end()) return std::nullopt;
  std::string_view text = found->second;
  skip(&text, "[");
  std::int64_t value = 0;
  return take(&text, &value) ? std::optional(value) : std::nullopt;
}

std::string_view MpiCall::constant(std::string_view argument) const {
  const auto found = arguments.find(argument);
  if (found == arguments.end()) return {};
  const std::string_view text = found->second;
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return text.substr(open + 1, close - open - 1);
}

std::vector<std::int64_t> MpiCall::list(std::string_view argument) const {
  std::vector<std::int64_t> values;
  const auto found = arguments.find(argument);
  if (found == arguments.end()) return values;
  std::string_view text = found->second;
  if (!skip(&text, "[")) return values;
  std::int64_t value = 0;
  while (take(&text, &value)) {
    values.push_back(value);
    if (!skip(&text, ", ")) break;
  }
  return values;
}

std::vector<MpiStatus> MpiCall::statuses(std::string_view argument) const {
  std::vector<MpiStatus> statuses;
  const auto found = arguments.find(argument);
  if (found == arguments.end()) return statuses;
  std::string_view text = found->second;
  for (;;) {
    const std::size_t source = text.find("source="), tag = text.find("tag=");
    if (source == std::string_view::npos || tag == std::string_view::npos || tag < source) return statuses;
    std::string_view value = text.substr(source + 7);
    MpiStatus status;
    if (!take(&value, &status.source)) return statuses;
    text.remove_prefix(tag + 4);
    if (!take(&text, &status.tag)) return statuses;
    statuses.push_back(status);
  }
}

std::optional<std::vector<MpiCall>> mpi_calls(std::string_view text, std::string* why) {
  std::vector<MpiCall> calls;
  std::optional<MpiCall> open;
  while (!text.empty()) {
    const std::size_t newline = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(std::min(newline + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (const std::size_t at = line.find(kEntering); at != std::string_view::npos) {
      if (open) {
        *why = fmt::format("is malformed: {} begins within {}", line.substr(0, at), open->name);
        return std::nullopt;
      }
      open.emplace();
      open->name = line.substr(0, at);
      if (!take_moment(line.substr(at + kEntering.size()), &open->begin, &open->thread)) {
        *why = fmt::format("is malformed: {} has no time", open->name);
        return std::nullopt;
      }
    } else if (const std::size_t end = line.find(kReturning); end != std::string_view::npos) {
      std::uint32_t thread = 0;
      if (!open || open->name != line.substr(0, end) ||
          !take_moment(line.substr(end + kReturning.size()), &open->end, &thread) ||
          open->end < open->begin) {
        *why = fmt::format("is malformed where {} returns", line.substr(0, end));
        return std::nullopt;
      }
      calls.push_back(std::move(*open));
      open.reset();
    } else if (open) {
      take_argument(line, *open);
    }
  }
  if (open) {
    *why = fmt::format("is cut off in {}: copy it again", open->name);
    return std::nullopt;
  }
  return calls;
}

}  // namespace aqueduct::replay
