#include "simulate/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "tools/common/machines.hpp"

namespace aqueduct::simulate {

namespace {

constexpr std::uint64_t kLeastStackBytes = 16 << 10;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

}  // namespace

std::uint64_t take(const std::string& option, const std::string& text, Dimension dimension,
                   std::uint64_t least, std::uint64_t most) {
  const std::optional<Quantity> value = quantity(text);
  if (!value || value->dimension != dimension) {
    throw CLI::ValidationError(fmt::format("{} {}: it must be {}", option, text, name_of(dimension)));
  }
  if (value->value < least || value->value > most) {
    throw CLI::ValidationError(fmt::format("{} {}: it must be from {} to {}", option, text, least, most));
  }
  return value->value;
}

std::uint64_t stack_bytes_of(const SimOptions& options) {
  return take("--stack", options.stack, Dimension::kBytes, kLeastStackBytes, kMostBytes);
}

Topology::Dimensions parse_dimensions(const std::string& text) {
  Topology::Dimensions box{1, 1, 1};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [rest, error] = std::from_chars(at, end, box[axis]);
    const bool last = axis == 2 || rest == end;
    if (error != std::errc() || box[axis] == 0 || (last ? rest != end : *rest != 'x')) {
      throw CLI::ValidationError("--dimensions " + text + ": it should look like 8x8x16");
    }
    if (last) break;
    at = rest + 1;
  }
  return box;
}

/// "1000": so many from --seed on. "5:1000": 1000 from 5 on.
Seeds parse_seeds(const SimOptions& options) {
  Seeds seeds{options.seed, 1};
  if (options.seeds.empty()) return seeds;
  const char* at = options.seeds.data();
  const char* const end = at + options.seeds.size();
  if (const std::size_t colon = options.seeds.find(':'); colon != options.seeds.npos) {
    const auto [rest, error] = std::from_chars(at, at + colon, seeds.first);
    at = error == std::errc() && rest == at + colon ? rest + 1 : end;
  }
  const auto [rest, error] = std::from_chars(at, end, seeds.count);
  const bool is_count = error == std::errc() && rest == end && seeds.count != 0;
  if (is_count && seeds.count - 1 <= ~seeds.first) return seeds;
  throw CLI::ValidationError("--seeds " + options.seeds +
                             ": it should look like 1000 (so many from --seed on) or 5:1000 (from 5 on), all "
                             "below 2^64");
}

const MachineKind& machine_of(const SimOptions& options) {
  const MachineKind* const found = machines::of_conduit(options.conduit);
  if (!found) {
    throw CLI::ValidationError(
        fmt::format("--conduit {}: it must be {}", options.conduit, fmt::join(machines::conduits(), "|")));
  }
  const MachineKind& kind = *found;
  if (!options.bridge.empty() && !kind.has(options.bridge)) {
    throw CLI::ValidationError(fmt::format("--bridge {}: conduit {} runs on {}, which has no such bridge",
                                           options.bridge, options.conduit, kind.summary));
  }
  return kind;
}

JobOptions job_options_of(const SimOptions& options) {
  JobOptions job_options;
  job_options.max_segment_bytes =
      round_up(take("--segment", options.segment, Dimension::kBytes, 1, kMostBytes), kPage);
  job_options.time_limit = take("--time-limit", options.time_limit, Dimension::kTime);
  return job_options;
}

std::string network_in_words(const SimOptions& options) {
  std::string words = options.network;
  for (std::size_t i = 0; i < options.overrides.size(); ++i)
    words += (i == 0 ? " (" : ", ") + options.overrides[i];
  return options.overrides.empty() ? words : words + ")";
}

process::ComputeModel compute_model_of(const SimOptions& options) {
  using Kind = process::ComputeModel::Kind;
  const std::string& text = options.computing;
  if (text.empty() || text == "free") return {};
  const std::size_t colon = text.find(':');
  const std::string word = text.substr(0, colon),
                    rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (word == "fixed" && !rest.empty()) {
    // A number alone is one of nanoseconds.
    const bool is_plain = rest.find_first_not_of("0123456789") == std::string::npos;
    const Time time = take("--compute fixed:", is_plain ? rest + "ns" : rest, Dimension::kTime, 0, kSecond);
    return {.kind = Kind::kFixed, .ns = time / kNanosecond};
  }
  if (word == "measured" && (rest.empty() || check_scale(rest).empty()))
    return {.kind = Kind::kMeasured, .scale = rest.empty() ? 1 : std::stod(rest)};
  throw CLI::ValidationError("--compute " + text +
                             ": it should be free, fixed:NS or measured[:SCALE], or for a replay a scale");
}

std::string check_scale(const std::string& text) {
  double scale = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, scale);
  const bool is_good = error == std::errc() && rest == end && scale >= 0 && scale <= 1e6;
  return is_good ? "" : "it must be a number from 0 to 1000000, not '" + text + "'";
}

}  // namespace aqueduct::simulate
