// Wrong use of the interface ends the job with exactly one line that says what was wrong and, for a client
// that was compiled for debugging, where.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "support/process.hpp"
#include "support/sanitized.hpp"

namespace aqueduct::test {
namespace {

enum Place {
  kAtCall,     // found in the wrong call itself: a debug client is told the line
  kElsewhere,  // found where the message arrives, or in a query that carries no position
};

struct Mistake {
  const char* name;
  const char* says;      // what the line must contain
  const char* function;  // the call that it must name
  Place place = kAtCall;
};

const Mistake kMistakes[] = {
    {"poll_before_init", "before gex_Client_Init", "gasnet_AMPoll"},
    {"rank_before_init", "before gex_Client_Init", "gex_System_QueryJobRank", kElsewhere},
    {"barrier_before_init", "before gex_Client_Init", "gasnet_barrier_notify"},
    {"request_before_init", "", "gex_AM_RequestShort"},
    {"segment_limit_before_init", "before gex_Client_Init", "gasnet_getMaxLocalSegmentSize"},
    {"put_before_attach", "no segment", "gex_RMA_PutBlocking"},
    {"long_before_attach", "segment", "gex_AM_RequestLong"},
    {"handler_index_below_client_range", "handler 5", "", kElsewhere},
    {"handler_not_registered", "handler 130", "", kElsewhere},
    {"handler_of_other_category", "Medium", "", kElsewhere},
    {"handler_for_replies_only", "request", "", kElsewhere},
    {"other_number_of_arguments", "2 arguments", "", kElsewhere},
    {"legacy_put_by_another_client", "need gasnet_init", "gasnet_*"},
    {"legacy_request_by_another_client", "need gasnet_init", "gasnet_*"},
    {"request_from_request_handler", "handler may not send a request", "gex_AM_RequestShort"},
    {"request_from_reply_handler", "handler may not send a request", "gex_AM_RequestShort"},
    {"reply_twice", "replied to already", "gex_AM_ReplyShort"},
    {"reply_from_reply_handler", "reply handler may not reply", "gex_AM_ReplyShort"},
    {"reply_after_the_handler", "token", "gex_AM_ReplyShort"},
    {"poll_in_handler", "in a handler", "gasnet_AMPoll"},
    {"barrier_in_handler", "in a handler", "gex_Coll_BarrierBlocking"},
    {"wait_in_handler", "in a handler", "gex_NBI_Wait"},
    {"medium_payload_over_limit", "the limit is", "gex_AM_RequestMedium"},
    {"reply_payload_over_limit", "the limit is", "gex_AM_ReplyMedium"},
    {"long_payload_over_limit", "the limit is", "gex_AM_RequestLong"},
    {"short_to_rank_outside", "outside the team", "gex_AM_RequestShort"},
    {"medium_to_rank_outside", "outside the team", "gex_AM_RequestMedium"},
    {"long_to_rank_outside", "outside the team", "gex_AM_RequestLong"},
    {"put_to_rank_outside", "outside the team", "gex_RMA_PutBlocking"},
    {"get_from_rank_outside", "outside the team", "gex_RMA_GetBlocking"},
    {"value_to_rank_outside", "outside the team", "gex_RMA_PutBlockingVal"},
    {"put_outside_segment", "outside the segment of rank", "gex_RMA_PutBlocking"},
    {"put_across_end_of_segment", "outside the segment of rank", "gex_RMA_PutBlocking"},
    {"put_before_segment", "outside the segment of rank", "gex_RMA_PutBlocking"},
    {"put_with_length_that_wraps", "outside the segment of rank", "gex_RMA_PutBlocking"},
    {"put_nb_outside_segment", "outside the segment of rank", "gex_RMA_PutNB"},
    {"put_nbi_outside_segment", "outside the segment of rank", "gex_RMA_PutNBI"},
    {"get_outside_segment", "outside the segment of rank", "gex_RMA_GetBlocking"},
    {"get_nb_across_end_of_segment", "outside the segment of rank", "gex_RMA_GetNB"},
    {"value_outside_segment", "outside the segment of rank", "gex_RMA_PutBlockingVal"},
    {"get_value_outside_segment", "outside the segment of rank", "gex_RMA_GetBlockingVal"},
    {"long_outside_segment", "outside the segment of rank", "gex_AM_RequestLong"},
    {"value_of_nine_bytes", "1 to 8 bytes", "gex_RMA_PutBlockingVal"},
    {"value_of_no_bytes", "1 to 8 bytes", "gex_RMA_GetBlockingVal"},
    {"message_with_deferred_completion", "GEX_EVENT_NOW", "gex_AM_RequestMedium"},
    {"wait_for_no_op", "GEX_EVENT_NO_OP", "gex_Event_Wait"},
    {"barrier_wait_without_notify", "gasnet_barrier_notify", "gasnet_barrier_wait"},
    {"barrier_notify_twice", "twice", "gasnet_barrier_notify"},
    {"nested_access_regions", "access region", "gex_NBI_BeginAccessRegion"},
    {"access_region_ended_twice", "access region", "gex_NBI_EndAccessRegion"},
    {"implicit_wait_in_access_region", "access region", "gex_NBI_Wait"},
    {"broadcast_in_handler", "in a handler", "gex_Coll_BroadcastNB"},
    {"split_in_handler", "in a handler", "gex_TM_Split"},
    {"prepare_in_handler", "handler may not send a request", "gex_AM_PrepareRequestMedium"},
    {"events_test_in_handler", "in a handler", "gex_Event_TestAll"},
    {"attach_in_handler", "in a handler", "gex_Segment_Attach"},
    {"bind_in_handler", "in a handler", "gex_EP_BindSegment"},
    {"publish_in_handler", "in a handler", "gex_EP_PublishBoundSegment"},
    {"register_in_handler", "in a handler", "gex_EP_RegisterHandlers"},
    {"domain_in_handler", "in a handler", "gex_AD_Create"},
    {"named_barrier_in_handler", "in a handler", "gasnet_barrier_notify"},
    {"access_region_in_handler", "in a handler", "gex_NBI_BeginAccessRegion"},
    {"lock_taken_twice", "holds the lock already", "gex_HSL_Lock"},
    {"unlock_of_a_free_lock", "does not hold the lock", "gex_HSL_Unlock"},
    {"atomic_on_unaligned_address", "not aligned", "gex_AD_OpNBI_U64"},
    {"atomic_outside_segment", "outside the segment of rank", "gex_AD_OpNBI_U64"},
    {"atomic_operation_not_in_domain", "opcode GEX_OP_FADD", "gex_AD_OpNBI_U64"},
    {"atomic_of_two_operations", "not a single operation", "gex_AD_OpNBI_U64"},
    {"atomic_of_another_type", "created for GEX_DT_I64", "gex_AD_OpNB_DBL"},
    {"atomic_on_rank_outside", "outside the team", "gex_AD_OpNBI_I32"},
    {"bitwise_domain_of_reals", "which GEX_DT_DBL has not", "gex_AD_Create"},
    {"domain_without_type", "not a type of atomics", "gex_AD_Create"},
    {"strided_put_outside_segment", "outside the segment of rank", "gex_VIS_StridedPutBlocking"},
    {"vector_get_outside_segment", "outside the segment of rank", "gex_VIS_VectorGetBlocking"},
    {"vector_put_of_different_lengths", "dstlist has 16 bytes, but srclist 15", "gex_VIS_VectorPutBlocking"},
    {"strided_get_from_rank_outside", "outside the team", "gex_VIS_StridedGetNB"},
    {"team_is_no_handle", "team handle is not valid", "gex_AM_RequestShort"},
    {"request_between_prepare_and_commit", "between a gex_AM_Prepare call", "gex_AM_RequestShort"},
    {"poll_between_prepare_and_commit", "between a gex_AM_Prepare call", "gasnet_AMPoll"},
    {"put_between_prepare_and_commit", "between a gex_AM_Prepare call", "gex_RMA_PutBlocking"},
    {"prepare_twice", "neither committed nor cancelled", "gex_AM_PrepareRequestMedium"},
    {"least_payload_over_limit", "the limit is", "gex_AM_PrepareRequestMedium"},
    {"most_payload_below_least", "less than least_payload", "gex_AM_PrepareRequestMedium"},
    {"library_buffer_with_completion", "lc_opt must be NULL", "gex_AM_PrepareRequestMedium"},
    {"client_buffer_without_completion", "GEX_EVENT_NOW", "gex_AM_PrepareRequestMedium"},
    {"commit_more_than_prepared", "prepared for at most 64", "gex_AM_CommitRequestMedium"},
    {"commit_other_number_of_arguments", "prepared for 0", "gex_AM_CommitRequestMedium"},
    {"commit_as_another_category", "prepared as a Medium request", "gex_AM_CommitRequestLong"},
    {"commit_to_another_destination", "dest_addr", "gex_AM_CommitRequestLong"},
    {"commit_outside_segment", "outside the segment of rank", "gex_AM_CommitRequestLong"},
    {"cancel_twice", "descriptor", "gex_AM_CancelRequestMedium"},
    {"commit_twice", "descriptor", "gex_AM_CommitRequestMedium"},
    {"broadcast_between_prepare_and_commit", "between a gex_AM_Prepare call", "gex_Coll_BroadcastNB"},
    {"split_with_negative_color", "color", "gex_TM_Split"},
    {"split_without_scratch", "GEX_FLAG_TM_NO_SCRATCH", "gex_TM_Split"},
    {"split_with_scratch_outside_segment", "outside the segment", "gex_TM_Split"},
    {"create_without_a_kind_of_scratch", "SCRATCH must be set", "gex_TM_Create"},
    {"create_for_wrong_number", "num_new_tms is 2", "gex_TM_Create"},
    {"destroy_the_world", "cannot be destroyed", "gex_TM_Destroy"},
    {"barrier_over_a_pair", "is no team", "gex_Coll_BarrierNB"},
    {"pair_with_rank_outside", "outside the job", "gex_RMA_PutBlocking"},
    {"pair_without_published_segment", "has been published", "gex_RMA_PutBlocking"},
    {"message_to_no_endpoint", "endpoint 7", "", kElsewhere},
    {"message_from_endpoint_without_them", "GEX_EP_CAPABILITY_AM", "gex_AM_RequestShort"},
    {"destroy_the_attached_segment", "cannot be destroyed", "gex_Segment_Destroy"},
};

// Those that only a debug client is told of.
const Mistake kDebugMistakes[] = {
    {"event_test_in_handler", "in a handler", "gex_Event_Test"},
    {"put_to_no_team", "the team handle is not valid", "gex_RMA_PutBlocking"},
    {"put_to_wild_team", "there is no such team, or no longer", "gex_RMA_PutBlocking"},
    {"get_of_destroyed_team", "there is no such team, or no longer", "gex_RMA_GetNBI"},
    {"value_to_destroyed_team", "there is no such team, or no longer", "gex_RMA_PutNBIVal"},
    {"short_to_wild_team", "there is no such team, or no longer", "gex_AM_RequestShort"},
    {"medium_to_destroyed_team", "there is no such team, or no longer", "gex_AM_RequestMedium"},
    {"prepare_to_wild_team", "there is no such team, or no longer", "gex_AM_PrepareRequestMedium"},
    {"rank_in_destroyed_team", "there is no such team, or no longer", "gex_TM_QueryRank"},
    {"team_destroyed_twice", "there is no such team, or no longer", "gex_TM_Destroy"},
    {"barrier_of_wild_team", "there is no such team, or no longer", "gex_Coll_BarrierNB"},
    {"broadcast_in_wild_team", "there is no such team, or no longer", "gex_Coll_BroadcastNB"},
    {"strided_put_to_wild_team", "there is no such team, or no longer", "gex_VIS_StridedPutBlocking"},
    {"index_of_wild_endpoint", "there is no such endpoint, or no longer", "gex_EP_QueryIndex"},
    {"handlers_of_wild_endpoint", "there is no such endpoint, or no longer", "gex_EP_RegisterHandlers"},
    {"bind_to_wild_endpoint", "there is no such endpoint, or no longer", "gex_EP_BindSegment"},
    {"size_of_wild_segment", "there is no such segment, or no longer", "gex_Segment_QuerySize"},
    {"size_of_destroyed_segment", "there is no such segment, or no longer", "gex_Segment_QuerySize"},
    {"segment_destroyed_twice", "there is no such segment, or no longer", "gex_Segment_Destroy"},
    {"name_of_wild_client", "there is no such client, or no longer", "gex_Client_QueryName"},
    {"endpoint_of_wild_client", "there is no such client, or no longer", "gex_EP_Create"},
    {"wait_for_wild_event", "0x12345680 is not an event", "gex_Event_Wait"},
    {"test_of_wild_event", "0x12345680 is not an event", "gex_Event_Test"},
    {"wait_for_wild_events", "0x12345680 is not an event", "gex_Event_WaitAll"},
    {"leaf_of_wild_event", "0x12345680 is not an event", "gex_Event_QueryLeaf"},
    {"put_in_handler", "in a handler", "gex_RMA_PutBlocking"},
    {"get_in_handler", "in a handler", "gex_RMA_GetNBI"},
    {"value_in_handler", "in a handler", "gex_RMA_GetBlockingVal"},
    {"atomic_in_handler", "in a handler", "gex_AD_OpNBI_U64"},
    {"strided_put_in_handler", "in a handler", "gex_VIS_StridedPutNBI"},
    {"put_with_lock_held", "holds a handler-safe lock", "gex_RMA_PutBlocking"},
    {"atomic_with_lock_held", "holds a handler-safe lock", "gex_AD_OpNBI_U64"},
    {"request_with_lock_held", "holds a handler-safe lock", "gex_AM_RequestShort"},
    {"poll_with_lock_held", "holds a handler-safe lock", "gasnet_AMPoll"},
    {"wait_with_lock_held", "holds a handler-safe lock", "gex_NBI_Wait"},
    {"barrier_with_lock_held", "holds a handler-safe lock", "gex_Coll_BarrierNB"},
    {"strided_put_with_lock_held", "holds a handler-safe lock", "gex_VIS_StridedPutNBI"},
    {"broadcast_with_lock_held", "holds a handler-safe lock", "gex_Coll_BroadcastNB"},
    {"split_with_lock_held", "holds a handler-safe lock", "gex_TM_Split"},
    {"prepare_with_lock_held", "holds a handler-safe lock", "gex_AM_PrepareRequestMedium"},
    {"event_wait_in_handler", "in a handler", "gex_Event_Wait"},
    {"atomic_between_prepare_and_commit", "between a gex_AM_Prepare call", "gex_AD_OpNBI_U64"},
    {"strided_put_between_prepare_and_commit", "between a gex_AM_Prepare call", "gex_VIS_StridedPutBlocking"},
    {"commit_of_what_was_not_written", "was not written", "gex_AM_CommitRequestMedium"},
    {"commit_with_lock_held", "holds a handler-safe lock", "gex_AM_CommitRequestMedium"},
    {"request_with_tried_lock_held", "holds a handler-safe lock", "gex_AM_RequestShort"},
    {"reply_with_lock_held", "holds a handler-safe lock", "gex_AM_ReplyShort"},
    {"lock_kept_by_handler", "returned while it holds a handler-safe lock", "poll", kElsewhere},
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

std::string setting(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

Outcome make_mistake(const char* program, const char* name) {
  return run({AQUEDUCT_LAUNCHER, "run", "-n", setting("AQUEDUCT_TEST_RANKS"), "--conduit",
              setting("AQUEDUCT_TEST_CONDUIT"), program, name});
}

// The one line that ends the job.
std::string only_error_line(const Outcome& outcome) {
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.exit_code, 1);
  auto lines = lines_of(outcome.err);
  // A rank that fails before it has joined the job cannot hand its line to the launcher, which then has its
  // own.
  if (outcome.err.find("(proc ") == std::string::npos)
    std::erase_if(lines,
                  [](const std::string& line) { return line.rfind("aqueduct: rank 0 ended", 0) == 0; });
  EXPECT_EQ(lines.size(), 1u) << outcome.all();
  EXPECT_TRUE(lines_with(outcome.out, "unnoticed").empty());
  return lines.empty() ? "" : lines[0];
}

class Misuse : public ::testing::TestWithParam<Mistake> {};

/// A sanitizer finds by itself that a token is gone.
bool is_found_by_sanitizers(const Mistake& mistake) {
  return kSanitized && std::string(mistake.name) == "reply_after_the_handler";
}

TEST_P(Misuse, EndsTheJobWithOneLineThatSaysWhatWasWrong) {
  if (is_found_by_sanitizers(GetParam())) GTEST_SKIP();
  const Outcome outcome = make_mistake(AQUEDUCT_MISUSE, GetParam().name);
  const std::string line = only_error_line(outcome);
  EXPECT_NE(line.find("*** FATAL ERROR"), std::string::npos) << line;
  EXPECT_NE(line.find(GetParam().says), std::string::npos) << line;
  EXPECT_NE(line.find(GetParam().function), std::string::npos) << line;
  EXPECT_EQ(line.find("misuse.cpp"), std::string::npos)
      << "a client without debugging has no positions: " << line;
}

void expect_debug_client_is_told(const Mistake& mistake) {
  const Outcome outcome = make_mistake(AQUEDUCT_MISUSE_DEBUG, mistake.name);
  const std::string line = only_error_line(outcome);
  EXPECT_NE(line.find(mistake.says), std::string::npos) << line;
  EXPECT_NE(line.find(mistake.function), std::string::npos) << line;
  if (mistake.place == kAtCall) {
    const auto announced = lines_with(outcome.out, "wrong call in line ");
    ASSERT_EQ(announced.size(), 1u) << outcome.all();
    const std::string position = "misuse.cpp:" + announced[0].substr(announced[0].rfind(' ') + 1) + ":";
    EXPECT_NE(line.find(position), std::string::npos) << "not at " << position << " " << line;
  }
}

TEST_P(Misuse, TellsADebugClientWhere) {
  if (is_found_by_sanitizers(GetParam())) GTEST_SKIP();
  expect_debug_client_is_told(GetParam());
}

class DebugMisuse : public ::testing::TestWithParam<Mistake> {};
TEST_P(DebugMisuse, TellsADebugClientWhere) { expect_debug_client_is_told(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Of, DebugMisuse, ::testing::ValuesIn(kDebugMistakes),
                         [](const auto& info) { return std::string(info.param.name); });
INSTANTIATE_TEST_SUITE_P(Of, Misuse, ::testing::ValuesIn(kMistakes),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(MisuseList, CoversEveryMistakeThatTheProgramCanMake) {
  const Outcome outcome = run({AQUEDUCT_MISUSE});
  std::size_t found = 0;
  for (const std::string& name : lines_of(outcome.out)) {
    for (const Mistake& mistake : kMistakes) found += name == mistake.name;
    for (const Mistake& mistake : kDebugMistakes) found += name == mistake.name;
  }
  EXPECT_EQ(found, lines_of(outcome.out).size());
  EXPECT_EQ(found, std::size(kMistakes) + std::size(kDebugMistakes));
}

}  // namespace
}  // namespace aqueduct::test
