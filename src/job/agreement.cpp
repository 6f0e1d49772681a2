#include "job/agreement.hpp"

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

void agree(Bootstrap& bootstrap, std::span<const Claim> claims) {
  std::string mine;
  for (const Claim& claim : claims) mine += claim.what + '\0' + claim.value + '\0';
  const Gathered& all = bootstrap.all_gather(std::as_bytes(std::span(mine)));
  const std::string_view first = as_text(all[0]);
  if (first == mine) return;
  // All who do not agree with rank 0 find the same two.
  for (RankId peer = 1; peer < all.size(); ++peer) {
    if (as_text(all[peer]) != first) refuse_claims(peer, as_text(all[peer]), first);
  }
}

}  // namespace aqueduct::job
