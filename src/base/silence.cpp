#include "base/silence.hpp"

#include <cstdio>

#include "base/fatal.hpp"

namespace aqueduct {

std::string in_words(RankId peer, const Silence& silence) {
  constexpr std::uint64_t kTenthNs = 100'000'000;
  char seconds[32];  // to the tenth, and no zero behind the point
  std::snprintf(seconds, sizeof seconds, "%.15g", static_cast<double>(silence.ns / kTenthNs) / 10);
  std::string text = "rank " + std::to_string(peer);
  if (!silence.address.empty()) text += " (" + silence.address + ")";
  text += std::string(" has not answered for ") + seconds + " s";
  if (silence.setting) text += std::string(" (") + silence.setting + ")";
  return text;
}

void fatal_silence(const char* where, RankId peer, const Silence& silence, const std::string& more) {
  const std::string words = in_words(peer, silence);
  fatal_about(peer, where, "%s%s%s", words.c_str(), more.empty() ? "" : "; ", more.c_str());
}

}  // namespace aqueduct
