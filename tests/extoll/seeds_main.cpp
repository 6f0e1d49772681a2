// test_extoll_seeds --seeds FIRST..END: random programs of VELO and RMA on simulated EXTOLL cards, on meshes
// that lose, damage, double and delay, with mailboxes and queues of one entry and few credits. On the first
// failure prints the command that shows it again, and exits with 1.
//
// Each process sends messages of random lengths to the others, puts into places of their own, gets, and adds
// to a lock of process 0. In the end every message has come once and in order, every byte is in its place,
// and the sum is right.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <memory>

#include "papers/nic/extoll/card/machine.hpp"
#include "support/random.hpp"

namespace aqueduct::extoll::card::test {
namespace {

using aqueduct::test::Random;

constexpr std::uint32_t kActions = 40;
constexpr std::size_t kPlace = 512;
std::map<std::string, std::uint64_t> reached{{"pushed back", 0}, {"refused", 0}, {"retried below", 0}};

char pattern(std::uint64_t name, std::size_t i) { return static_cast<char>(name * 29 + i * 7 + i / 251); }

struct Party {
  NodeId self = 0;
  velo2_port_t velo{};
  RMA2_Port rma{};
  std::vector<char> window, local;
  RMA2_Region* window_region = nullptr;
  RMA2_Region* local_region = nullptr;
  RMA2_NLA nla = 0;
  std::uint32_t expected = 0;               ///< messages that will come, over all sources
  std::map<NodeId, std::uint32_t> sent_to;  ///< messages
};

struct Job {
  std::unique_ptr<sim::Simulation> simulation;
  std::unique_ptr<Machine> machine;
  std::vector<std::unique_ptr<Party>> parties;
  std::vector<sim::Fiber*> waiting;
  std::int32_t sum = 0;
  std::size_t done = 0;  ///< processes that will send nothing more

  void meet() {
    if (waiting.size() + 1 < parties.size()) {
      waiting.push_back(sim::Fiber::current());
      sim::Fiber::current()->park("the others");
      return;
    }
    for (sim::Fiber* const fiber : waiting) fiber->wake();
    waiting.clear();
  }
};

class Program {
 public:
  Program(Job& job, Party& party, std::uint64_t seed)
      : job_(job), party_(party), random_(seed * 1000 + party.self + 1) {}

  void run() {
    open();
    job_.meet();
    for (NodeId peer = 0; peer < job_.parties.size(); ++peer) {
      ASSERT_EQ(velo2_connect(&party_.velo, &messages_[peer], static_cast<velo2_nodeid_t>(peer), 0),
                VELO2_RET_SUCCESS);
      ASSERT_EQ(
          rma2_connect(party_.rma, static_cast<RMA2_Nodeid>(peer), 0, RMA2_CONN_DEFAULT, &memory_[peer]),
          RMA2_SUCCESS);
    }
    for (std::uint32_t i = 0; i < kActions; ++i) act(i);
    while (commands_ != 0) take_notification();
    // Whoever is done goes on receiving, until all are: a full mailbox would hold others up.
    ++job_.done;
    while (job_.done < job_.parties.size() || received_ < party_.expected) {
      if (!take_message()) job_.simulation->host(party_.self).compute(sim::kMicrosecond);
    }
    job_.meet();
    check();
    job_.meet();
  }

 private:
  void open() {
    const std::size_t bytes = job_.parties.size() * kActions * kPlace;
    party_.window.resize(bytes);
    party_.local.resize(bytes);
    for (std::size_t i = 0; i < bytes; ++i) party_.local[i] = pattern(party_.self, i);
    ASSERT_EQ(velo2_open(&party_.velo), VELO2_RET_SUCCESS);
    ASSERT_EQ(rma2_open(&party_.rma), RMA2_SUCCESS);
    ASSERT_EQ(rma2_register(party_.rma, party_.window.data(), bytes, &party_.window_region), RMA2_SUCCESS);
    ASSERT_EQ(rma2_register(party_.rma, party_.local.data(), bytes, &party_.local_region), RMA2_SUCCESS);
    ASSERT_EQ(rma2_get_nla(party_.window_region, 0, &party_.nla), RMA2_SUCCESS);
  }

  void act(std::uint32_t number) {
    const auto peer = static_cast<NodeId>(random_() % job_.parties.size());
    const std::uint32_t size = 1 + static_cast<std::uint32_t>(random_() % kPlace);
    const std::uint32_t from = number * kPlace;
    const RMA2_NLA to = job_.parties[peer]->nla + (party_.self * kActions + number) * kPlace;
    switch (random_() % 4) {
      case 0:
      case 1:
        return send(peer);
      case 2:
        puts_.push_back({peer, number, size});
        return post([&] {
          return rma2_post_put_bt(party_.rma, memory_[peer], party_.local_region, from, size, to,
                                  RMA2_REQUESTER_NOTIFICATION, RMA2_CMD_DEFAULT);
        });
      default:
        job_.sum += static_cast<std::int32_t>(number);
        return post([&] {
          return rma2_post_lock(party_.rma, memory_[0], 0, 9, std::numeric_limits<std::int32_t>::max(),
                                static_cast<std::int32_t>(number), RMA2_COMPLETER_NOTIFICATION,
                                RMA2_CMD_DEFAULT);
        });
    }
  }

  static std::uint32_t length(std::uint32_t number) { return number * 31 % 65; }

  void send(NodeId peer) {
    char message[64];
    const std::uint32_t number = party_.sent_to[peer]++;
    for (std::uint32_t i = 0; i < length(number); ++i) message[i] = pattern(party_.self + number, i);
    ++job_.parties[peer]->expected;
    velo2_ret_t code;
    while ((code = velo2_send(&messages_[peer], message, length(number), static_cast<std::uint8_t>(number),
                              0)) == VELO2_RET_TRY_AGAIN) {
      ++reached["pushed back"];
      // Whoever waits for a credit must take what others have sent, or all wait for each other.
      if (!take_message()) job_.simulation->host(party_.self).compute(sim::kMicrosecond);
    }
    ASSERT_EQ(code, VELO2_RET_SUCCESS);
  }

  bool take_message() {
    char message[64];
    std::uint32_t bytes = 0, source = 0;
    std::uint8_t tag = 0, mtt = 0;
    const velo2_ret_t code =
        velo2_probe_recv(&party_.velo, message, sizeof message, &bytes, &source, &tag, &mtt);
    if (code == VELO2_RET_NO_MSG) return false;
    EXPECT_EQ(code, VELO2_RET_SUCCESS);
    const NodeId from = VELO2_ADDR_NODE(source);
    const std::uint32_t number = came_from_[from]++;
    EXPECT_EQ(tag, static_cast<std::uint8_t>(number)) << "out of order, lost or twice";
    EXPECT_EQ(bytes, length(number));
    for (std::uint32_t i = 0; i < bytes; ++i) EXPECT_EQ(message[i], pattern(from + number, i));
    ++received_;
    return true;
  }

  template <class Function>
  void post(Function function) {
    RMA2_ERROR code;
    while ((code = function()) == RMA2_ERR_NO_DESC_MEM) {
      ++reached["refused"];
      take_notification();
    }
    ASSERT_EQ(code, RMA2_SUCCESS);
    ++commands_;
  }

  void take_notification() {
    RMA2_Notification* found = nullptr;
    ASSERT_EQ(rma2_noti_get_block(party_.rma, &found), RMA2_SUCCESS);
    EXPECT_EQ(rma2_noti_get_error(found), 0);
    EXPECT_EQ(rma2_noti_free(party_.rma, found), RMA2_SUCCESS);
    --commands_;
  }

  /// Gets back what it has put, and the sum.
  void check() {
    // Commands overtake each other: a put that was read has arrived when all tries to send it are over.
    job_.simulation->host(party_.self).compute(10 * sim::kMillisecond);
    for (const Put& put : puts_) {
      const RMA2_NLA there = job_.parties[put.peer]->nla + (party_.self * kActions + put.number) * kPlace;
      ASSERT_EQ(rma2_post_get_bt(party_.rma, memory_[put.peer], party_.local_region, put.number * kPlace,
                                 put.size, there, RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT),
                RMA2_SUCCESS);
      ++commands_;
      take_notification();
      for (std::uint32_t i = 0; i < put.size; ++i)
        ASSERT_EQ(party_.local[put.number * kPlace + i], pattern(party_.self, put.number * kPlace + i));
    }
    if (party_.self != 0) return;
    ASSERT_EQ(rma2_post_lock(party_.rma, memory_[0], 0, 9, std::numeric_limits<std::int32_t>::max(), 0,
                             RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT),
              RMA2_SUCCESS);
    RMA2_Notification* found = nullptr;
    ASSERT_EQ(rma2_noti_get_block(party_.rma, &found), RMA2_SUCCESS);
    EXPECT_EQ(static_cast<std::int32_t>(rma2_noti_get_lock_value(found)), job_.sum);
  }

  struct Put {
    NodeId peer;
    std::uint32_t number, size;
  };

  Job& job_;
  Party& party_;
  Random random_;
  std::map<NodeId, velo2_connection_t> messages_;
  std::map<NodeId, RMA2_Handle> memory_;
  std::map<NodeId, std::uint32_t> came_from_;
  std::vector<Put> puts_;
  std::uint32_t commands_ = 0, received_ = 0;
};

void run_seed(std::uint64_t seed) {
  Random random(seed);
  std::string error;
  const auto number = [&](std::uint64_t limit) { return std::to_string(1 + random() % limit); };
  const std::vector<std::string> changes{"axes=" + std::to_string(2 + seed % 2),
                                         "nic.mailbox_slots=" + number(3), "nic.send_credits=" + number(4),
                                         "nic.notifications=" + number(4), "nic.requests=" + number(6)};
  const auto model = sim::NetworkModel::load(AQUEDUCT_NETWORKS "/extoll-fpga.toml", changes, &error);
  ASSERT_TRUE(model) << error;
  Job job;
  sim::Setup setup;
  setup.model = &*model;
  setup.nodes = 2 + static_cast<fabric::NodeId>(random() % 7);
  setup.seed = seed;
  ASSERT_TRUE(
      setup.faults.add(seed % 3 == 0 ? "" : "drop=10000 corrupt=5000 duplicate=5000 delay=50000", &error))
      << error;
  job.simulation = std::make_unique<sim::Simulation>(setup);
  job.machine = std::make_unique<Machine>(*job.simulation);
  for (NodeId port = 0; port < job.simulation->ports(); ++port) {
    job.parties.push_back(std::make_unique<Party>());
    job.parties.back()->self = port;
  }
  for (NodeId port = 0; port < job.simulation->ports(); ++port) {
    Party* const party = job.parties[port].get();
    job.machine->start(port, "process " + std::to_string(port),
                       [&job, party, seed] { Program(job, *party, seed).run(); });
  }
  EXPECT_TRUE(job.simulation->run()) << job.simulation->fibers().describe_stuck(8);
  reached["retried below"] += job.simulation->faults().count(sim::FaultProbe::kRetried);
}

}  // namespace
}  // namespace aqueduct::extoll::card::test

int main(int argc, char** argv) {
  using namespace aqueduct::extoll::card::test;
  ::testing::InitGoogleTest(&argc, argv);
  unsigned long long first = 0, end = 0;
  if (argc != 3 || std::strcmp(argv[1], "--seeds") != 0 ||
      std::sscanf(argv[2], "%llu..%llu", &first, &end) != 2) {
    std::fprintf(stderr, "usage: %s --seeds FIRST..END\n", argv[0]);
    return 2;
  }
  for (std::uint64_t seed = first; seed < end; ++seed) {
    run_seed(seed);
    if (!::testing::Test::HasFailure()) continue;
    std::printf("seed %llu failed; again: %s --seeds %llu..%llu\n", static_cast<unsigned long long>(seed),
                argv[0], static_cast<unsigned long long>(seed), static_cast<unsigned long long>(seed + 1));
    return 1;
  }
  for (const auto& [name, times] : reached) {
    std::printf("%s: %llu\n", name.c_str(), static_cast<unsigned long long>(times));
    if (times == 0 && end - first >= 100) return 1;
  }
  return 0;
}
