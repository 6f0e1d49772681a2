// Many ranks send to one at once, repeatedly: flow control must limit all of them, whatever the sizes of
// buffers, queues and credits. The seed chooses these sizes as well, and who sends how much to whom, so that
// credits are lent, decay and are taken back; an audit follows each phase (credit_books.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/fatal.hpp"
#include "papers/scenarios/credit_books.hpp"
#include "tools/scenarios/member.hpp"

namespace aqueduct::scenarios {
namespace {

using sim::Random;

// Streams of random numbers.
constexpr std::uint64_t kPlan = 101, kMessages = 102, kSettings = 103, kAriesSettings = 104;

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

std::vector<Phase> plan(const Parameters& parameters, gex_Rank_t ranks) {
  Random random(parameters.seed, kPlan);
  const auto any_rank = [&] { return static_cast<gex_Rank_t>(random.below(ranks)); };
  const gex_Rank_t favourite = any_rank();
  const std::size_t most = std::min(parameters.bytes_or(1500), gex_AM_LUBRequestMedium());
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

class Sender {
 public:
  Sender(const Member& me, std::uint64_t seed)
      : me_(me), random_(seed, kMessages, me.rank()), has_long_(me.size() <= kMostRanksWithLong) {}

  /// Returns how many replies will come.
  unsigned send(const Phase& phase) {
    unsigned asked = 0, longs = 0;
    block_.resize(std::max(phase.most_bytes, kPlaceBytes));
    for (unsigned number = 0; number < phase.messages; ++number) {
      const std::uint64_t kind = random_.below(8);
      const auto source = static_cast<gex_AM_Arg_t>(me_.rank());
      const auto label = static_cast<gex_AM_Arg_t>(number);
      asked += number & 1;
      if (kind == 0) {
        gex_AM_RequestShort2(me_.team(), phase.target, kShort, 0, source, label);
      } else if (kind == 1 && has_long_ && longs < kPlaces) {
        const std::size_t bytes = 1 + random_.below(kPlaceBytes);
        fill(block_.data(), bytes, me_.rank(), number);
        const auto back =
            reinterpret_cast<std::uint64_t>(me_.mine((phase.target * kPlaces + longs) * kPlaceBytes));
        gex_AM_RequestLong4(me_.team(), phase.target, kLong, block_.data(), bytes,
                            me_.at(phase.target, (me_.rank() * kPlaces + longs++) * kPlaceBytes),
                            GEX_EVENT_NOW, 0, source, label, static_cast<gex_AM_Arg_t>(back >> 32),
                            static_cast<gex_AM_Arg_t>(back));
      } else {
        const std::size_t bytes = random_.below(phase.most_bytes + 1);
        fill(block_.data(), bytes, me_.rank(), number);
        gex_AM_RequestMedium2(me_.team(), phase.target, kMedium, block_.data(), bytes, GEX_EVENT_NOW, 0,
                              source, label);
      }
    }
    return asked;
  }

 private:
  const Member& me_;
  Random random_;
  bool has_long_;
  Block block_;
};

// Often the smallest possible sizes.
void add_aries_settings(const Parameters& parameters, std::vector<Setting>& settings) {
  Random random(parameters.seed, kAriesSettings);
  const auto number = [&](const char* name, std::uint64_t least, std::uint64_t most) {
    const std::uint64_t value = random.below(3) == 0 ? least : least + random.below(most - least + 1);
    settings.push_back({name, std::to_string(value)});
  };
  const auto word = [&](const char* name, std::initializer_list<const char*> words) {
    settings.push_back({name, words.begin()[random.below(words.size())]});
  };
  number("GASNET_NETWORKDEPTH", 1, 8);
  number("GASNET_NETWORKDEPTH_TOTAL", 1, 12);
  number("GASNET_LONG_DEPTH", 1, 4);
  number("GASNET_NETWORKDEPTH_SPACE", 1, 32 << 10);
  number("GASNET_GNI_NUM_PD", 32, 48);
  number("GASNET_GNI_MEMREG", 1, 6);
  number("GASNET_GNI_PACKEDLONG_CUTOVER", 0, 3072);
  number("GASNET_GNI_AMPOLL_BURST", 1, 6);
  number("GASNET_GNI_AM_RVOUS_BUFFERS", 1, 4);
  number("GASNET_GNI_PUT_FMA_RDMA_CUTOVER", 0, 1023);
  number("GASNET_GNI_PUT_BOUNCE_REGISTER_CUTOVER", 0, 4096);
  word("GASNET_GNI_AM_RVOUS_CUTOVER", {"1", "0", "0"});
  word("GASNET_USE_UDREG", {"0", "1"});
  word("GASNET_GNI_ROUTING_MODE", {"ADAPTIVE_0", "ADAPTIVE_0", "IN_ORDER"});
  word("AQUEDUCT_LONG_PROTOCOL",
       {"reassembly", "reassembly", "ordered", "put-sync-send", "async-chaining", "rendezvous-get"});
}

}  // namespace

std::vector<Setting> before_burst(const Parameters& parameters) {
  books.open(parameters.ranks);
  Random random(parameters.seed, kSettings);
  std::vector<Setting> settings;
  const auto choose = [&](const char* name, std::uint64_t least, std::uint64_t most) {
    settings.push_back({name, std::to_string(least + random.below(most - least + 1))});
  };
  const bool small_chunks = random.below(2) == 0;
  settings.push_back({"GASNET_PORTAL_AM_CHUNK", small_chunks ? "1024" : "2048"});
  settings.push_back({"AQUEDUCT_PORTALS_STAGE", random.below(2) == 0 ? "native" : "firehose"});
  settings.push_back({"GASNET_PORTAL_DYNAMIC_CREDITS", random.below(8) == 0 ? "0" : "1"});
  choose("GASNET_PORTAL_PACKED_LONG", 0, 1);
  choose("GASNET_PORTAL_RB_CHUNKS", 2, 24);
  choose("GASNET_PORTAL_SPARE_BUFFERS", 1, 2);
  choose("GASNET_PORTAL_CRED_PER_NODE", 4, 20);
  choose("GASNET_PORTAL_BANKED_CREDITS", 0, 60);
  choose("GASNET_PORTAL_MAX_CRED_PER_NODE", 20, 100);
  choose("GASNET_PORTAL_EPOCH_DURATION", 2, 60);
  choose("GASNET_PORTAL_SB_CHUNKS", 3, 40);
  choose("GASNET_PORTAL_RPL_CHUNKS", 2, 20);
  choose("GASNET_PORTAL_MSG_LIMIT", 12, 60);
  choose("GASNET_PORTAL_SAFE_LIMIT", 1, 12);
  choose("GASNET_PORTAL_AM_LIMIT", 1, 8);
  const char* const conduit = std::getenv("AQUEDUCT_CONDUIT");
  if (conduit && std::strcmp(conduit, "aries") == 0) add_aries_settings(parameters, settings);
  return settings;
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
  const std::size_t places = parameters.ranks <= kMostRanksWithLong ? parameters.ranks * kPlaces : 1;
  const Member me(places * kPlaceBytes, &mine, handlers);
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
