// What somebody may have meant who typed a word that there is not.
#pragma once
#include <string>
#include <vector>

namespace aqueduct {

/// The fewest letters to put in, take out, replace or exchange with their neighbour that make `one` into
/// `other`.
std::size_t typing_distance(const std::string& one, const std::string& other);

/// "; did you mean 'bench'?", with the nearest of the words that there are; empty if none is near. A word of
/// which what was typed is the beginning is near.
std::string guess(const std::string& typed, const std::vector<std::string>& words);

}  // namespace aqueduct
