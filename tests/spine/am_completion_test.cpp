// Local completion of active messages: when the source buffer may be used again.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "support/pattern.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using LocalCompletion = Spmd;

gex_Rank_t source_of(gex_Token_t token) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  return info.gex_srcrank;
}

std::atomic<std::uint32_t> arrived{0};
void on_payload(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t id) {
  EXPECT_TRUE(holds(payload, bytes, key_of(source_of(token), id))) << "message " << id;
  ++arrived;
}
Handler payload_handler(on_payload, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST);

constexpr std::size_t kBytes = 400;
constexpr std::uint32_t kMessages = 200;

class Sender {
 public:
  Sender() : buffers_(kMessages, std::vector<unsigned char>(kBytes)) {
    arrived = 0;
    barrier();
  }
  /// Mediums for even ids, longs for odd ones.
  int send(std::uint32_t id, gex_Event_t* lc, gex_Flags_t flags = 0) {
    const auto argument = static_cast<gex_AM_Arg_t>(id);
    fill(buffers_[id].data(), kBytes, key_of(job().rank, argument));
    if (id % 2 == 0)
      return gex_AM_RequestMedium1(job().tm, right(), payload_handler, buffers_[id].data(), kBytes, lc, flags,
                                   argument);
    return gex_AM_RequestLong1(job().tm, right(), payload_handler, buffers_[id].data(), kBytes,
                               remote(right(), id * 512), lc, flags, argument);
  }
  /// The buffer is ours again, so what we do to it cannot reach the target.
  void scribble(std::uint32_t id) { std::memset(buffers_[id].data(), 0xEE, kBytes); }
  ~Sender() { GASNET_BLOCKUNTIL(arrived == kMessages); }

 private:
  std::vector<std::vector<unsigned char>> buffers_;
};

TEST_F(LocalCompletion, NowMeansTheBufferIsFreeWhenTheCallReturns) {
  Sender sender;
  for (std::uint32_t id = 0; id < kMessages; ++id) {
    ASSERT_EQ(sender.send(id, GEX_EVENT_NOW), 0);
    sender.scribble(id);
  }
}

TEST_F(LocalCompletion, AnEventTellsWhenTheBufferIsFree) {
  Sender sender;
  for (std::uint32_t id = 0; id < kMessages; ++id) {
    gex_Event_t done = GEX_EVENT_NO_OP;
    ASSERT_EQ(sender.send(id, &done), 0);
    ASSERT_NE(done, GEX_EVENT_NO_OP);
    gex_Event_Wait(done);
    sender.scribble(id);
  }
}

TEST_F(LocalCompletion, ManyEventsMayBeWaitedForTogether) {
  Sender sender;
  std::array<gex_Event_t, kMessages> done;
  for (std::uint32_t id = 0; id < kMessages; ++id) ASSERT_EQ(sender.send(id, &done[id]), 0);
  gex_Event_WaitAll(done.data(), done.size(), 0);
  for (std::uint32_t id = 0; id < kMessages; ++id) {
    EXPECT_EQ(done[id], GEX_EVENT_INVALID);
    sender.scribble(id);
  }
}

TEST_F(LocalCompletion, AGroupIsFreeAfterWaitingForActiveMessages) {
  Sender sender;
  for (std::uint32_t id = 0; id < kMessages; ++id) ASSERT_EQ(sender.send(id, GEX_EVENT_GROUP), 0);
  gex_NBI_Wait(GEX_EC_AM, 0);
  EXPECT_EQ(gex_NBI_Test(GEX_EC_AM, 0), GASNET_OK);
  for (std::uint32_t id = 0; id < kMessages; ++id) sender.scribble(id);
}

TEST_F(LocalCompletion, ImmediateRequestsThatAreRefusedLeaveNothingBehind) {
  Sender sender;
  for (std::uint32_t id = 0; id < kMessages; ++id) {
    gex_Event_t done = GEX_EVENT_INVALID;
    while (sender.send(id, &done, GEX_FLAG_IMMEDIATE) != 0) gasnet_AMPoll();
    gex_Event_Wait(done);
    sender.scribble(id);
  }
}

// Longs that are too large to be copied along: the network may read their memory after the call, and whoever
// asks is told until when.
class LargeSender {
 public:
  static constexpr std::uint32_t kCount = 12;

  LargeSender()
      : bytes_(std::min<std::size_t>(gex_AM_LUBRequestLong(), 40000)),
        buffers_(kCount, std::vector<unsigned char>(bytes_)) {
    arrived = 0;
    barrier();
  }
  void send(std::uint32_t id, gex_Event_t* lc) {
    const auto argument = static_cast<gex_AM_Arg_t>(id);
    fill(buffers_[id].data(), bytes_, key_of(job().rank, argument));
    gex_AM_RequestLong1(job().tm, right(), payload_handler, buffers_[id].data(), bytes_,
                        remote(right(), id * 40000), lc, 0, argument);
  }
  void put(std::uint32_t id, gex_Event_t* lc, gex_Event_t* event) {
    fill(buffers_[id].data(), bytes_, key_of(job().rank, static_cast<gex_AM_Arg_t>(id)));
    if (event) {
      *event =
          gex_RMA_PutNB(job().tm, right(), remote(right(), id * 40000), buffers_[id].data(), bytes_, lc, 0);
    } else {
      gex_RMA_PutNBI(job().tm, right(), remote(right(), id * 40000), buffers_[id].data(), bytes_, lc, 0);
    }
  }
  void scribble(std::uint32_t id) { std::memset(buffers_[id].data(), 0xEE, bytes_); }
  void expect_arrived() {
    GASNET_BLOCKUNTIL(arrived == kCount);
    barrier();
  }
  void expect_put() {
    barrier();
    const gex_Rank_t left = (job().rank + job().size - 1) % job().size;
    for (std::uint32_t id = 0; id < kCount; ++id)
      EXPECT_TRUE(holds(local(id * 40000), bytes_, key_of(left, static_cast<gex_AM_Arg_t>(id)))) << id;
    barrier();
  }

 private:
  std::size_t bytes_;
  std::vector<std::vector<unsigned char>> buffers_;
};

TEST_F(LocalCompletion, LargeLongsAreFreeWhenAnEventSaysSo) {
  LargeSender sender;
  std::array<gex_Event_t, LargeSender::kCount> done;
  for (std::uint32_t id = 0; id < done.size(); ++id) sender.send(id, &done[id]);
  for (std::uint32_t id = 0; id < done.size(); ++id) {
    gex_Event_Wait(done[id]);
    sender.scribble(id);
  }
  sender.expect_arrived();
}

TEST_F(LocalCompletion, LargeLongsOfAGroupAreFreeTogether) {
  LargeSender sender;
  for (std::uint32_t id = 0; id < LargeSender::kCount; ++id) sender.send(id, GEX_EVENT_GROUP);
  while (gex_NBI_Test(GEX_EC_AM, 0) != GASNET_OK) gasnet_AMPoll();
  for (std::uint32_t id = 0; id < LargeSender::kCount; ++id) sender.scribble(id);
  sender.expect_arrived();
}

TEST_F(LocalCompletion, LargeLongsAreFreeAtReturnWhereThatIsAskedFor) {
  LargeSender sender;
  for (std::uint32_t id = 0; id < LargeSender::kCount; ++id) {
    sender.send(id, GEX_EVENT_NOW);
    sender.scribble(id);
  }
  sender.expect_arrived();
}

TEST_F(LocalCompletion, ALongInAnAccessRegionIsFreeWithTheRegionsEvent) {
  LargeSender sender;
  gex_NBI_BeginAccessRegion(0);
  for (std::uint32_t id = 0; id < LargeSender::kCount; ++id) sender.send(id, GEX_EVENT_GROUP);
  gex_Event_Wait(gex_NBI_EndAccessRegion(0));
  for (std::uint32_t id = 0; id < LargeSender::kCount; ++id) sender.scribble(id);
  sender.expect_arrived();
}

TEST_F(LocalCompletion, SourcesOfPutsAreFreeWhenTheirLeavesSaySo) {
  LargeSender sender;
  std::array<gex_Event_t, LargeSender::kCount> roots;
  std::array<gex_Event_t, LargeSender::kCount> leaves;
  for (std::uint32_t id = 0; id < roots.size(); ++id) sender.put(id, &leaves[id], &roots[id]);
  for (std::uint32_t id = 0; id < roots.size(); ++id) {
    gex_Event_Wait(leaves[id]);
    sender.scribble(id);
  }
  gex_Event_WaitAll(roots.data(), roots.size(), 0);
  sender.expect_put();
}

TEST_F(LocalCompletion, SourcesOfImplicitPutsAreFreeByTheirCategory) {
  LargeSender sender;
  for (std::uint32_t id = 0; id < LargeSender::kCount; ++id) sender.put(id, GEX_EVENT_GROUP, nullptr);
  gex_NBI_Wait(GEX_EC_LC, 0);
  for (std::uint32_t id = 0; id < LargeSender::kCount; ++id) sender.scribble(id);
  gex_NBI_Wait(GEX_EC_PUT, 0);
  sender.expect_put();
}

// Replies: the event of a reply cannot be waited for inside the handler, but outside.
std::atomic<std::uint32_t> answers{0};
gex_Event_t reply_event = GEX_EVENT_NO_OP;
unsigned char reply_buffer[kBytes];

void on_answer(gex_Token_t token, void* payload, std::size_t bytes) {
  EXPECT_TRUE(holds(payload, bytes, key_of(source_of(token), job().rank, 5)));
  ++answers;
}
Handler answer_handler(on_answer, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY);

void on_question(gex_Token_t token) {
  fill(reply_buffer, kBytes, key_of(job().rank, source_of(token), 5));
  gex_AM_ReplyMedium0(token, answer_handler, reply_buffer, kBytes, &reply_event, 0);
}
Handler question_handler(on_question, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

TEST_F(LocalCompletion, AReplyMayHandOutAnEventThatIsWaitedForOutsideTheHandler) {
  answers = 0;
  reply_event = GEX_EVENT_NO_OP;
  barrier();
  gex_AM_RequestShort0(job().tm, right(), question_handler, 0);
  GASNET_BLOCKUNTIL(answers == 1 && reply_event != GEX_EVENT_NO_OP);
  gex_Event_Wait(reply_event);
  std::memset(reply_buffer, 0xEE, kBytes);
  EXPECT_EQ(answers, 1u);
}

// A message to oneself: its handlers see what was sent, although the buffers have other contents by then.
std::vector<int> own_steps;
void on_own_reply(gex_Token_t, void* payload, std::size_t bytes) {
  own_steps.push_back(3);
  EXPECT_TRUE(holds(payload, bytes, 2));
}
Handler own_reply(on_own_reply, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY);
void on_own_request(gex_Token_t token, void* payload, std::size_t bytes) {
  own_steps.push_back(1);
  std::vector<std::byte> answer(bytes);
  fill(answer.data(), bytes, 2);
  gex_AM_ReplyMedium0(token, own_reply, answer.data(), bytes, GEX_EVENT_NOW, 0);
  fill(answer.data(), bytes, 9);
  EXPECT_TRUE(holds(payload, bytes, 1)) << "a handler may read its payload when it has replied";
  own_steps.push_back(2);
}
Handler own_request(on_own_request, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST);

TEST_F(LocalCompletion, HoldsForMessagesToOneself) {
  const std::size_t most = std::min(gex_AM_MaxRequestMedium(job().tm, job().rank, GEX_EVENT_NOW, 0, 0),
                                    gex_AM_MaxReplyMedium(job().tm, job().rank, GEX_EVENT_NOW, 0, 0));
  for (std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{1000}, std::size_t{1500}, most}) {
    own_steps.clear();
    std::vector<std::byte> sent(bytes + 1);
    fill(sent.data(), bytes, 1);
    gex_AM_RequestMedium0(job().tm, job().rank, own_request, sent.data(), bytes, GEX_EVENT_NOW, 0);
    fill(sent.data(), bytes, 8);
    GASNET_BLOCKUNTIL(own_steps.size() == 3);
    EXPECT_EQ(own_steps.front(), 1) << bytes << " bytes";
  }
}

}  // namespace
}  // namespace aqueduct::test
