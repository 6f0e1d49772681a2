// A peer that does not answer, in the words of the line that ends the job:
//
//   rank 3 (10.0.0.7:40123) has not answered for 20 s (NAME_OF_THE_SETTING)
//
// The rank that gives up knows this much. Whoever reports the line adds the host of the peer and, where it
// can see that, whether its process is stopped.
#pragma once
#include <cstdint>
#include <string>

#include "base/types.hpp"

namespace aqueduct {

struct Silence {
  std::uint64_t ns = 0;           ///< how long it has lasted
  const char* setting = nullptr;  ///< the variable that says how long it may last; null: there is none
  std::string address = {};       ///< of the peer; empty: unknown, or it has none
};

std::string in_words(RankId peer, const Silence& silence);

/// Ends the job with these words. `more` follows after a semicolon.
[[noreturn]] void fatal_silence(const char* where, RankId peer, const Silence& silence,
                                const std::string& more = {});

}  // namespace aqueduct
