// The request buffers of the portals conduit while several threads read requests: how far the reading may get
// ahead of the buffers that are linked again. The test is the threads: it takes events, and lets each be
// handled when it likes.
#include "papers/conduit/portals/request_buffers.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "papers/conduit/portals/match_bits.hpp"
#include "stage.hpp"

namespace aqueduct::portals3::seastar::test {
namespace {

using namespace conduit::portals;

constexpr unsigned kBuffers = 4, kChunks = 3;
constexpr std::size_t kChunkBytes = 1024;
constexpr ptl_pid_t kPid = 1;

/// The body of a request is its number, which comes as its header data, too.
struct Counting final : RequestBuffers::Reader {
  void request_came(const ptl_event_t& event, ArrivedRequest&) override {
    std::uint64_t number = 0;
    std::memcpy(&number, static_cast<const std::byte*>(event.md.start) + event.offset, sizeof number);
    EXPECT_EQ(number, event.hdr_data) << "another request lies there";
    ++requests;
  }
  unsigned requests = 0;
};

/// Sends requests of a chunk each to node 0.
class Sending {
 public:
  explicit Sending(ptl_handle_ni_t interface)
      : source_(interface, body_.data(), body_.size() * sizeof(std::uint64_t)) {}

  void send(unsigned requests) {
    const HeaderBits bits{Selector::kReqRb, 0, 0, 0, flag::kShort};
    for (unsigned i = 0; i < requests; ++i) {
      body_[0] = ++sent_;
      ASSERT_EQ(
          PtlPut(source_.descriptor, PTL_NO_ACK_REQ, {0, kPid}, kAmEntry, kAccess, bits.encode(), 0, sent_),
          PTL_OK);
      wait_for(source_.queue, PTL_EVENT_SEND_END);
    }
  }

 private:
  std::vector<std::uint64_t> body_ = std::vector<std::uint64_t>(kChunkBytes / sizeof(std::uint64_t));
  Source source_;
  std::uint64_t sent_ = 0;
};

class Receiving {
 public:
  Receiving(Stage& stage, unsigned spares) : stage_(stage), interface_(0) {
    interface_.open_queues({.safe = 16, .am = 64, .sys = 16});
    ptl_handle_me_t overflow;
    EXPECT_EQ(PtlMEAttach(interface_.ni(), kAmEntry, InterfaceClient::anybody(), 0, ~ptl_match_bits_t{0},
                          PTL_RETAIN, PTL_INS_AFTER, &overflow),
              PTL_OK);
    buffers_.emplace(reader_, interface_, overflow, kBuffers, spares, kChunkBytes, kChunks);
  }

  /// Takes the next event that says that a request has come, for a thread that will handle it later. Handles
  /// all others. False: its turn has not come.
  bool take_request() {
    for (;;) {
      ptl_event_t event;
      bool may = false;
      if (!interface_.am.get(&event,
                             [&](const ptl_event_t& taken) { may = AmEvents::of(taken).taken(taken); })) {
        sim::Fiber::current()->sleep_until(stage_.simulation().engine().now() + sim::kMicrosecond);
        continue;
      }
      if (event.type == PTL_EVENT_PUT_END) {
        (may ? taken_ : aside_).push_back(event);
        return may;
      }
      handle(event);
    }
  }
  /// A thread has handled the request that it has had for longest.
  void handle_oldest() {
    handle(taken_.front());
    taken_.pop_front();
  }
  /// Whether the first of the requests that were set aside may be handled now.
  bool may_begin() { return AmEvents::of(aside_.front()).may_begin(aside_.front()); }
  void handle_aside() {
    for (const ptl_event_t& event : aside_) handle(event);
    aside_.clear();
  }
  unsigned handled() const { return reader_.requests; }

 private:
  static void handle(const ptl_event_t& event) {
    ArrivedRequest arrived;
    AmEvents::of(event).happened(event, arrived);
  }

  Stage& stage_;
  InterfaceClient interface_;
  Counting reader_;
  std::optional<RequestBuffers> buffers_;
  std::deque<ptl_event_t> taken_, aside_;
};

/// Runs `main` at node 0, to which node 1 has sent what the buffers hold. It sends another buffer's load
/// meanwhile each time that main calls the function that it is given.
void with_requests(unsigned spares,
                   const std::function<void(Receiving&, const std::function<void()>& more)>& main) {
  Stage stage;
  bool is_over = false;
  stage.start(0, {.pid = kPid}, [&](ptl_handle_ni_t) {
    Receiving receiving(stage, spares);
    stage.meet(2);
    main(receiving, [&] {
      stage.meet(2);
      stage.meet(2);
    });
    is_over = true;
    stage.meet(2);
  });
  stage.start(1, {.pid = kPid}, [&](ptl_handle_ni_t interface) {
    Sending sending(interface);
    stage.meet(2);
    sending.send(kBuffers * kChunks);
    for (;;) {
      stage.meet(2);
      if (is_over) return;
      sending.send(kChunks);
      stage.meet(2);
    }
  });
  stage.run();
}

TEST(RequestBuffers, AreReadAsManyAsThereAreSparesBeforeOneIsLinkedAgain) {
  for (const unsigned spares : {1u, 2u}) {
    with_requests(spares, [&](Receiving& receiving, const std::function<void()>&) {
      // A thread takes the first request of all, and is slow; others handle what they get.
      for (unsigned i = 0; i < spares * kChunks; ++i)
        ASSERT_TRUE(receiving.take_request()) << i << " with " << spares;
      // So as many buffers as there are spares are handled, but not free: the next one must wait.
      EXPECT_FALSE(receiving.take_request()) << "with " << spares;
      EXPECT_FALSE(receiving.may_begin());
      for (unsigned i = 0; i < kChunks - 1; ++i) receiving.handle_oldest();
      EXPECT_FALSE(receiving.may_begin()) << "a request of the first buffer is still being read";
      receiving.handle_oldest();
      EXPECT_TRUE(receiving.may_begin()) << "the first buffer is linked again";
      EXPECT_EQ(receiving.handled(), kChunks);
    });
  }
}

TEST(RequestBuffers, AreNotLinkedAgainBeforeWhatWasSetAsideInThemIsRead) {
  with_requests(1, [](Receiving& receiving, const std::function<void()>& more) {
    for (unsigned i = 0; i < kChunks; ++i) ASSERT_TRUE(receiving.take_request());
    // The second buffer's requests must wait for the first buffer; the third buffer's first, too, which comes
    // behind the event that says that the second one is full.
    for (unsigned i = 0; i < kChunks + 1; ++i) EXPECT_FALSE(receiving.take_request());
    for (unsigned i = 0; i < kChunks; ++i) receiving.handle_oldest();  // now the first buffer is linked again
    more();
    receiving.handle_aside();
    EXPECT_EQ(receiving.handled(), 2 * kChunks + 1);
  });
}

}  // namespace
}  // namespace aqueduct::portals3::seastar::test
