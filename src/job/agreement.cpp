#include "job/agreement.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/fatal.hpp"

namespace aqueduct::job {
namespace {

std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Takes a text off the front of texts that each end with a zero.
std::string_view take_text(std::string_view& texts) {
  const std::size_t end = texts.find('\0');
  const std::string_view text = texts.substr(0, end);
  texts.remove_prefix(end == texts.npos ? texts.size() : end + 1);
  return text;
}

[[noreturn]] void refuse_claims(RankId peer, std::string_view theirs, std::string_view first) {
  while (!theirs.empty() || !first.empty()) {
    const std::string name(take_text(theirs));
    const std::string first_name(take_text(first));
    const std::string value(take_text(theirs));
    const std::string first_value(take_text(first));
    if (name != first_name)
      fatal("start", "rank %u claims to have %s where rank 0 has %s; all ranks must run the same library",
            peer, name.c_str(), first_name.c_str());
    if (value != first_value)
      fatal("start", "rank %u has %s %s and rank 0 has %s", peer, name.c_str(), value.c_str(),
            first_value.c_str());
  }
  fatal("start", "rank %u and rank 0 do not agree", peer);
}

}  // namespace

void agree(Bootstrap& bootstrap, std::span<const Claim> claims, std::uint64_t* least) {
  const std::size_t number_bytes = least ? sizeof *least : 0;
  std::string mine;
  for (const Claim& claim : claims) mine += claim.what + '\0' + claim.value + '\0';
  std::string row = mine;
  if (least) row.append(reinterpret_cast<const char*>(least), sizeof *least);
  const Gathered& all = bootstrap.all_gather(std::as_bytes(std::span(row)));
  const auto claims_of = [&](RankId peer) {
    const std::string_view text = as_text(all[peer]);
    return text.substr(0, text.size() - std::min(text.size(), number_bytes));
  };
  if (claims_of(0) != mine) {
    // All who do not agree with rank 0 find the same two.
    for (RankId peer = 1; peer < all.size(); ++peer) {
      if (claims_of(peer) != claims_of(0)) refuse_claims(peer, claims_of(peer), claims_of(0));
    }
  }
  for (RankId peer = 0; least && peer < all.size(); ++peer) {
    const Bytes theirs = all[peer];
    if (theirs.size() != row.size()) refuse_claims(peer, claims_of(peer), mine);
    std::uint64_t number;
    std::memcpy(&number, theirs.data() + mine.size(), sizeof number);
    *least = std::min(*least, number);
  }
}

}  // namespace aqueduct::job
