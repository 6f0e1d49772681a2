// Random requests, replies, puts and gets. Every rank owns a slice of every other rank's memory, in its
// segment or elsewhere, so that only one rank knows the contents of each slice; it reads them back and
// compares. What was sent is spoiled as soon as its completion is told (sources.hpp).
#include <array>
#include <cstring>
#include <vector>

#include "base/fatal.hpp"
#include "member.hpp"
#include "sources.hpp"

namespace aqueduct::scenarios {
namespace {

constexpr std::size_t kSlice = 8192;
constexpr gex_Rank_t kMostPartners = 16;
constexpr gex_AM_Index_t kAsk = GEX_AM_INDEX_BASE, kAnswer = kAsk + 1, kPost = kAsk + 2, kReceipt = kAsk + 3;

struct State {
  std::uint64_t rank = 0;
  std::uint64_t asked = 0, answered = 0, posted = 0, receipts = 0;
};

State& state(gex_Token_t token) { return *static_cast<State*>(Member::state_of(token)); }

void on_ask(gex_Token_t token, gex_AM_Arg_t low, gex_AM_Arg_t high) {
  gex_AM_ReplyShort2(token, kAnswer, 0, high, low);
}
void on_answer(gex_Token_t token, gex_AM_Arg_t high, gex_AM_Arg_t low) {
  if (high != ~low) fatal("random", "an answer brings %d and %d", high, low);
  ++state(token).answered;
}
void on_post(gex_Token_t token, void* block, std::size_t bytes, gex_AM_Arg_t source, gex_AM_Arg_t round) {
  check("random: a request's payload", static_cast<std::byte*>(block), bytes,
        static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(round));
  gex_AM_ReplyMedium1(token, kReceipt, block, bytes, GEX_EVENT_NOW, 0, round);
  spoil(static_cast<std::byte*>(block), bytes);
}
void on_receipt(gex_Token_t token, void* block, std::size_t bytes, gex_AM_Arg_t round) {
  State& mine = state(token);
  check("random: a reply's payload", static_cast<std::byte*>(block), bytes, mine.rank,
        static_cast<std::uint32_t>(round));
  ++mine.receipts;
}

struct Slice {
  gex_Rank_t owner = 0;
  std::byte* there = nullptr;
  Block copy = Block(kSlice);  // what this rank has put there
  gex_Event_t put = GEX_EVENT_INVALID;

  /// The last put is over, and the slice may be read and written.
  void settle() {
    if (put != GEX_EVENT_INVALID) gex_Event_Wait(put);
    put = GEX_EVENT_INVALID;
  }
};

/// Puts what the slice's copy has, in any of the ways in which a put tells when its source is free.
void put(const Member& me, Slice& slice, std::size_t offset, std::size_t bytes, Sources& sources,
         sim::Random& random) {
  slice.settle();
  Sources::Source& from = sources.take(bytes);
  std::memcpy(from.bytes, &slice.copy[offset], bytes);
  std::byte* const there = slice.there + offset;
  if (from.told == Sources::Told::kImplicitly) {
    // Free when the put is over, when that is told together with others, or by itself.
    if (random.below(2) == 0) {
      gex_RMA_PutNBI(me.team(), slice.owner, there, from.bytes, bytes, GEX_EVENT_GROUP, 0);
      sources.sent(from, GEX_EC_LC);
      gex_NBI_Wait(GEX_EC_PUT, 0);
    } else {
      gex_RMA_PutNBI(me.team(), slice.owner, there, from.bytes, bytes, GEX_EVENT_DEFER, 0);
      sources.sent(from, GEX_EC_PUT);
    }
  } else if (random.below(3) == 0) {
    from.told = Sources::Told::kAtReturn;
    gex_RMA_PutBlocking(me.team(), slice.owner, there, from.bytes, bytes, 0);
    sources.sent(from, GEX_EC_PUT);
  } else {
    slice.put = gex_RMA_PutNB(me.team(), slice.owner, there, from.bytes, bytes, from.completion(), 0);
    sources.sent(from, GEX_EC_PUT);
  }
}

enum class Place { kSegment, kElsewhere };

int traffic(const Parameters& parameters, Place place) {
  State mine;
  std::array<gex_AM_Entry_t, 4> handlers{{
      {kAsk, reinterpret_cast<gex_AM_Fn_t>(on_ask), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 2, nullptr,
       "ask"},
      {kAnswer, reinterpret_cast<gex_AM_Fn_t>(on_answer), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 2, nullptr,
       "answer"},
      {kPost, reinterpret_cast<gex_AM_Fn_t>(on_post), GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 2, nullptr,
       "post"},
      {kReceipt, reinterpret_cast<gex_AM_Fn_t>(on_receipt), GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 1,
       nullptr, "receipt"},
  }};
  constexpr std::size_t kSlices = kSlice * kMostPartners;
  const Member me(kSlices + kSlice + Sources::bytes_in_segment(kSlice), &mine, handlers);
  mine.rank = me.rank();
  sim::Random random(parameters.seed, 100, me.rank());
  const gex_Rank_t partners = me.size() < kMostPartners ? me.size() : kMostPartners;
  std::vector<Slice> slices(partners);
  Block elsewhere(place == Place::kElsewhere ? kSlice * kMostPartners : 0);
  const void* const address = elsewhere.data();
  if (place == Place::kElsewhere) std::memcpy(me.mine(), &address, sizeof address);
  me.barrier();
  for (gex_Rank_t i = 0; i < partners; ++i) {
    slices[i].owner = (me.rank() + i) % me.size();
    void* base = me.at(slices[i].owner, 0);
    if (place == Place::kElsewhere)
      gex_RMA_GetBlocking(me.team(), &base, slices[i].owner, base, sizeof base, 0);
    slices[i].there = static_cast<std::byte*>(base) + i * kSlice;
  }

  Block elsewhere_back(kSlice);
  Sources sources(me.mine(kSlices + kSlice), kSlice, random);
  const std::size_t most_medium = std::min(gex_AM_LUBRequestMedium(), kSlice);
  const unsigned rounds = parameters.rounds_or(40);
  for (unsigned round = 0; round < rounds; ++round) {
    me.begin_round(round, rounds);
    const auto which = static_cast<gex_Rank_t>(random.below(partners));
    Slice& slice = slices[which];
    // Half of all transfers are short.
    const std::size_t bytes = 1 + random.below(random.below(2) ? 64 : kSlice);
    const std::size_t offset = random.below(kSlice - bytes + 1);
    std::byte* const there = slice.there + offset;
    switch (random.below(4)) {
      case 0: {
        const auto low = static_cast<gex_AM_Arg_t>(random.next());
        gex_AM_RequestShort2(me.team(), slice.owner, kAsk, 0, low, ~low);
        ++mine.asked;
        break;
      }
      case 1: {
        const std::size_t length = std::min(bytes, most_medium);
        Sources::Source& from = sources.take(length);
        fill(from.bytes, length, me.rank(), round);
        gex_AM_RequestMedium2(me.team(), slice.owner, kPost, from.bytes, length, from.completion(), 0,
                              static_cast<gex_AM_Arg_t>(me.rank()), static_cast<gex_AM_Arg_t>(round));
        sources.sent(from, GEX_EC_AM);
        ++mine.posted;
        break;
      }
      case 2:
        fill(&slice.copy[offset], bytes, me.rank(), round);
        put(me, slice, offset, bytes, sources, random);
        break;
      default: {
        slice.settle();
        std::byte* const back = random.below(2) == 0 ? me.mine(kSlices) : elsewhere_back.data();
        gex_RMA_GetBlocking(me.team(), back, slice.owner, there, bytes, 0);
        for (std::size_t i = 0; i < bytes; ++i) {
          if (back[i] != slice.copy[offset + i]) {
            fatal("random", "byte %zu of a slice at rank %u is not what was put there", offset + i,
                  slice.owner);
          }
        }
      }
    }
  }
  for (Slice& slice : slices) slice.settle();
  sources.finish();
  GASNET_BLOCKUNTIL(mine.answered == mine.asked && mine.receipts == mine.posted);
  me.barrier();
  return 0;
}

}  // namespace

int random_traffic(const Parameters& parameters) { return traffic(parameters, Place::kSegment); }

int everywhere(const Parameters& parameters) { return traffic(parameters, Place::kElsewhere); }

std::vector<Setting> before_everywhere(const Parameters& parameters) {
  sim::Random random(parameters.seed, 101);
  const auto most_borrowed = 1 + random.below(6 * std::uint64_t{parameters.ranks});
  return {{"AQUEDUCT_SEGMENT_EVERYTHING", "1"},
          {"GASNET_FIREHOSE_R", std::to_string(most_borrowed)},
          {"GASNET_FIREHOSE_MAXREGION_SIZE", random.below(2) == 0 ? "8K" : "128K"},
          {"GASNET_PORTAL_MSG_LIMIT", std::to_string(12 + random.below(20))}};
}

}  // namespace aqueduct::scenarios
