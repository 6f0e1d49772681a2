#include "samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace aqueduct::scenarios {
namespace {

constexpr std::string_view kMark = "aqueduct-sample ";

/// The next word of a line, which loses it.
std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

template <class Number>
bool read(std::string_view word, Number* number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *number);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

std::vector<Sample>& samples() {
  static std::vector<Sample> all;
  return all;
}

void record(std::string_view series, std::uint64_t x, double ns) {
  samples().push_back({std::string(series), x, ns});
}

std::string line_of(const Sample& sample) {
  return fmt::format("{}{} {} {:.3f}\n", kMark, sample.series, sample.x, sample.ns);
}

std::vector<Sample> samples_in(std::string_view output) {
  std::vector<Sample> found;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    const std::size_t mark = line.find(kMark);
    if (mark == line.npos) continue;
    line.remove_prefix(mark + kMark.size());
    Sample sample;
    sample.series = take_word(line);
    const std::string_view x = take_word(line), ns = take_word(line);
    if (read(x, &sample.x) && read(ns, &sample.ns)) found.push_back(std::move(sample));
  }
  return found;
}

}  // namespace aqueduct::scenarios
