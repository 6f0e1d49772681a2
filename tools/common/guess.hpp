// Suggests a known word for an unknown one that a user has typed.
#pragma once
#include <string>
#include <vector>

namespace aqueduct {

/// The smallest number of letters to insert, delete, replace or swap with a neighbour that turns `one` into
/// `other`.
std::size_t typing_distance(const std::string& one, const std::string& other);

/// "; did you mean 'bench'?", with the nearest of the known words; empty if none is near. A word that begins
/// with the typed one is near.
std::string guess(const std::string& typed, const std::vector<std::string>& words);

}  // namespace aqueduct
