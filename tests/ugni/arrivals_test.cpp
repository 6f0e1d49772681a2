// What the aries conduit makes of words and events that do not come as they should: an event before the
// message that it announces, and a reply that nobody has asked that rank for.
//
// The ranks are those of a simulated job, and have the conduit's parts without the core above them, so that
// one of them may post what the conduit never would.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "papers/conduit/aries/messages.hpp"
#include "papers/nic/ugni/aries/rank_machine.hpp"
#include "parts/long/choice.hpp"
#include "sim/simulated_job.hpp"
#include "stage.hpp"

namespace aqueduct::conduit::aries {
namespace {

constexpr RankId kAsking = 0, kAsked = 1, kStranger = 2;
constexpr std::uint8_t kHandler = 200;

/// A rank's active messages. Answers requests, and counts what it gets.
class Party final : private am::Receiver, private PostHandler {
 public:
  explicit Party(job::Bootstrap& bootstrap)
      : PostHandler(PostUse::kMessage), endpoint_(settings(), kind(), opening(bootstrap)) {}

  void request(RankId target) {
    const am::Message message{.category = am::Category::kShort, .handler = kHandler};
    ASSERT_EQ(messages_.inject(target, message), am::Post::kDone);
  }
  void poll() {
    const std::lock_guard guard(endpoint_.lock);
    endpoint_.nic.take_completions(endpoint_.settings.local_burst);
    messages_.take_arrivals(endpoint_.settings.am_burst);
    messages_.proceed();
    messages_.deliver(am::Scope::kAll);
  }

  /// Puts an empty reply to each request that `target` could have under way.
  void forge_replies(RankId target) {
    const std::lock_guard guard(endpoint_.lock);
    for (std::uint16_t slot = 0; slot < endpoint_.settings.total_depth; ++slot) {
      const Notify notify{.initiator_slot = slot, .type = MessageType::kReply, .handler = kHandler};
      std::uint64_t nothing = 0;
      ASSERT_EQ(messages_.post_message(target, reinterpret_cast<std::byte*>(&nothing), 0,
                                       endpoint_.area.buffer(slot), notify),
                am::Post::kDone);
    }
  }
  /// The event of a request, without the request.
  void announce_request(RankId target) {
    const std::lock_guard guard(endpoint_.lock);
    gni_post_descriptor_t& post = take(target);
    post.type = GNI_POST_CQWRITE;
    post.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
    post.remote_mem_hndl = endpoint_.areas[target].memory;
    post.cqwrite_value = Event{.rank = endpoint_.self, .type = EventType::kHeader}.encode();
    ASSERT_EQ(endpoint_.nic.post_cq_write(*taken_), am::Post::kDone);
  }
  /// The request, without an event.
  void post_request(RankId target) {
    const std::lock_guard guard(endpoint_.lock);
    gni_post_descriptor_t& post = take(target);
    const std::uint64_t area = endpoint_.remote_area(target);
    post.type = GNI_POST_FMA_PUT_W_SYNCFLAG;
    post.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
    post.remote_addr = area + endpoint_.area.region(endpoint_.self);
    post.remote_mem_hndl = endpoint_.areas[target].memory;
    post.sync_flag_value = Notify{.handler = kHandler}.encode();
    post.sync_flag_addr = area + endpoint_.area.ring(endpoint_.self);
    ASSERT_EQ(endpoint_.nic.post_fma(*taken_, "GNI_PostFma"), am::Post::kDone);
  }

  unsigned requests = 0, replies = 0;

 private:
  static AriesSettings settings() { return AriesSettings::from_environment(); }
  static parts::LongProtocolKind kind() { return parts::choose_long_protocol(kName, Longs::abilities()); }
  Opening opening(job::Bootstrap& bootstrap) {
    world::World& world = world::current();
    return {world, world.place(), bootstrap, *this};
  }
  gni_post_descriptor_t& take(RankId target) {
    taken_ = endpoint_.nic.take(*this, target);
    EXPECT_NE(taken_, nullptr);
    return taken_->post;
  }

  void deliver(const am::Message& message, const am::Origin& origin) override {
    ++(message.is_reply ? replies : requests);
    if (message.is_reply) return;
    const am::Message reply{.category = am::Category::kShort, .is_reply = true, .handler = kHandler};
    EXPECT_EQ(messages_.reply(origin, reply), am::Post::kDone);
  }
  void completed(PostDescriptor& descriptor, std::uint16_t) override { endpoint_.give_back(descriptor); }

  Endpoint endpoint_;
  PutsAndGets transfers_{endpoint_, [] {}};
  Messages messages_{endpoint_, transfers_, [] {}};
  PostDescriptor* taken_ = nullptr;
};

/// Polls until a millisecond has passed, which is longer than anything here takes.
void poll_for_long(Party& party) {
  Clock& clock = world::current().clock();
  const std::uint64_t end = clock.now_ns() + 1'000'000;
  while (clock.now_ns() < end) {
    party.poll();
    world::current().compute(200);
  }
}

/// Runs `main` in three ranks. Returns what they have written to stderr.
std::string run_ranks(const std::function<void(RankId, Party&)>& main) {
  const sim::NetworkModel model = ugni::aries::test::network();
  sim::Setup setup;
  setup.model = &model;
  setup.nodes = 3;
  sim::Simulation simulation(setup);
  const std::unique_ptr<sim::Machine> machine = ugni::aries::kMachine.build(simulation, "");
  sim::JobOptions options;
  options.machine = machine.get();
  sim::SimulatedJob job(simulation, options);
  ::testing::internal::CaptureStderr();
  const sim::JobResult result = job.run([&](RankId rank) {
    const std::unique_ptr<job::Bootstrap> bootstrap = world::current().make_bootstrap();
    bootstrap->set_waiting(
        [](const std::function<bool()>& condition) {
          while (!condition()) world::current().compute(200);
        },
        [] {});
    Party party(*bootstrap);
    main(rank, party);
    bootstrap->barrier();
    return 0;
  });
  EXPECT_TRUE(result.ok()) << result.stuck;
  return ::testing::internal::GetCapturedStderr();
}

TEST(AriesArrivals, ARequestIsHandledThoughItsEventHasOvertakenIt) {
  unsigned handled = 0;
  run_ranks([&](RankId rank, Party& party) {
    if (rank == kStranger) {
      party.announce_request(kAsked);
      world::current().compute(100'000);  // the event is looked at long before there is a request
      party.post_request(kAsked);
    }
    poll_for_long(party);
    if (rank == kAsked) handled = party.requests;
  });
  EXPECT_EQ(handled, 1u);
}

TEST(AriesArrivals, AReplyOfARankThatWasNotAskedIsDroppedWithALineAndTheTrueOneCounts) {
  unsigned replies = 0;
  const std::string said = run_ranks([&](RankId rank, Party& party) {
    if (rank == kAsking) party.request(kAsked);
    if (rank == kAsked)
      world::current().compute(500'000);  // does not look before the other answers have come
    if (rank == kStranger) {
      world::current().compute(100'000);  // the request is under way
      party.forge_replies(kAsking);
    }
    poll_for_long(party);
    if (rank == kAsking) replies = party.replies;
  });
  EXPECT_EQ(replies, 1u);
  EXPECT_NE(said.find("a reply from rank 2 to no request of ours was dropped"), std::string::npos) << said;
  EXPECT_EQ(said.find("a reply from rank 1"), std::string::npos) << said;
}

}  // namespace
}  // namespace aqueduct::conduit::aries
