// Many threads of two processes at once: calls, arrivals, unlinking and handlers meet under real concurrency.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "fabric/pieces.hpp"
#include "papers/nic/portals3/fabric_nal.hpp"
#include "papers/nic/portals3/process.hpp"
#include "portals3.h"
#include "portals3/direct_bridge.hpp"

namespace aqueduct::test {
namespace {

using namespace fabric;

/// Carries messages between two nodes through queues with locks; payloads are copied when they are sent.
class QueueFabric {
 public:
  Port& port(NodeId node) { return ports_[node]; }

 private:
  struct Report {
    bool arrival;
    NodeId source;
    std::vector<std::byte> header, payload;
    std::uint64_t cookie;
  };
  class QueuePort : public Port {
   public:
    Traits traits() const override { return {.nodes = 2, .ordered = true, .inline_bytes = 1 << 20}; }
    NodeId self() const override { return node_; }
    unsigned distance(NodeId) const override { return 1; }
    void set_client(PortClient& client) override { client_ = &client; }
    Post send(NodeId target, std::span<const std::byte> header, std::span<const Piece> payload,
              std::uint64_t cookie) override {
      Report report{
          true, node_, {header.begin(), header.end()}, std::vector<std::byte>(total_bytes(payload)), 0};
      PieceWalk{payload}.gather(report.payload.data(), report.payload.size());
      if (!peers_[target].push(std::move(report), 64)) return Post::kRetry;
      push({false, node_, {}, {}, cookie}, ~std::size_t{0});
      return Post::kDone;
    }
    void accept(std::uint64_t, std::span<const Piece>, std::size_t, std::uint64_t) override { std::abort(); }
    void discard(std::uint64_t) override {}
    unsigned progress() override {
      std::unique_lock delivering{delivering_, std::try_to_lock};
      if (!delivering) return 0;
      Report report;
      {
        std::lock_guard lock{lock_};
        if (reports_.empty()) return 0;
        report = std::move(reports_.front());
        reports_.pop_front();
      }
      if (report.arrival) {
        client_->arrived({report.source, report.header, report.payload.size(), report.payload.data(), 0});
      } else {
        client_->sent(report.cookie);
      }
      return 1;
    }

    NodeId node_ = 0;
    QueuePort* peers_ = nullptr;

   private:
    bool push(Report report, std::size_t room) {
      std::lock_guard lock{lock_};
      if (reports_.size() >= room) return false;
      reports_.push_back(std::move(report));
      return true;
    }

    PortClient* client_ = nullptr;
    std::mutex lock_, delivering_;
    std::deque<Report> reports_;
  };

  std::array<QueuePort, 2> ports_;

 public:
  QueueFabric() {
    for (NodeId node = 0; node < 2; ++node) {
      ports_[node].node_ = node;
      ports_[node].peers_ = ports_.data();
    }
  }
};

constexpr ptl_process_id_t kAnybody{PTL_NID_ANY, PTL_PID_ANY};
constexpr unsigned kThreads = 4;
constexpr unsigned kPuts = 300;

std::atomic<std::uint64_t> handled{0};

struct Resident {
  Resident(QueueFabric& fabric, NodeId at)
      : nal(fabric.port(at)), node(nal), bridge({7, 3}, {1, 2, 1'000'000, 50'000, 50'000}, machine_clock()) {
    process.offer(PTL_IFACE_DEFAULT, node, bridge, 1);
    portals3::Process::Current scope{&process};
    int interfaces;
    EXPECT_EQ(PtlInit(&interfaces), PTL_OK);
    EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &ni), PTL_OK);
    EXPECT_EQ(PtlEQAlloc(
                  ni, 4096, [](ptl_event_t*) { handled.fetch_add(1); }, &told),
              PTL_OK);
    ptl_handle_me_t me;
    ptl_handle_md_t md;
    EXPECT_EQ(PtlMEAttach(ni, 0, kAnybody, 1, ~ptl_match_bits_t{0xff}, PTL_RETAIN, PTL_INS_AFTER, &me),
              PTL_OK);
    EXPECT_EQ(PtlMDAttach(me,
                          {words.data(), sizeof(words), PTL_MD_THRESH_INF, 0,
                           PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_START_DISABLE,
                           nullptr, told},
                          PTL_RETAIN, &md),
              PTL_OK);
  }

  portals3::FabricNal nal;
  portals3::Node node;
  portals3::DirectBridge bridge;
  portals3::Process process;
  ptl_handle_ni_t ni = 0;
  ptl_handle_eq_t told = 0;
  std::array<std::uint64_t, kThreads> words{};
};

/// Writes numbers to the other side, each acknowledged, and reads the last one back.
void correspond(Resident& resident, ptl_nid_t other, unsigned thread) {
  portals3::Process::Current scope{&resident.process};
  ptl_handle_eq_t eq;
  ASSERT_EQ(PtlEQAlloc(resident.ni, 8, PTL_EQ_HANDLER_NONE, &eq), PTL_OK);
  std::uint64_t value = 0;
  const unsigned quiet = PTL_MD_EVENT_START_DISABLE | PTL_MD_EVENT_END_DISABLE;
  ptl_event_t event;
  for (unsigned i = 1; i <= kPuts; ++i) {
    value = i;
    ptl_handle_md_t md;
    ASSERT_EQ(PtlMDBind(resident.ni, {&value, 8, 2, 0, quiet, nullptr, eq}, PTL_UNLINK, &md), PTL_OK);
    ASSERT_EQ(PtlPut(md, PTL_ACK_REQ, {other, 1}, 0, 0, 1 | thread << 8, thread * 8, 0), PTL_OK);
    ASSERT_EQ(PtlEQWait(eq, &event), PTL_OK);
    ASSERT_EQ(event.type, PTL_EVENT_ACK);
    // The sending is over for us when the descriptor is gone.
    ASSERT_EQ(PtlEQWait(eq, &event), PTL_OK);
    ASSERT_EQ(event.type, PTL_EVENT_UNLINK);
  }
  value = 0;
  ptl_handle_md_t md;
  ASSERT_EQ(
      PtlMDBind(resident.ni, {&value, 8, 1, 0, PTL_MD_EVENT_START_DISABLE, nullptr, eq}, PTL_UNLINK, &md),
      PTL_OK);
  ASSERT_EQ(PtlGet(md, {other, 1}, 0, 0, 1, thread * 8), PTL_OK);
  ASSERT_EQ(PtlEQWait(eq, &event), PTL_OK);
  ASSERT_EQ(event.type, PTL_EVENT_REPLY_END);
  EXPECT_EQ(value, kPuts);
  ASSERT_EQ(PtlEQWait(eq, &event), PTL_OK);
  EXPECT_EQ(PtlEQFree(eq), PTL_OK);
}

/// Hangs entries in front of the one that everybody uses, and takes them away again.
void disturb(Resident& resident, const std::atomic<bool>& over) {
  portals3::Process::Current scope{&resident.process};
  char byte;
  while (!over.load()) {
    ptl_handle_me_t me;
    ptl_handle_md_t md;
    ASSERT_EQ(PtlMEAttach(resident.ni, 0, kAnybody, 2, 0, PTL_UNLINK, PTL_INS_BEFORE, &me), PTL_OK);
    ASSERT_EQ(PtlMDAttach(me, {&byte, 1, PTL_MD_THRESH_INF, 0, PTL_MD_OP_PUT, nullptr, PTL_EQ_NONE},
                          PTL_RETAIN, &md),
              PTL_OK);
    ASSERT_EQ(PtlMDUnlink(md), PTL_OK);
    ASSERT_EQ(PtlMEUnlink(me), PTL_ME_INVALID);
    resident.nal.progress();  // for the others, when our own threads have finished
    std::this_thread::yield();
  }
}

TEST(Portals3Threads, ManyThreadsShareAnInterface) {
  handled = 0;
  QueueFabric fabric;
  std::array<std::unique_ptr<Resident>, 2> residents;
  for (NodeId node = 0; node < 2; ++node) residents[node] = std::make_unique<Resident>(fabric, node);
  std::atomic<bool> over{false};
  std::vector<std::thread> workers, others;
  for (NodeId node = 0; node < 2; ++node) {
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      workers.emplace_back([&, node, thread] { correspond(*residents[node], 1 - node, thread); });
    }
    others.emplace_back([&, node] { disturb(*residents[node], over); });
  }
  for (std::thread& worker : workers) worker.join();
  over = true;
  for (std::thread& other : others) other.join();
  // Each process closes while the other's network still moves.
  std::atomic<unsigned> closed{0};
  std::vector<std::thread> closers;
  for (NodeId node = 0; node < 2; ++node) {
    closers.emplace_back([&, node] {
      portals3::Process::Current scope{&residents[node]->process};
      std::uint64_t drops = 1;
      EXPECT_EQ(PtlNIStatus(residents[node]->ni, PTL_SR_DROP_COUNT, &drops), PTL_OK);
      EXPECT_EQ(drops, 0u);
      PtlFini();
      closed.fetch_add(1);
      while (closed.load() < 2) {
        residents[node]->nal.progress();
        std::this_thread::yield();
      }
    });
  }
  for (std::thread& closer : closers) closer.join();
  EXPECT_EQ(handled.load(), 2u * kThreads * (kPuts + 1));  // every PUT_END and GET_END, once
}

}  // namespace
}  // namespace aqueduct::test
