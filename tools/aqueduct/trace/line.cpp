#include "trace/line.hpp"

#include <charconv>

namespace aqueduct::trace_report {
namespace {

// Takes texts and numbers from the front of a line, each only if it is there.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool skip(std::string_view expected) {
    if (rest_.substr(0, expected.size()) != expected) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  template <class Number>
  bool read(Number* number) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), *number);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  /// What stands before `mark`, which is skipped as well.
  bool read_until(std::string_view mark, std::string_view* text) {
    const std::size_t at = rest_.find(mark);
    if (at == std::string_view::npos) return false;
    *text = rest_.substr(0, at);
    rest_.remove_prefix(at + mark.size());
    return true;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// The number before the first " bytes".
std::optional<double> bytes_in(std::string_view text) {
  const std::size_t end = text.find(" bytes");
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t space = text.rfind(' ', end - (end > 0));
  const std::size_t begin = space == std::string_view::npos ? 0 : space + 1;
  double bytes = 0;
  if (!Reader(text.substr(begin, end - begin)).read(&bytes)) return std::nullopt;
  return bytes;
}

std::optional<double> ns_in(std::string_view text) {
  Reader reader(text);
  double us = 0;
  if (!reader.skip("took ") || !reader.read(&us) || !reader.skip(" us")) return std::nullopt;
  return us * 1e3;
}

}  // namespace

std::optional<TraceLine> parse(std::string_view text) {
  Reader reader(text);
  TraceLine line = {};
  if (!reader.read(&line.rank) || !reader.skip("(") || !reader.read(&line.thread) || !reader.skip(") ") ||
      !reader.read(&line.seconds) || !reader.skip("s> ")) {
    return std::nullopt;
  }
  if (reader.skip("[") && !reader.read_until("] ", &line.where)) return std::nullopt;
  std::string_view category;
  if (!reader.skip("(") || !reader.read_until(") ", &category) || category.size() != 1) return std::nullopt;
  line.category = category[0];
  if (line.category == 'H' || line.category == 'U') return line;
  if (!reader.read_until(": ", &line.call)) return std::nullopt;
  line.bytes = bytes_in(reader.rest());
  line.ns = ns_in(reader.rest());
  return line;
}

}  // namespace aqueduct::trace_report
