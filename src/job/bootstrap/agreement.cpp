#include "job/bootstrap/agreement.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/fatal.hpp"

namespace aqueduct::job {
namespace {

std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Removes and returns the first of several texts, each of which ends with a zero.
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

std::optional<OtherRemark> agree(Bootstrap& bootstrap, std::span<const Claim> claims, std::uint64_t* least,
                                 const Remark& remark) {
  // A row holds the number, the claims and the remark; ranks that agree have the same claims.
  std::string mine;
  for (const Claim& claim : claims) mine += claim.what + '\0' + claim.value + '\0';
  std::uint64_t number = least ? *least : 0;
  std::string row(reinterpret_cast<const char*>(&number), sizeof number);
  row += mine + remark.value + '\0' + remark.shown + '\0';
  const Gathered& all = bootstrap.all_gather(std::as_bytes(std::span(row)));
  const auto texts_of = [&](RankId peer) {
    const std::string_view text = as_text(all[peer]);
    return text.substr(std::min(text.size(), sizeof number));
  };
  const auto agrees = [&](RankId peer) { return texts_of(peer).substr(0, mine.size()) == mine; };
  if (!agrees(0)) {
    // All ranks that differ from rank 0 find the same pair.
    for (RankId peer = 1; peer < all.size(); ++peer) {
      if (texts_of(peer).substr(0, mine.size()) != texts_of(0).substr(0, mine.size()))
        refuse_claims(peer, texts_of(peer), texts_of(0));
    }
  }
  for (RankId peer = 0; least && peer < all.size(); ++peer) {
    if (!agrees(peer)) refuse_claims(peer, texts_of(peer), texts_of(0));
    std::memcpy(&number, all[peer].data(), sizeof number);
    *least = std::min(*least, number);
  }
  for (RankId peer = 1; bootstrap.rank() == 0 && !remark.value.empty() && peer < all.size(); ++peer) {
    std::string_view rest = texts_of(peer).substr(std::min(texts_of(peer).size(), mine.size()));
    OtherRemark other{peer, {std::string(take_text(rest)), std::string(take_text(rest))}};
    if (!other.remark.value.empty() && other.remark.value != remark.value) return other;
  }
  return std::nullopt;
}

}  // namespace aqueduct::job
