// Programs that use the interface wrongly: `misuse NAME` makes the mistake of that name on rank 0.
//
// Before the wrong call the program prints "wrong call in line N", so that the reader can compare it with the
// position in the message. It must never reach the end: if the mistake goes unnoticed it prints "unnoticed"
// and ends with 0.
#include <gasnet.h>
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>
#include <gasnetex.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace {

gex_Client_t client;
gex_EP_t ep;
gex_TM_t world;
gex_Segment_t segment;
gex_Rank_t me, ranks;
constexpr std::size_t kSegment = 1 << 20;
char buffer[4096];

// Looked up in advance, because a debug client is told the position of its latest call: the segment of the
// last rank, and the limits.
char* there = nullptr;
char* after_end = nullptr;
std::size_t most_medium = 0, most_long = 0;
volatile std::size_t wrapping_length = SIZE_MAX - 4;  // volatile, or the compiler would warn of it

void say_line(int line) {
  std::printf("wrong call in line %d\n", line);
  std::fflush(stdout);
}
#define WRONG(call) (say_line(__LINE__), call)

gex_AM_Index_t quiet_index, reply_index, twice_index, asks_index, replies_to_reply_index, medium_index,
    polls_index, barrier_index, asks_in_reply_index, oversized_reply_index, waits_index,
    leads_to_asking_index, leads_to_replying_index, keep_index, does_index, replies_locked_index,
    keeps_lock_index;
gex_Token_t kept_token = nullptr;

void on_quiet(gex_Token_t, gex_AM_Arg_t) {}
void on_medium(gex_Token_t, void*, size_t) {}
void on_reply(gex_Token_t, gex_AM_Arg_t) {}
void on_twice(gex_Token_t token, gex_AM_Arg_t a) {
  gex_AM_ReplyShort1(token, reply_index, 0, a);
  WRONG(gex_AM_ReplyShort1(token, reply_index, 0, a));
}
void on_asks(gex_Token_t, gex_AM_Arg_t) { WRONG(gex_AM_RequestShort1(world, 0, quiet_index, 0, 1)); }
void on_replies_to_reply(gex_Token_t token, gex_AM_Arg_t a) {
  WRONG(gex_AM_ReplyShort1(token, reply_index, 0, a));
}
void on_asks_in_reply(gex_Token_t, gex_AM_Arg_t) { WRONG(gex_AM_RequestShort1(world, 0, quiet_index, 0, 1)); }
void on_polls(gex_Token_t, gex_AM_Arg_t) { WRONG(gasnet_AMPoll()); }
void on_barrier(gex_Token_t, gex_AM_Arg_t) { WRONG(gex_Coll_BarrierBlocking(world, 0)); }
void on_waits(gex_Token_t, gex_AM_Arg_t) { WRONG(gex_NBI_Wait(GEX_EC_ALL, 0)); }
void on_oversized_reply(gex_Token_t token, gex_AM_Arg_t) {
  static std::vector<char> large(most_medium + 1);
  WRONG(gex_AM_ReplyMedium0(token, medium_index, large.data(), large.size(), GEX_EVENT_NOW, 0));
}
// These answer correctly, to a handler that then sends what it may not.
void on_leads_to_asking(gex_Token_t token, gex_AM_Arg_t a) {
  gex_AM_ReplyShort1(token, asks_in_reply_index, 0, a);
}
void on_leads_to_replying(gex_Token_t token, gex_AM_Arg_t a) {
  gex_AM_ReplyShort1(token, replies_to_reply_index, 0, a);
}
void on_keep(gex_Token_t token, gex_AM_Arg_t) { kept_token = token; }

// What a handler does that may do little, and whoever holds a lock too.
gex_HSL_t a_lock = GEX_HSL_INITIALIZER;
void (*what_to_do)() = nullptr;
void on_does(gex_Token_t, gex_AM_Arg_t) { what_to_do(); }
void on_replies_locked(gex_Token_t token, gex_AM_Arg_t a) {
  gex_HSL_Lock(&a_lock);
  WRONG(gex_AM_ReplyShort1(token, reply_index, 0, a));
}
void on_keeps_lock(gex_Token_t, gex_AM_Arg_t) { WRONG(gex_HSL_Lock(&a_lock)); }

void register_handlers() {
  const gex_Flags_t request = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST,
                    reply = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY;
#define FN(f) reinterpret_cast<gex_AM_Fn_t>(&f)
  gex_AM_Entry_t table[] = {
      {0, FN(on_quiet), request, 1, nullptr, "quiet"},
      {0, FN(on_reply), reply, 1, nullptr, "reply"},
      {0, FN(on_twice), request, 1, nullptr, "twice"},
      {0, FN(on_asks), request, 1, nullptr, "asks"},
      {0, FN(on_replies_to_reply), reply, 1, nullptr, "replies_to_reply"},
      {0, FN(on_medium), GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQREP, 0, nullptr, "medium"},
      {0, FN(on_polls), request, 1, nullptr, "polls"},
      {0, FN(on_barrier), request, 1, nullptr, "barrier"},
      {0, FN(on_asks_in_reply), reply, 1, nullptr, "asks_in_reply"},
      {0, FN(on_oversized_reply), request, 1, nullptr, "oversized_reply"},
      {0, FN(on_waits), request, 1, nullptr, "waits"},
      {0, FN(on_leads_to_asking), request, 1, nullptr, "leads_to_asking"},
      {0, FN(on_leads_to_replying), request, 1, nullptr, "leads_to_replying"},
      {0, FN(on_keep), request, 1, nullptr, "keep"},
      {0, FN(on_does), request, 1, nullptr, "does"},
      {0, FN(on_replies_locked), request, 1, nullptr, "replies_locked"},
      {0, FN(on_keeps_lock), request, 1, nullptr, "keeps_lock"},
  };
  gex_EP_RegisterHandlers(ep, table, sizeof table / sizeof *table);
  gex_AM_Index_t* indices[] = {&quiet_index,
                               &reply_index,
                               &twice_index,
                               &asks_index,
                               &replies_to_reply_index,
                               &medium_index,
                               &polls_index,
                               &barrier_index,
                               &asks_in_reply_index,
                               &oversized_reply_index,
                               &waits_index,
                               &leads_to_asking_index,
                               &leads_to_replying_index,
                               &keep_index,
                               &does_index,
                               &replies_locked_index,
                               &keeps_lock_index};
  for (std::size_t i = 0; i < sizeof table / sizeof *table; ++i) *indices[i] = table[i].gex_index;
}

// Serves others until one of them has ended the job. The mistake went unnoticed if that takes long.
void poll_for_a_while() {
  for (const time_t end = time(nullptr) + 60; time(nullptr) < end;) {
    gasnet_AMPoll();
    sched_yield();
  }
}

void ask(gex_AM_Index_t handler, gex_Rank_t rank) {
  gex_AM_RequestShort1(world, rank, handler, 0, 1);
  poll_for_a_while();
}

// Atomics and non-contiguous memory.
std::uint64_t word;
const std::ptrdiff_t kForwards[] = {16}, kBackwards[] = {-16};
const std::size_t kTwenty[] = {20};
// In parentheses: a debug client is not told of this call, but of the one that it is for.
gex_AD_t domain(gex_DT_t type, gex_OP_t ops) {
  gex_AD_t made;
  (gex_AD_Create)(&made, world, type, ops, 0);
  return made;
}

// In a handler on this rank, which is where `what_to_do` is known.
void in_handler(void (*what)()) {
  what_to_do = what;
  gex_AM_RequestShort1(world, 0, does_index, 0, 1);
  poll_for_a_while();
}
void with_lock_held(void (*what)()) {
  gex_HSL_Lock(&a_lock);
  what();
}

struct Case {
  const char* name;
  void (*make_mistake)();
};
gex_Rank_t last() { return ranks - 1; }

gex_AM_SrcDesc_t prepare(std::size_t bytes) {
  return gex_AM_PrepareRequestMedium(world, last(), nullptr, bytes, bytes, nullptr, 0, 0);
}

const Case kCases[] = {
    {"handler_index_below_client_range",
     [] {
       WRONG(gex_AM_RequestShort1(world, last(), 5, 0, 1));
       poll_for_a_while();
     }},
    {"handler_not_registered",
     [] {
       WRONG(gex_AM_RequestShort1(world, last(), 130, 0, 1));
       poll_for_a_while();
     }},
    {"handler_of_other_category",
     [] {
       WRONG(gex_AM_RequestMedium1(world, last(), quiet_index, buffer, 8, GEX_EVENT_NOW, 0, 1));
       poll_for_a_while();
     }},
    {"handler_for_replies_only",
     [] {
       WRONG(gex_AM_RequestShort1(world, last(), reply_index, 0, 1));
       poll_for_a_while();
     }},
    {"other_number_of_arguments",
     [] {
       WRONG(gex_AM_RequestShort2(world, last(), quiet_index, 0, 1, 2));
       poll_for_a_while();
     }},
    {"legacy_put_by_another_client", [] { WRONG(gasnet_put(0, there, buffer, 8)); }},
    {"legacy_request_by_another_client", [] { WRONG(gasnet_AMRequestShort1(0, quiet_index, 1)); }},
    {"request_from_request_handler", [] { ask(asks_index, last()); }},
    {"request_from_reply_handler", [] { ask(leads_to_asking_index, last()); }},
    {"reply_twice", [] { ask(twice_index, last()); }},
    {"reply_from_reply_handler", [] { ask(leads_to_replying_index, last()); }},
    {"reply_after_the_handler",
     [] {
       gex_AM_RequestShort1(world, 0, keep_index, 0, 1);
       GASNET_BLOCKUNTIL(kept_token);
       WRONG(gex_AM_ReplyShort1(kept_token, reply_index, 0, 1));
     }},
    {"poll_in_handler", [] { ask(polls_index, last()); }},
    {"barrier_in_handler", [] { ask(barrier_index, last()); }},
    {"wait_in_handler", [] { ask(waits_index, last()); }},
    {"medium_payload_over_limit",
     [] {
       const std::vector<char> large(most_medium + 1);
       const auto [from, bytes] = std::pair(large.data(), large.size());
       WRONG(gex_AM_RequestMedium0(world, last(), medium_index, from, bytes, GEX_EVENT_NOW, 0));
     }},
    {"reply_payload_over_limit", [] { ask(oversized_reply_index, last()); }},
    {"long_payload_over_limit",
     [] {
       const std::size_t bytes = most_long + 1;
       WRONG(gex_AM_RequestLong0(world, last(), medium_index, buffer, bytes, there, GEX_EVENT_NOW, 0));
     }},
    {"short_to_rank_outside", [] { WRONG(gex_AM_RequestShort1(world, ranks, quiet_index, 0, 1)); }},
    {"medium_to_rank_outside",
     [] { WRONG(gex_AM_RequestMedium0(world, ranks, medium_index, buffer, 8, GEX_EVENT_NOW, 0)); }},
    {"long_to_rank_outside",
     [] {
       WRONG(gex_AM_RequestLong0(world, GEX_RANK_INVALID, medium_index, buffer, 8, there, GEX_EVENT_NOW, 0));
     }},
    {"put_to_rank_outside", [] { WRONG(gex_RMA_PutBlocking(world, ranks, there, buffer, 8, 0)); }},
    {"get_from_rank_outside", [] { WRONG(gex_RMA_GetBlocking(world, buffer, ranks + 7, there, 8, 0)); }},
    {"value_to_rank_outside", [] { WRONG(gex_RMA_PutBlockingVal(world, ranks, there, 1, 8, 0)); }},
    {"put_outside_segment", [] { WRONG(gex_RMA_PutBlocking(world, last(), after_end, buffer, 8, 0)); }},
    {"put_across_end_of_segment",
     [] { WRONG(gex_RMA_PutBlocking(world, last(), after_end - 7, buffer, 8, 0)); }},
    {"put_before_segment", [] { WRONG(gex_RMA_PutBlocking(world, last(), there - 1, buffer, 8, 0)); }},
    {"put_with_length_that_wraps",
     [] { WRONG(gex_RMA_PutBlocking(world, last(), there + 8, buffer, wrapping_length, 0)); }},
    {"put_nb_outside_segment",
     [] { WRONG(gex_Event_Wait(gex_RMA_PutNB(world, last(), after_end, buffer, 8, GEX_EVENT_DEFER, 0))); }},
    {"put_nbi_outside_segment",
     [] { WRONG(gex_RMA_PutNBI(world, last(), after_end, buffer, 8, GEX_EVENT_DEFER, 0)); }},
    {"get_outside_segment", [] { WRONG(gex_RMA_GetBlocking(world, buffer, last(), after_end, 8, 0)); }},
    {"get_nb_across_end_of_segment",
     [] { WRONG(gex_Event_Wait(gex_RMA_GetNB(world, buffer, last(), after_end - 1, 2, 0))); }},
    {"value_outside_segment", [] { WRONG(gex_RMA_PutBlockingVal(world, last(), after_end - 3, 1, 4, 0)); }},
    {"get_value_outside_segment", [] { WRONG((void)gex_RMA_GetBlockingVal(world, last(), nullptr, 8, 0)); }},
    {"long_outside_segment",
     [] {
       WRONG(gex_AM_RequestLong0(world, last(), medium_index, buffer, 8, after_end - 4, GEX_EVENT_NOW, 0));
     }},
    {"value_of_nine_bytes", [] { WRONG(gex_RMA_PutBlockingVal(world, last(), there, 1, 9, 0)); }},
    {"value_of_no_bytes", [] { WRONG((void)gex_RMA_GetBlockingVal(world, last(), there, 0, 0)); }},
    {"message_with_deferred_completion",
     [] { WRONG(gex_AM_RequestMedium0(world, last(), medium_index, buffer, 8, GEX_EVENT_DEFER, 0)); }},
    {"wait_for_no_op", [] { WRONG(gex_Event_Wait(GEX_EVENT_NO_OP)); }},
    {"barrier_wait_without_notify", [] { WRONG(gasnet_barrier_wait(1, 0)); }},
    {"barrier_notify_twice",
     [] {
       gasnet_barrier_notify(1, 0);
       WRONG(gasnet_barrier_notify(1, 0));
     }},
    {"nested_access_regions",
     [] {
       gex_NBI_BeginAccessRegion(0);
       WRONG(gex_NBI_BeginAccessRegion(0));
     }},
    {"access_region_ended_twice", [] { WRONG((void)gex_NBI_EndAccessRegion(0)); }},
    {"implicit_wait_in_access_region",
     [] {
       gex_NBI_BeginAccessRegion(0);
       WRONG(gex_NBI_Wait(GEX_EC_ALL, 0));
     }},
    {"strided_put_in_handler",
     [] {
       in_handler([] {
         WRONG(gex_VIS_StridedPutNBI(world, 0, there, kForwards, buffer, kForwards, 8, kTwenty, 1, 0));
       });
     }},
    {"broadcast_in_handler",
     [] { in_handler([] { WRONG(gex_Event_Wait(gex_Coll_BroadcastNB(world, 0, buffer, buffer, 8, 0))); }); }},
    {"split_in_handler",
     [] {
       static gex_TM_t made;
       in_handler([] { WRONG(gex_TM_Split(&made, world, 0, 0, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH)); });
     }},
    {"prepare_in_handler",
     [] {
       in_handler([] { WRONG((void)gex_AM_PrepareRequestMedium(world, 0, nullptr, 8, 8, nullptr, 0, 0)); });
     }},
    {"events_test_in_handler",
     [] {
       static gex_Event_t none = GEX_EVENT_INVALID;
       in_handler([] { WRONG((void)gex_Event_TestAll(&none, 1, 0)); });
     }},
    {"event_test_in_handler", [] { in_handler([] { WRONG((void)gex_Event_Test(GEX_EVENT_INVALID)); }); }},
    {"attach_in_handler",
     [] {
       static gex_Segment_t made;
       in_handler([] { WRONG(gex_Segment_Attach(&made, world, kSegment)); });
     }},
    {"bind_in_handler", [] { in_handler([] { WRONG(gex_EP_BindSegment(ep, segment, 0)); }); }},
    {"publish_in_handler", [] { in_handler([] { WRONG(gex_EP_PublishBoundSegment(world, &ep, 1, 0)); }); }},
    {"register_in_handler",
     [] {
       static gex_AM_Entry_t entry{0, FN(on_quiet), GEX_FLAG_AM_SHORT, 1, nullptr, "late"};
       in_handler([] { WRONG(gex_EP_RegisterHandlers(ep, &entry, 1)); });
     }},
    {"domain_in_handler",
     [] {
       static gex_AD_t made;
       in_handler([] { WRONG(gex_AD_Create(&made, world, GEX_DT_U64, GEX_OP_ADD, 0)); });
     }},
    {"named_barrier_in_handler", [] { in_handler([] { WRONG(gasnet_barrier_notify(1, 0)); }); }},
    {"access_region_in_handler", [] { in_handler([] { WRONG(gex_NBI_BeginAccessRegion(0)); }); }},
    {"lock_taken_twice",
     [] {
       gex_HSL_t lock = GEX_HSL_INITIALIZER;
       gex_HSL_Lock(&lock);
       WRONG(gex_HSL_Lock(&lock));
     }},
    {"unlock_of_a_free_lock",
     [] {
       gex_HSL_t lock = GEX_HSL_INITIALIZER;
       WRONG(gex_HSL_Unlock(&lock));
     }},
    {"atomic_on_unaligned_address",
     [] {
       const gex_AD_t ad = domain(GEX_DT_U64, GEX_OP_FADD);
       WRONG(gex_AD_OpNBI_U64(ad, &word, last(), there + 4, GEX_OP_FADD, 1, 0, 0));
     }},
    {"atomic_outside_segment",
     [] {
       const gex_AD_t ad = domain(GEX_DT_U64, GEX_OP_ADD);
       WRONG(gex_AD_OpNBI_U64(ad, nullptr, last(), after_end, GEX_OP_ADD, 1, 0, 0));
     }},
    {"atomic_operation_not_in_domain",
     [] {
       const gex_AD_t ad = domain(GEX_DT_U64, GEX_OP_ADD | GEX_OP_GET);
       WRONG(gex_AD_OpNBI_U64(ad, &word, last(), there, GEX_OP_FADD, 1, 0, 0));
     }},
    {"atomic_of_two_operations",
     [] {
       const gex_AD_t ad = domain(GEX_DT_U64, GEX_OP_ADD | GEX_OP_SUB);
       WRONG(gex_AD_OpNBI_U64(ad, nullptr, last(), there, GEX_OP_ADD | GEX_OP_SUB, 1, 0, 0));
     }},
    {"atomic_of_another_type",
     [] {
       const gex_AD_t ad = domain(GEX_DT_I64, GEX_OP_ADD);
       WRONG(gex_Event_Wait(gex_AD_OpNB_DBL(ad, nullptr, last(), there, GEX_OP_ADD, 1, 0, 0)));
     }},
    {"atomic_on_rank_outside",
     [] {
       const gex_AD_t ad = domain(GEX_DT_I32, GEX_OP_ADD);
       WRONG(gex_AD_OpNBI_I32(ad, nullptr, ranks, there, GEX_OP_ADD, 1, 0, 0));
     }},
    {"bitwise_domain_of_reals",
     [] {
       gex_AD_t ad;
       WRONG(gex_AD_Create(&ad, world, GEX_DT_DBL, GEX_OP_ADD | GEX_OP_XOR, 0));
     }},
    {"domain_without_type",
     [] {
       gex_AD_t ad;
       WRONG(gex_AD_Create(&ad, world, GEX_DT_USER, GEX_OP_ADD, 0));
     }},
    {"strided_put_outside_segment",
     [] {
       WRONG(gex_VIS_StridedPutBlocking(world, last(), there + 64, kBackwards, buffer, kForwards, 8, kTwenty,
                                        1, 0));
     }},
    {"vector_get_outside_segment",
     [] {
       const gex_Memvec_t from[] = {{there, 8}, {after_end - 4, 8}}, to[] = {{buffer, 16}};
       WRONG(gex_VIS_VectorGetBlocking(world, 1, to, last(), 2, from, 0));
     }},
    {"vector_put_of_different_lengths",
     [] {
       const gex_Memvec_t to[] = {{there, 8}, {there + 100, 8}}, from[] = {{buffer, 15}};
       WRONG(gex_VIS_VectorPutBlocking(world, last(), 2, to, 1, from, 0));
     }},
    {"strided_get_from_rank_outside",
     [] {
       WRONG((void)gex_VIS_StridedGetNB(world, buffer, kForwards, ranks, there, kForwards, 8, kTwenty, 1, 0));
     }},
    {"team_is_no_handle", [] { WRONG(gex_AM_RequestShort1(GEX_TM_INVALID, 0, quiet_index, 0, 1)); }},
    {"request_between_prepare_and_commit",
     [] {
       prepare(64);
       WRONG(gex_AM_RequestShort1(world, last(), quiet_index, 0, 1));
     }},
    {"poll_between_prepare_and_commit",
     [] {
       prepare(64);
       WRONG(gasnet_AMPoll());
     }},
    {"put_between_prepare_and_commit",
     [] {
       prepare(64);
       WRONG(gex_RMA_PutBlocking(world, last(), after_end - 4, buffer, 8, 0));
     }},
    {"prepare_twice",
     [] {
       prepare(64);
       WRONG((void)gex_AM_PrepareRequestMedium(world, last(), nullptr, 8, 8, nullptr, 0, 0));
     }},
    {"least_payload_over_limit",
     [] {
       const std::size_t bytes = most_medium + 1;
       WRONG((void)gex_AM_PrepareRequestMedium(world, last(), nullptr, bytes, bytes, nullptr, 0, 0));
     }},
    {"most_payload_below_least",
     [] { WRONG((void)gex_AM_PrepareRequestMedium(world, last(), nullptr, 8, 7, nullptr, 0, 0)); }},
    {"library_buffer_with_completion",
     [] { WRONG((void)gex_AM_PrepareRequestMedium(world, last(), nullptr, 8, 8, GEX_EVENT_NOW, 0, 0)); }},
    {"client_buffer_without_completion",
     [] { WRONG((void)gex_AM_PrepareRequestMedium(world, last(), buffer, 8, 8, nullptr, 0, 0)); }},
    {"commit_more_than_prepared",
     [] {
       const gex_AM_SrcDesc_t sd = prepare(64);
       WRONG(gex_AM_CommitRequestMedium0(sd, medium_index, 65));
     }},
    {"commit_other_number_of_arguments",
     [] {
       const gex_AM_SrcDesc_t sd = prepare(64);
       WRONG(gex_AM_CommitRequestMedium1(sd, medium_index, 64, 1));
     }},
    {"commit_as_another_category",
     [] {
       const gex_AM_SrcDesc_t sd = prepare(64);
       WRONG(gex_AM_CommitRequestLong0(sd, medium_index, 64, there));
     }},
    {"commit_to_another_destination",
     [] {
       const gex_AM_SrcDesc_t sd =
           gex_AM_PrepareRequestLong(world, last(), nullptr, 8, 8, there, nullptr, 0, 0);
       WRONG(gex_AM_CommitRequestLong0(sd, medium_index, 8, there + 8));
     }},
    {"commit_outside_segment",
     [] {
       const gex_AM_SrcDesc_t sd =
           gex_AM_PrepareRequestLong(world, last(), nullptr, 8, 8, nullptr, nullptr, 0, 0);
       WRONG(gex_AM_CommitRequestLong0(sd, medium_index, 8, after_end - 4));
     }},
    {"cancel_twice",
     [] {
       const gex_AM_SrcDesc_t sd = prepare(64);
       gex_AM_CancelRequestMedium(sd, 0);
       WRONG(gex_AM_CancelRequestMedium(sd, 0));
     }},
    {"commit_twice",
     [] {
       const gex_AM_SrcDesc_t sd = prepare(64);
       gex_AM_CommitRequestMedium0(sd, medium_index, 64);
       WRONG(gex_AM_CommitRequestMedium0(sd, medium_index, 64));
     }},
    {"strided_put_between_prepare_and_commit",
     [] {
       prepare(64);
       WRONG(gex_VIS_StridedPutBlocking(world, 0, there, kForwards, buffer, kForwards, 8, kTwenty, 1, 0));
     }},
    {"broadcast_between_prepare_and_commit",
     [] {
       prepare(64);
       WRONG(gex_Event_Wait(gex_Coll_BroadcastNB(world, 0, buffer, buffer, 8, 0)));
     }},
    {"split_with_negative_color",
     [] {
       gex_TM_t made;
       WRONG(gex_TM_Split(&made, world, -1, 0, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH));
     }},
    {"split_without_scratch",
     [] {
       gex_TM_t made;
       WRONG(gex_TM_Split(&made, world, 0, 0, nullptr, 0, 0));
     }},
    {"split_with_scratch_outside_segment",
     [] {
       gex_TM_t made;
       WRONG(gex_TM_Split(&made, world, 0, 0, buffer, sizeof buffer, 0));
     }},
    {"create_without_a_kind_of_scratch",
     [] {
       gex_TM_t made;
       gex_EP_Location_t self{me, 0};
       WRONG(gex_TM_Create(&made, 1, world, &self, 1, nullptr, 0, 0));
     }},
    {"create_for_wrong_number",
     [] {
       gex_TM_t made;
       gex_EP_Location_t self{me, 0};
       WRONG(gex_TM_Create(&made, 2, world, &self, 1, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH));
     }},
    {"destroy_the_world", [] { WRONG(gex_TM_Destroy(world, nullptr, 0)); }},
    {"barrier_over_a_pair",
     [] {
       const gex_TM_t pair = gex_TM_Pair(ep, 0);
       WRONG(gex_Event_Wait(gex_Coll_BarrierNB(pair, 0)));
     }},
    {"pair_with_rank_outside",
     [] {
       const gex_TM_t pair = gex_TM_Pair(ep, 0);
       WRONG(gex_RMA_PutBlocking(pair, ranks, there, buffer, 8, 0));
     }},
    {"pair_without_published_segment",
     [] {
       const gex_TM_t pair = gex_TM_Pair(ep, 7);
       WRONG(gex_RMA_PutBlocking(pair, last(), there, buffer, 8, 0));
     }},
    {"message_to_no_endpoint",
     [] {
       const gex_TM_t pair = gex_TM_Pair(ep, 7);
       WRONG(gex_AM_RequestShort1(pair, last(), quiet_index, 0, 1));
       poll_for_a_while();
     }},
    {"message_from_endpoint_without_them",
     [] {
       gex_EP_t other;
       gex_EP_Create(&other, client, GEX_EP_CAPABILITY_RMA, 0);
       const gex_TM_t pair = gex_TM_Pair(other, 0);
       WRONG(gex_AM_RequestShort1(pair, last(), quiet_index, 0, 1));
     }},
    {"destroy_the_attached_segment", [] { WRONG(gex_Segment_Destroy(segment, 0)); }},
};

// Mistakes that only a debug client is told of: to look for them would cost others time.
// Handles that name nothing: an address where nothing is, and what has been destroyed.
template <class Handle>
Handle wild() {
  return reinterpret_cast<Handle>(std::uintptr_t{0x12345680});
}
gex_TM_t destroyed_team() {
  gex_TM_t made = GEX_TM_INVALID;
  gex_TM_Split(&made, world, 0, 0, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  gex_TM_Destroy(made, nullptr, 0);
  return made;
}
gex_Segment_t destroyed_segment() {
  gex_Segment_t made = GEX_SEGMENT_INVALID;
  gex_Segment_Create(&made, client, buffer, sizeof buffer, GEX_MK_HOST, 0);
  gex_Segment_Destroy(made, 0);
  return made;
}

const Case kDebugCases[] = {
    {"put_to_no_team", [] { WRONG(gex_RMA_PutBlocking(GEX_TM_INVALID, 0, there, buffer, 8, 0)); }},
    {"put_to_wild_team", [] { WRONG(gex_RMA_PutBlocking(wild<gex_TM_t>(), 0, there, buffer, 8, 0)); }},
    {"get_of_destroyed_team",
     [] {
       const gex_TM_t team = destroyed_team();
       WRONG(gex_RMA_GetNBI(team, buffer, 0, there, 8, 0));
     }},
    {"value_to_destroyed_team",
     [] {
       const gex_TM_t team = destroyed_team();
       WRONG(gex_RMA_PutNBIVal(team, 0, there, 1, 8, 0));
     }},
    {"short_to_wild_team", [] { WRONG(gex_AM_RequestShort1(wild<gex_TM_t>(), 0, quiet_index, 0, 1)); }},
    {"medium_to_destroyed_team",
     [] {
       const gex_TM_t team = destroyed_team();
       WRONG(gex_AM_RequestMedium0(team, 0, medium_index, buffer, 8, GEX_EVENT_NOW, 0));
     }},
    {"prepare_to_wild_team",
     [] { WRONG((void)gex_AM_PrepareRequestMedium(wild<gex_TM_t>(), 0, nullptr, 8, 8, nullptr, 0, 0)); }},
    {"rank_in_destroyed_team",
     [] {
       const gex_TM_t team = destroyed_team();
       WRONG((void)gex_TM_QueryRank(team));
     }},
    {"team_destroyed_twice",
     [] {
       const gex_TM_t team = destroyed_team();
       WRONG(gex_TM_Destroy(team, nullptr, 0));
     }},
    {"barrier_of_wild_team", [] { WRONG((void)gex_Coll_BarrierNB(wild<gex_TM_t>(), 0)); }},
    {"broadcast_in_wild_team",
     [] { WRONG((void)gex_Coll_BroadcastNB(wild<gex_TM_t>(), 0, buffer, buffer, 8, 0)); }},
    {"strided_put_to_wild_team",
     [] {
       const std::size_t count[] = {2, 1};
       const std::ptrdiff_t stride[] = {16};
       WRONG(gex_VIS_StridedPutBlocking(wild<gex_TM_t>(), 0, there, stride, buffer, stride, 8, count, 1, 0));
     }},
    {"index_of_wild_endpoint", [] { WRONG((void)gex_EP_QueryIndex(wild<gex_EP_t>())); }},
    {"handlers_of_wild_endpoint",
     [] {
       static gex_AM_Entry_t entry{};
       WRONG(gex_EP_RegisterHandlers(wild<gex_EP_t>(), &entry, 1));
     }},
    {"bind_to_wild_endpoint", [] { WRONG(gex_EP_BindSegment(wild<gex_EP_t>(), segment, 0)); }},
    {"size_of_wild_segment", [] { WRONG((void)gex_Segment_QuerySize(wild<gex_Segment_t>())); }},
    {"size_of_destroyed_segment",
     [] {
       const gex_Segment_t gone = destroyed_segment();
       WRONG((void)gex_Segment_QuerySize(gone));
     }},
    {"segment_destroyed_twice",
     [] {
       const gex_Segment_t gone = destroyed_segment();
       WRONG(gex_Segment_Destroy(gone, 0));
     }},
    {"name_of_wild_client", [] { WRONG((void)gex_Client_QueryName(wild<gex_Client_t>())); }},
    {"endpoint_of_wild_client",
     [] {
       static gex_EP_t made;
       WRONG(gex_EP_Create(&made, wild<gex_Client_t>(), GEX_EP_CAPABILITY_ALL, 0));
     }},
    {"wait_for_wild_event", [] { WRONG(gex_Event_Wait(wild<gex_Event_t>())); }},
    {"test_of_wild_event", [] { WRONG((void)gex_Event_Test(wild<gex_Event_t>())); }},
    {"wait_for_wild_events",
     [] {
       static gex_Event_t events[] = {GEX_EVENT_INVALID, wild<gex_Event_t>()};
       WRONG(gex_Event_WaitAll(events, 2, 0));
     }},
    {"leaf_of_wild_event", [] { WRONG((void)gex_Event_QueryLeaf(wild<gex_Event_t>(), GEX_EC_LC)); }},
    {"put_in_handler", [] { in_handler([] { WRONG(gex_RMA_PutBlocking(world, 0, there, buffer, 8, 0)); }); }},
    {"get_in_handler", [] { in_handler([] { WRONG(gex_RMA_GetNBI(world, buffer, 0, there, 8, 0)); }); }},
    {"value_in_handler",
     [] { in_handler([] { WRONG((void)gex_RMA_GetBlockingVal(world, 0, there, 8, 0)); }); }},
    {"atomic_in_handler",
     [] {
       static const gex_AD_t ad = domain(GEX_DT_U64, GEX_OP_ADD);
       in_handler([] { WRONG(gex_AD_OpNBI_U64(ad, nullptr, 0, there, GEX_OP_ADD, 1, 0, 0)); });
     }},
    {"put_with_lock_held",
     [] { with_lock_held([] { WRONG(gex_RMA_PutBlocking(world, last(), there, buffer, 8, 0)); }); }},
    {"atomic_with_lock_held",
     [] {
       static const gex_AD_t ad = domain(GEX_DT_U64, GEX_OP_ADD);
       with_lock_held([] { WRONG(gex_AD_OpNBI_U64(ad, nullptr, last(), there, GEX_OP_ADD, 1, 0, 0)); });
     }},
    {"request_with_lock_held",
     [] { with_lock_held([] { WRONG(gex_AM_RequestShort1(world, last(), quiet_index, 0, 1)); }); }},
    {"poll_with_lock_held", [] { with_lock_held([] { WRONG(gasnet_AMPoll()); }); }},
    {"wait_with_lock_held", [] { with_lock_held([] { WRONG(gex_NBI_Wait(GEX_EC_ALL, 0)); }); }},
    {"barrier_with_lock_held",
     [] { with_lock_held([] { WRONG(gex_Event_Wait(gex_Coll_BarrierNB(world, 0))); }); }},
    {"strided_put_with_lock_held",
     [] {
       with_lock_held([] {
         WRONG(gex_VIS_StridedPutNBI(world, 0, there, kForwards, buffer, kForwards, 8, kTwenty, 1, 0));
       });
     }},
    {"broadcast_with_lock_held",
     [] {
       with_lock_held([] { WRONG(gex_Event_Wait(gex_Coll_BroadcastNB(world, 0, buffer, buffer, 8, 0))); });
     }},
    {"split_with_lock_held",
     [] {
       static gex_TM_t made;
       with_lock_held([] { WRONG(gex_TM_Split(&made, world, 0, 0, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH)); });
     }},
    {"prepare_with_lock_held",
     [] {
       with_lock_held(
           [] { WRONG((void)gex_AM_PrepareRequestMedium(world, last(), nullptr, 8, 8, nullptr, 0, 0)); });
     }},
    {"event_wait_in_handler", [] { in_handler([] { WRONG(gex_Event_Wait(GEX_EVENT_INVALID)); }); }},
    {"atomic_between_prepare_and_commit",
     [] {
       const gex_AD_t ad = domain(GEX_DT_U64, GEX_OP_ADD);
       prepare(64);
       WRONG(gex_AD_OpNBI_U64(ad, nullptr, last(), there, GEX_OP_ADD, 1, 0, 0));
     }},
    {"commit_of_what_was_not_written",
     [] {
       const gex_AM_SrcDesc_t sd = prepare(200);
       WRONG(gex_AM_CommitRequestMedium0(sd, medium_index, 150));
     }},
    {"commit_with_lock_held",
     [] {
       static const gex_AM_SrcDesc_t sd = prepare(64);
       with_lock_held([] { WRONG(gex_AM_CommitRequestMedium0(sd, medium_index, 64)); });
     }},
    {"request_with_tried_lock_held",
     [] {
       if (gex_HSL_Trylock(&a_lock) != GASNET_OK) return;
       WRONG(gex_AM_RequestShort1(world, last(), quiet_index, 0, 1));
     }},
    {"reply_with_lock_held", [] { ask(replies_locked_index, last()); }},
    {"lock_kept_by_handler", [] { ask(keeps_lock_index, last()); }},
};

// Mistakes that are made before gex_Client_Init.
const Case kEarlyCases[] = {
    {"poll_before_init", [] { WRONG(gasnet_AMPoll()); }},
    {"rank_before_init", [] { WRONG((void)gex_System_QueryJobRank()); }},
    {"barrier_before_init", [] { WRONG(gasnet_barrier_notify(0, 0)); }},
    {"request_before_init", [] { WRONG(gex_AM_RequestShort0(GEX_TM_INVALID, 0, 200, 0)); }},
    {"segment_limit_before_init", [] { WRONG((void)gasnet_getMaxLocalSegmentSize()); }},
};
// Mistakes that are made between gex_Client_Init and gex_Segment_Attach.
const Case kUnattachedCases[] = {
    {"put_before_attach", [] { WRONG(gex_RMA_PutBlocking(world, last(), buffer, buffer + 8, 8, 0)); }},
    {"long_before_attach",
     [] {
       WRONG(gex_AM_RequestLong0(world, last(), medium_index, buffer, 8, buffer + 8, GEX_EVENT_NOW, 0));
     }},
};

template <std::size_t N>
void make(const Case (&cases)[N], const std::string& name) {
  for (const Case& c : cases)
    if (name == c.name) {
      c.make_mistake();
      std::printf("unnoticed: %s\n", c.name);
      std::fflush(stdout);
      gasnet_exit(0);
    }
}

template <std::size_t N>
void list(const Case (&cases)[N]) {
  for (const Case& c : cases) std::puts(c.name);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    list(kEarlyCases), list(kUnattachedCases), list(kCases), list(kDebugCases);
    return 2;
  }
  const std::string name = argv[1];
  // The library is not started, so the launcher's word is taken for which rank this is.
  if (const char* rank = getenv("AQUEDUCT_RANK"); rank && std::strcmp(rank, "0") == 0)
    make(kEarlyCases, name);
  if (gex_Client_Init(&client, &ep, &world, "MISUSE", &argc, &argv, 0) != GASNET_OK) return 3;
  me = gex_TM_QueryRank(world);
  ranks = gex_TM_QuerySize(world);
  register_handlers();
  gasnet_barrier(0, GASNET_BARRIERFLAG_UNNAMED);
  if (me == 0) make(kUnattachedCases, name);
  if (gex_Segment_Attach(&segment, world, kSegment) != GASNET_OK) return 3;
  void* base = nullptr;
  gex_Segment_QueryBound(world, last(), &base, nullptr, nullptr);
  there = static_cast<char*>(base);
  after_end = there + kSegment;
  most_medium = gex_AM_LUBRequestMedium();
  most_long = gex_AM_LUBRequestLong();
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));  // handlers may need what was set above
  if (me == 0) make(kCases, name), make(kDebugCases, name);
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));  // the other ranks wait here, and serve rank 0
  gasnet_exit(0);
}
