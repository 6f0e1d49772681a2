#include "guess.hpp"

#include <algorithm>

namespace aqueduct {

std::size_t typing_distance(const std::string& one, const std::string& other) {
  // Row i: the distances of the first i letters of `one` from all beginnings of `other`.
  std::vector<std::vector<std::size_t>> rows(one.size() + 1, std::vector<std::size_t>(other.size() + 1));
  for (std::size_t i = 0; i <= one.size(); ++i) {
    for (std::size_t j = 0; j <= other.size(); ++j) {
      std::size_t& here = rows[i][j];
      if (i == 0 || j == 0) {
        here = i + j;
        continue;
      }
      const std::size_t replaced = rows[i - 1][j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      here = std::min({replaced, rows[i - 1][j] + 1, rows[i][j - 1] + 1});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
        here = std::min(here, rows[i - 2][j - 2] + 1);
    }
  }
  return rows.back().back();
}

std::string guess(const std::string& typed, const std::vector<std::string>& words) {
  constexpr std::size_t kLongest = 64;  // longer words are not typing errors
  constexpr std::size_t kLettersAMistake = 3;
  const std::size_t dashes = std::min(typed.find_first_not_of('-'), typed.size());
  const std::size_t letters = typed.size() - dashes;
  if (letters == 0 || letters > kLongest) return {};
  const std::size_t most = std::max<std::size_t>(1, letters / kLettersAMistake);
  const std::string* best = nullptr;
  std::size_t least = most + 1;
  for (const std::string& word : words) {
    // "fig" is the beginning of a word, not a word with typing errors.
    const bool begins = letters >= 2 && word.rfind(typed, 0) == 0;
    const std::size_t distance = begins ? 1 : typing_distance(typed, word);
    if (distance >= least || distance >= word.size() - std::min(word.find_first_not_of('-'), word.size()))
      continue;
    least = distance;
    best = &word;
  }
  return best ? "; did you mean '" + *best + "'?" : "";
}

}  // namespace aqueduct
