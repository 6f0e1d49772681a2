// The lines of PMI 1, as its server and the processes that it has started exchange them:
//
//   cmd=get kvsname=kvs_7 key=card-3\n
//   cmd=get_result rc=0 msg=success value=1a2b\n
//
// A line consists of words "name=value"; the first name is cmd. Names are small letters and underscores;
// values are printable, have no blanks and may be empty. Blanks separate words.
//
// This file parses text and does no input or output. Text from outside is checked in full: any other line is
// refused with the reason.
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
  /// `line` has no newline. Nothing, with the reason in `*why`, if it is not a line of PMI.
  static std::optional<PmiLine> parse(std::string_view line, std::string* why);

  const std::string& command() const { return words_.front().value; }
  /// Null if the line has no such word.
  const std::string* value(std::string_view name) const;
  /// The value as a decimal integer; nothing if there is no such word or it is not a number.
  std::optional<std::int64_t> number(std::string_view name) const;

 private:
  struct Word {
    std::string name, value;
  };
  std::vector<Word> words_;
};

/// Splits bytes that arrive in pieces into lines.
class PmiLines {
 public:
  void append(std::string_view bytes) { bytes_ += bytes; }
  /// The next whole line, without its newline; nothing if it has not come yet.
  std::optional<std::string> next();
  /// Whether more bytes have come without a newline than a line may have.
  bool is_too_long() const { return bytes_.size() > kMostPmiLine && bytes_.find('\n') == bytes_.npos; }

 private:
  std::string bytes_;
};

/// The beginning of `text` for an error line, with '?' for characters that cannot be printed.
std::string printable(std::string_view text);

}  // namespace aqueduct::job::launchers
