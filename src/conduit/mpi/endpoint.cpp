#include "conduit/mpi/endpoint.hpp"

#include <algorithm>

#include "conduit/mpi/heads.hpp"

namespace aqueduct::conduit::mpi {
namespace {

// Requests that all peers together may have outstanding here, as long as there are few peers. Of many each
// has kLeast, and borrows from the half that is left.
constexpr unsigned kRequests = 128;
constexpr unsigned kLeast = 4;
constexpr unsigned kSends = 256;
constexpr unsigned kReceives = 64;
const std::size_t kBufferBytes = kMostHeadBytes + kMostCopied;

unsigned credits_for(RankId ranks) {
  if (ranks <= 2) return kRequests;
  return std::max(kLeast, kRequests / 2 / (ranks - 1));
}
unsigned banked_for(RankId ranks) { return ranks <= 2 ? 0 : kRequests / 2; }

}  // namespace

Endpoint::Endpoint(Session& shared, RankId self, RankId ranks, Receiver& client)
    : session(shared),
      rank(self),
      receiver(client),
      credits(ranks, credits_for(ranks), credits_for(ranks) / 2),
      bank(credits, banked_for(ranks)),
      stream(shared, kBufferBytes, kReceives, kSends),
      bulk(shared) {}

std::size_t Endpoint::receive_bytes() { return Stream::receive_bytes(kBufferBytes, kReceives); }

void Endpoint::give_credits_back() {
  for (std::size_t tries = credits.due_peers(); tries != 0; --tries) {
    RankId peer;
    const unsigned count = credits.take_due(&peer);
    if (count == 0) continue;  // something else has taken them along
    Stream::Buffer* const buffer = stream.take();
    const std::byte* const end = parts::encode_brief(buffer->bytes.get(), parts::AmKind::kCredits, {}, count);
    stream.send(buffer, static_cast<std::size_t>(end - buffer->bytes.get()), peer);
  }
}

// A stall costs more than a message, so a sender that is faster than its target takes a quarter of its
// credits at a time. Not more: the target may owe almost half of them (parts/request_credits.hpp).
void Endpoint::stall(RankId target) {
  const unsigned limit = credits.limit(target);
  stalled_on_ = target;
  goes_on_at_ = limit - limit / 4;
  send_word(bank.stalled(target));
}

void Endpoint::send_word(const parts::CreditBank::Letter& letter) {
  if (letter.peer == kNoRank) return;
  Stream::Buffer* const buffer = stream.take();
  const CreditWordHead head{.word = static_cast<std::uint8_t>(letter.word),
                            .count = static_cast<std::uint16_t>(letter.count)};
  std::memcpy(buffer->bytes.get(), &head, sizeof head);
  stream.send(buffer, sizeof head, letter.peer);
}

void Endpoint::take_word(const Stream::Arrival& arrival) {
  CreditWordHead head;
  parts::CreditBank::Letters letters;
  if (!read_head(arrival.bytes(), &head) ||
      !bank.take(arrival.source, static_cast<parts::CreditWord>(head.word), head.count, &letters))
    malformed(arrival.source, "it is no word about credits");
  send_word(letters.first);
  send_word(letters.second);
}

void Endpoint::malformed(RankId source, const char* why) {
  fatal("mpi", "a message from rank %u is malformed: %s", source, why);
}

void Endpoint::say_that_it_is_over(RankId target) {
  fatal("mpi", "rank %u cannot be reached: the program has called MPI_Finalize", target);
}

}  // namespace aqueduct::conduit::mpi
