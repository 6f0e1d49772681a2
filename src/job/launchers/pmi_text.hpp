// The lines of PMI 1, as its server and the processes that it has started exchange them:
//
//   cmd=get kvsname=kvs_7 key=card-3\n
//   cmd=get_result rc=0 msg=success value=1a2b\n
//
// A line is words "name=value", the first of which is cmd. Names are small letters and underscores; values
// are printable and without blanks, and may be empty. One blank or more stands between words.
//
// This is the text alone; it reads and writes nothing. What comes from outside is checked in full: a line
// that is not like this is refused with the reason, whatever it contains.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aqueduct::job::launchers {

/// No server writes longer lines: values have at most 1024 characters.
inline constexpr std::size_t kMostPmiLine = 8192;

class PmiLine {
 public:
  /// `line` without its newline. Empty with the reason in `*why` if it is no line of PMI.
  static std::optional<PmiLine> parse(std::string_view line, std::string* why);

  const std::string& command() const { return words_.front().value; }
  /// Null if the line has no such word.
  const std::string* value(std::string_view name) const;
  /// A whole decimal number; empty if there is no such word, or it is none.
  std::optional<std::int64_t> number(std::string_view name) const;

 private:
  struct Word {
    std::string name, value;
  };
  std::vector<Word> words_;
};

/// Bytes that arrive in pieces, as lines.
class PmiLines {
 public:
  void append(std::string_view bytes) { bytes_ += bytes; }
  /// The next whole line, without its newline; empty if it is not here yet.
  std::optional<std::string> next();
  /// More has come without a newline than a line may have.
  bool is_too_long() const { return bytes_.size() > kMostPmiLine && bytes_.find('\n') == bytes_.npos; }

 private:
  std::string bytes_;
};

/// `text` as a line may show it to a person: what cannot be printed as '?', and no more than its beginning.
std::string printable(std::string_view text);

}  // namespace aqueduct::job::launchers
