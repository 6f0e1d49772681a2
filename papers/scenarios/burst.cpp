// Many ranks send to one at once, repeatedly: flow control must limit all of them, whatever the sizes of
// buffers, queues and credits. The seed chooses these sizes as well, and who sends how much to whom, so that
// credits are lent, decay and are taken back; an audit follows each phase (credit_books.hpp). What was sent
// is spoiled as soon as its completion is told (sources.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/fatal.hpp"
#include "papers/scenarios/credit_books.hpp"
#include "papers/scenarios/scarce_settings.hpp"
#include "tools/scenarios/member.hpp"
#include "tools/scenarios/sources.hpp"

namespace aqueduct::scenarios {
namespace {

using sim::Random;

// Streams of random numbers.
constexpr std::uint64_t kPlan = 101, kMessages = 102;

constexpr gex_AM_Index_t kShort = GEX_AM_INDEX_BASE, kMedium = kShort + 1, kLong = kShort + 2,
                         kThanks = kShort + 3, kLongThanks = kShort + 4;

// Each long payload has a separate place at the target, so that it can be checked; many ranks would need too
// many places.
constexpr gex_Rank_t kMostRanksWithLong = 32;
constexpr unsigned kPlaces = 8;  // of a sender
constexpr std::size_t kPlaceBytes = 4096;

CreditBooks books;

struct State {
  std::uint64_t received = 0;
  std::uint64_t thanks = 0;  // replies to requests that ask for one
};

State& state(gex_Token_t token) { return *static_cast<State*>(Member::state_of(token)); }

/// An odd number asks for a reply.
void took(gex_Token_t token, gex_AM_Arg_t number) {
  ++state(token).received;
  if (number & 1) gex_AM_ReplyShort0(token, kThanks, 0);
}

void on_short(gex_Token_t token, gex_AM_Arg_t, gex_AM_Arg_t number) { took(token, number); }
void on_block(gex_Token_t token, void* block, std::size_t bytes, gex_AM_Arg_t source, gex_AM_Arg_t number) {
  check("burst: a request's payload", static_cast<std::byte*>(block), bytes,
        static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(number));
  took(token, number);
  spoil(static_cast<std::byte*>(block), bytes);
}
void on_thanks(gex_Token_t token) { ++state(token).thanks; }
/// Replies with the payload to the place that the message names.
void on_long(gex_Token_t token, void* block, std::size_t bytes, gex_AM_Arg_t source, gex_AM_Arg_t number,
             gex_AM_Arg_t high, gex_AM_Arg_t low) {
  check("burst: a long request's payload", static_cast<std::byte*>(block), bytes,
        static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(number));
  ++state(token).received;
  const std::uint64_t place = static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low);
  if (number & 1)
    gex_AM_ReplyLong2(token, kLongThanks, block, bytes, reinterpret_cast<void*>(place), GEX_EVENT_NOW, 0,
                      source, number);
  spoil(static_cast<std::byte*>(block), bytes);
}
void on_long_thanks(gex_Token_t token, void* block, std::size_t bytes, gex_AM_Arg_t source,
                    gex_AM_Arg_t number) {
  check("burst: a long reply's payload", static_cast<std::byte*>(block), bytes,
        static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(number));
  ++state(token).thanks;
}

/// The work between two audits; the same at all ranks.
struct Phase {
  gex_Rank_t target = 0;
  std::vector<bool> sends;  ///< by rank
  unsigned messages = 0;    ///< of each sender
  std::size_t most_bytes = 0;
};

class Sender {
 public:
  Sender(const Member& me, std::uint64_t seed)
      : me_(me),
        random_(seed, kMessages, me.rank()),
        has_long_(me.size() <= kMostRanksWithLong),
        sources_(me.mine(places_of(me.size()) * kPlaceBytes), kMostBytes, random_) {}

  /// In a segment: the places of Longs, and behind them the sources.
  static std::size_t places_of(gex_Rank_t ranks) { return ranks <= kMostRanksWithLong ? ranks * kPlaces : 1; }
  static std::size_t segment_bytes(gex_Rank_t ranks) {
    return places_of(ranks) * kPlaceBytes + Sources::bytes_in_segment(kMostBytes);
  }
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;  ///< of a payload

  /// Returns how many replies will come.
  unsigned send(const Phase& phase) {
    unsigned asked = 0, longs = 0;
    for (unsigned number = 0; number < phase.messages; ++number) {
      const std::uint64_t kind = random_.below(8);
      const auto source = static_cast<gex_AM_Arg_t>(me_.rank());
      const auto label = static_cast<gex_AM_Arg_t>(number);
      asked += number & 1;
      if (kind == 0) {
        gex_AM_RequestShort2(me_.team(), phase.target, kShort, 0, source, label);
      } else if (kind == 1 && has_long_ && longs < kPlaces) {
        const std::size_t bytes = 1 + random_.below(kPlaceBytes);
        Sources::Source& from = sources_.take(bytes);
        fill(from.bytes, bytes, me_.rank(), number);
        const auto back =
            reinterpret_cast<std::uint64_t>(me_.mine((phase.target * kPlaces + longs) * kPlaceBytes));
        gex_AM_RequestLong4(me_.team(), phase.target, kLong, from.bytes, bytes,
                            me_.at(phase.target, (me_.rank() * kPlaces + longs++) * kPlaceBytes),
                            from.completion(), 0, source, label, static_cast<gex_AM_Arg_t>(back >> 32),
                            static_cast<gex_AM_Arg_t>(back));
        sources_.sent(from, GEX_EC_AM);
      } else {
        const std::size_t bytes = random_.below(phase.most_bytes + 1);
        Sources::Source& from = sources_.take(bytes);
        fill(from.bytes, bytes, me_.rank(), number);
        gex_AM_RequestMedium2(me_.team(), phase.target, kMedium, from.bytes, bytes, from.completion(), 0,
                              source, label);
        sources_.sent(from, GEX_EC_AM);
      }
    }
    sources_.finish();
    return asked;
  }

 private:
  const Member& me_;
  Random random_;
  bool has_long_;
  Sources sources_;
};

std::vector<Phase> plan(const Parameters& parameters, gex_Rank_t ranks) {
  Random random(parameters.seed, kPlan);
  const auto any_rank = [&] { return static_cast<gex_Rank_t>(random.below(ranks)); };
  const gex_Rank_t favourite = any_rank();
  const std::size_t most =
      std::min({parameters.bytes_or(1500), gex_AM_LUBRequestMedium(), Sender::kMostBytes});
  std::vector<Phase> phases(2 + random.below(4));
  for (Phase& phase : phases) {
    phase.target = random.below(4) != 0 ? favourite : any_rank();
    phase.messages = 1 + static_cast<unsigned>(random.below(parameters.rounds_or(32)));
    phase.most_bytes = random.below(3) == 0 ? std::min<std::size_t>(most, 64) : most;
    // All, some, or a single one.
    const std::uint64_t crowd = random.below(4);
    const gex_Rank_t only = any_rank();
    for (gex_Rank_t rank = 0; rank < ranks; ++rank) {
      const bool sends = crowd == 0 ? rank == only : crowd == 1 || random.below(2) == 0;
      phase.sends.push_back(sends && rank != phase.target);
    }
  }
  return phases;
}

}  // namespace

std::vector<Setting> before_burst(const Parameters& parameters) {
  books.open(parameters.ranks);
  return scarce_settings(parameters);
}

std::string burst_findings() {
  if (books.audits() == 0) return "";
  const parts::CreditCounts counts = books.counts();
  return fmt::format(
      "credits       conserved at {} quiet moments: {} stalls, {} credits granted, {} requests for more "
      "refused,\n              {} epochs, {} revocations, {} credits returned\n",
      books.audits(), counts.stalls, counts.granted, counts.refusals, counts.epochs, counts.revocations,
      counts.returned);
}

int burst(const Parameters& parameters) {
  State mine;
  constexpr gex_Flags_t kRequest = GEX_FLAG_AM_REQUEST;
  std::array<gex_AM_Entry_t, 5> handlers{{
      {kShort, reinterpret_cast<gex_AM_Fn_t>(on_short), GEX_FLAG_AM_SHORT | kRequest, 2, nullptr, "short"},
      {kMedium, reinterpret_cast<gex_AM_Fn_t>(on_block), GEX_FLAG_AM_MEDIUM | kRequest, 2, nullptr, "medium"},
      {kLong, reinterpret_cast<gex_AM_Fn_t>(on_long), GEX_FLAG_AM_LONG | kRequest, 4, nullptr, "long"},
      {kThanks, reinterpret_cast<gex_AM_Fn_t>(on_thanks), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, nullptr,
       "thanks"},
      {kLongThanks, reinterpret_cast<gex_AM_Fn_t>(on_long_thanks), GEX_FLAG_AM_LONG | GEX_FLAG_AM_REPLY, 2,
       nullptr, "long thanks"},
  }};
  const Member me(Sender::segment_bytes(parameters.ranks), &mine, handlers);
  books.join();
  Sender sender(me, parameters.seed);
  std::uint64_t expected = 0, replies = 0;
  for (const Phase& phase : plan(parameters, me.size())) {
    if (phase.sends[me.rank()]) replies += sender.send(phase);
    if (phase.target == me.rank()) {
      expected += static_cast<std::uint64_t>(std::ranges::count(phase.sends, true)) * phase.messages;
    }
    GASNET_BLOCKUNTIL(mine.received >= expected && mine.thanks >= replies);
    books.meet();
  }
  me.barrier();
  books.meet();
  if (mine.received != expected || mine.thanks != replies) {
    fatal("burst", "%llu requests and %llu replies came instead of %llu and %llu",
          static_cast<unsigned long long>(mine.received), static_cast<unsigned long long>(mine.thanks),
          static_cast<unsigned long long>(expected), static_cast<unsigned long long>(replies));
  }
  return 0;
}

}  // namespace aqueduct::scenarios
