// The kinds of events that can be traced and counted, each known to users by a letter, and sets of them.
#pragma once
#include <cstdint>
#include <optional>

namespace aqueduct::trace {

enum class Category : char {
  kGet = 'G',
  kPut = 'P',
  kAtomic = 'R',
  kSync = 'S',
  kCollective = 'W',
  kBarrier = 'B',
  kLock = 'L',
  kMessage = 'A',
  kPoll = 'X',
  kInfo = 'I',
  kObject = 'O',
  kConduit = 'C',
  kDetail = 'D',
  kSourceLine = 'N',
  kClient = 'H',
  kAlways = 'U',
};

/// A set of categories: one bit for each letter of the alphabet.
using Mask = std::uint32_t;
constexpr Mask bit(Category category) { return Mask{1} << (static_cast<char>(category) - 'A'); }

inline constexpr char kLetters[] = "GPRSWBLAXIOCDNHU";
inline constexpr std::size_t kMaskTextBytes = sizeof kLetters;

/// What the letters say, in any case of letters; after a '^', all but them. kAlways is in every mask. Nothing
/// if there is something else in the text.
std::optional<Mask> parse_mask(const char* text);

/// The letters of the mask; `text` has room for kMaskTextBytes.
const char* format_mask(Mask mask, char* text);

}  // namespace aqueduct::trace
