#include "gasnet_tools/diagnostics/network.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "aqueduct/sim.h"
#include "gasnet_tools.h"
#include "gasnet_tools/diagnostics/parts.hpp"

namespace aqueduct::gasnet_tools::diagnostics {
namespace {

constexpr int kMostThreads = 16;
constexpr std::size_t kSegmentBytes = std::size_t{64} << 10;
constexpr std::size_t kPayloadBytes = 512;  // what every conduit can carry

/// Replies to the messages of one thread. Handlers run wherever a thread polls.
struct Answers {
  gasnett_atomic_t count = gasnett_atomic_init(0);
  gasnett_atomic_t wrong = gasnett_atomic_init(0);
};
/// Of the calling rank. Simulated ranks share a process, and one thread.
Answers* answers() {
  static Answers own[kMostThreads];
  if (aqueduct_sim_active() == 0) return own;
  static auto& of_ranks = *new std::map<gex_Rank_t, std::array<Answers, kMostThreads>>;
  return of_ranks[gex_System_QueryJobRank()].data();
}

enum Handler { kShortRequest, kShortReply, kMediumRequest, kMediumReply, kHandlers };
gex_AM_Index_t index_of(Handler handler);

gex_AM_Arg_t expected_answer(gex_AM_Arg_t question) { return 3 * question + 1; }

void answer(gex_AM_Arg_t thread, bool right) {
  Answers& mine = answers()[thread];
  if (!right) gasnett_atomic_increment(&mine.wrong, 0);
  gasnett_atomic_increment(&mine.count, GASNETT_ATOMIC_REL);
}

gex_AM_Arg_t checksum_of(const void* payload, std::size_t bytes) {
  return static_cast<gex_AM_Arg_t>(gasnett_checksum(payload, static_cast<int>(bytes)) & 0x7fffffff);
}

extern "C" {

void diagnose_short_request(gex_Token_t token, gex_AM_Arg_t thread, gex_AM_Arg_t question) {
  gex_AM_ReplyShort3(token, index_of(kShortReply), 0, thread, question, expected_answer(question));
}
void diagnose_short_reply(gex_Token_t, gex_AM_Arg_t thread, gex_AM_Arg_t question, gex_AM_Arg_t result) {
  answer(thread, result == expected_answer(question));
}
void diagnose_medium_request(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t thread,
                             gex_AM_Arg_t checksum) {
  const bool right = checksum_of(payload, bytes) == checksum;
  gex_AM_ReplyMedium3(token, index_of(kMediumReply), payload, bytes, GEX_EVENT_NOW, 0, thread, checksum,
                      right);
}
void diagnose_medium_reply(gex_Token_t, void* payload, std::size_t bytes, gex_AM_Arg_t thread,
                           gex_AM_Arg_t checksum, gex_AM_Arg_t right) {
  answer(thread, right && checksum_of(payload, bytes) == checksum);
}

}  // extern "C"

#define AQ_HANDLER(function, flags, arguments) \
  { 0, reinterpret_cast<gex_AM_Fn_t>(function), (flags), (arguments), nullptr, #function }
gex_AM_Entry_t table[kHandlers] = {
    AQ_HANDLER(diagnose_short_request, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT, 2),
    AQ_HANDLER(diagnose_short_reply, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_SHORT, 3),
    AQ_HANDLER(diagnose_medium_request, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 2),
    AQ_HANDLER(diagnose_medium_reply, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_MEDIUM, 3),
};
#undef AQ_HANDLER

gex_AM_Index_t index_of(Handler handler) { return table[handler].gex_index; }

template <class Work>
void run_callers(const Plan& plan, Work work) {
  const bool may_be_several = gex_System_QueryMaxThreads() > 1 && aqueduct_sim_active() == 0;
  const int count = may_be_several ? std::min(plan.threads, kMostThreads) : 1;
  std::vector<std::thread> others;
  for (int index = 1; index < count; ++index) others.emplace_back(work, index, count);
  work(0, count);
  for (std::thread& other : others) other.join();
}

void all_ranks_get_here(gex_TM_t tm) { gex_Event_Wait(gex_Coll_BarrierNB(tm, 0)); }

}  // namespace

HandlerTable handlers() { return {table, kHandlers}; }

void test_messages(const Plan& plan, const Peer& peer, Report& report) {
  if (index_of(kShortRequest) == 0) {
    report.expect(false, "the handlers of gasnett_diagnostic_gethandlers are not registered");
    return;
  }
  for (int thread = 0; thread < kMostThreads; ++thread) {
    gasnett_atomic_set(&answers()[thread].count, 0, 0);
    gasnett_atomic_set(&answers()[thread].wrong, 0, 0);
  }
  all_ranks_get_here(peer.tm);
  run_callers(plan, [&](int thread, int) {
    std::mt19937 random(plan.seed + static_cast<unsigned>(thread));
    unsigned char payload[kPayloadBytes];
    gasnett_atomic_val_t sent = 0;
    for (int iteration = 0; iteration < plan.iterations; ++iteration) {
      const auto question = static_cast<gex_AM_Arg_t>(random() % 1'000'000);
      gex_AM_RequestShort2(peer.tm, peer.rank, index_of(kShortRequest), 0, thread, question);
      const std::size_t bytes = random() % (sizeof payload + 1);
      for (std::size_t at = 0; at < bytes; ++at) payload[at] = static_cast<unsigned char>(random());
      gex_AM_RequestMedium2(peer.tm, peer.rank, index_of(kMediumRequest), payload, bytes, GEX_EVENT_NOW, 0,
                            thread, checksum_of(payload, bytes));
      sent += 2;
    }
    Answers& mine = answers()[thread];
    GASNET_BLOCKUNTIL(gasnett_atomic_read(&mine.count, GASNETT_ATOMIC_ACQ) == sent);
    report.expect(gasnett_atomic_read(&mine.wrong, 0) == 0, "%u of %u replies are wrong",
                  gasnett_atomic_read(&mine.wrong, 0), sent);
  });
  all_ranks_get_here(peer.tm);
}

void test_put_and_get(const Plan& plan, const Peer& peer, Report& report) {
  all_ranks_get_here(peer.tm);
  run_callers(plan, [&](int thread, int threads) {
    std::mt19937 random(plan.seed + static_cast<unsigned>(thread));
    // Each thread has a part of the peer's segment to itself.
    const std::size_t room = kSegmentBytes / static_cast<std::size_t>(threads);
    unsigned char* base = static_cast<unsigned char*>(peer.segment) + room * static_cast<std::size_t>(thread);
    std::vector<unsigned char> out(room), in(room);
    for (int iteration = 0; iteration < plan.iterations; ++iteration) {
      const std::size_t bytes = 1 + random() % (iteration % 2 ? 64 : room);
      unsigned char* target = base + random() % (room - bytes + 1);
      for (std::size_t at = 0; at < bytes; ++at) out[at] = static_cast<unsigned char>(random());
      std::memset(in.data(), 0, bytes);
      gex_RMA_PutBlocking(peer.tm, peer.rank, target, out.data(), bytes, 0);
      gex_RMA_GetBlocking(peer.tm, in.data(), peer.rank, target, bytes, 0);
      report.expect(std::memcmp(out.data(), in.data(), bytes) == 0,
                    "%zu bytes did not come back as they went", bytes);
      gex_Event_Wait(gex_RMA_PutNB(peer.tm, peer.rank, target, in.data(), bytes, GEX_EVENT_DEFER, 0));
      gex_Event_Wait(gex_RMA_GetNB(peer.tm, out.data(), peer.rank, target, bytes, 0));
      report.expect(std::memcmp(out.data(), in.data(), bytes) == 0, "%zu bytes did not come back by NB",
                    bytes);
    }
  });
  all_ranks_get_here(peer.tm);
}

void test_barriers(const Plan& plan, const Peer& peer, Report& report) {
  for (int iteration = 0; iteration < std::min(plan.iterations, 100); ++iteration)
    all_ranks_get_here(peer.tm);
  const int agreed = static_cast<int>(plan.seed & 0xffff);
  report.expect(gasnet_barrier(agreed, 0) == GASNET_OK, "a named barrier failed");
  int name = 0;
  report.expect(gasnet_barrier_result(&name) == 0 && name == agreed, "the barrier's name is %d, not %d", name,
                agreed);
  const int mine = static_cast<int>(gex_System_QueryJobRank());
  const int expected = gex_System_QueryJobSize() > 1 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
  report.expect(gasnet_barrier(mine, 0) == expected, "different names were not noticed");
}

}  // namespace aqueduct::gasnet_tools::diagnostics
