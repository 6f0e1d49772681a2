// The rules of RandomAccess in the HPC Challenge, as far as they are numbers.
//
//   table         a power of two of 64-bit words, at most half of the memory; word i is i at the start
//   updates       4 for each word: table[r mod words] ^= r, for r of one random stream (stream.hpp), of which
//                 each rank makes an equal part
//   look-ahead    a rank may hold at most 1024 updates that were made and are not applied
//   errors        at most 1 % of the words may be wrong in the end, since updates may get into each other's way
//   verification  afterwards, untimed: all updates are applied again, exactly; then every word is what it was
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace aqueduct::bench::random_access {

inline constexpr std::uint64_t kUpdatesPerWord = 4;
inline constexpr unsigned kMostLookAhead = 1024;
inline constexpr double kMostErrors = 0.01;

/// One line about a table of `bytes` in each of `ranks` ranks that is not possible on a host with
/// `memory_bytes` and all these ranks; empty if it is.
std::string complaint_about_table(std::size_t bytes, std::size_t ranks, std::size_t memory_bytes);

/// The most words of a table that fits into `bytes` of each of `ranks`: a power of two.
std::uint64_t words_of(std::size_t bytes, std::size_t ranks);

}  // namespace aqueduct::bench::random_access
