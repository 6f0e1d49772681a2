// The simulated card: what costs what, the pace of the FPGA's links, and how a forgotten commit shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "papers/nic/extoll/card/machine.hpp"

namespace aqueduct::extoll::card::test {
namespace {

constexpr double kChangeNs = 100, kExact = 0.01;
constexpr std::size_t kWindow = std::size_t{1} << 20;

sim::NetworkModel network(const std::vector<std::string>& changes = {}) {
  std::string error;
  auto model = sim::NetworkModel::load(AQUEDUCT_NETWORKS "/extoll-fpga.toml", changes, &error);
  if (!model) {
    std::fprintf(stderr, "%s\n", error.c_str());
    std::abort();
  }
  return *model;
}

/// Two neighbours with ports, connections and registered windows.
class Pair {
 public:
  struct Side {
    velo2_port_t velo{};
    velo2_connection_t to{};
    RMA2_Port rma{};
    RMA2_Handle handle{};
    RMA2_Region* region = nullptr;
    RMA2_NLA nla = 0;
    std::vector<char> window = std::vector<char>(kWindow);
  };

  explicit Pair(const std::vector<std::string>& changes) : model_(network(changes)) {
    sim::Setup setup;
    setup.model = &model_;
    setup.nodes = 2;
    simulation_ = std::make_unique<sim::Simulation>(setup);
    machine_ = std::make_unique<Machine>(*simulation_);
    for (NodeId node = 0; node < 2; ++node) {
      const Process::Current scope{&machine_->process(node)};
      Side& side = sides[node];
      EXPECT_EQ(velo2_open(&side.velo), VELO2_RET_SUCCESS);
      EXPECT_EQ(velo2_connect(&side.velo, &side.to, static_cast<velo2_nodeid_t>(1 - node), 0),
                VELO2_RET_SUCCESS);
      EXPECT_EQ(rma2_open(&side.rma), RMA2_SUCCESS);
      EXPECT_EQ(
          rma2_connect(side.rma, static_cast<RMA2_Nodeid>(1 - node), 0, RMA2_CONN_DEFAULT, &side.handle),
          RMA2_SUCCESS);
      EXPECT_EQ(rma2_register(side.rma, side.window.data(), kWindow, &side.region), RMA2_SUCCESS);
      EXPECT_EQ(rma2_get_nla(side.region, 0, &side.nla), RMA2_SUCCESS);
    }
  }

  void start(NodeId node, std::function<void()> main) {
    machine_->start(node, "side " + std::to_string(node), std::move(main));
  }
  bool run() { return simulation_->run(); }
  double now_ns() { return static_cast<double>(simulation_->engine().now()) / sim::kNanosecond; }
  sim::Simulation& simulation() { return *simulation_; }

  Side sides[2];

 private:
  sim::NetworkModel model_;
  std::unique_ptr<sim::Simulation> simulation_;
  std::unique_ptr<Machine> machine_;
};

/// From the call of velo2_send to the end of velo2_recv at the target.
double message_ns(const std::vector<std::string>& changes) {
  Pair pair(changes);
  double end = 0;
  pair.start(0, [&] {
    char bytes[40]{};
    EXPECT_EQ(velo2_send(&pair.sides[0].to, bytes, sizeof bytes, 0, 0), VELO2_RET_SUCCESS);
  });
  pair.start(1, [&] {
    char bytes[64];
    EXPECT_EQ(velo2_recv(&pair.sides[1].velo, bytes, sizeof bytes, nullptr, nullptr, nullptr, 0),
              VELO2_RET_SUCCESS);
    end = pair.now_ns();
  });
  EXPECT_TRUE(pair.run());
  return end;
}

/// From a post to its notification at `at`.
double command_ns(const std::vector<std::string>& changes, NodeId at,
                  const std::function<RMA2_ERROR(Pair&)>& post) {
  Pair pair(changes);
  double end = 0;
  pair.start(0, [&] { EXPECT_EQ(post(pair), RMA2_SUCCESS); });
  pair.start(at, [&] {
    RMA2_Notification* found = nullptr;
    EXPECT_EQ(rma2_noti_get_block(pair.sides[at].rma, &found), RMA2_SUCCESS);
    end = pair.now_ns();
  });
  EXPECT_TRUE(pair.run());
  return end;
}

double put_ns(const std::vector<std::string>& changes, std::uint32_t bytes = 1024) {
  return command_ns(changes, 1, [&](Pair& pair) {
    return rma2_post_put_qw(pair.sides[0].rma, pair.sides[0].handle, pair.sides[0].region, 0, bytes,
                            pair.sides[1].nla, RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT);
  });
}

double get_ns(const std::vector<std::string>& changes) {
  return command_ns(changes, 0, [&](Pair& pair) {
    return rma2_post_get_qw(pair.sides[0].rma, pair.sides[0].handle, pair.sides[0].region, 0, 1024,
                            pair.sides[1].nla, RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT);
  });
}

double lock_ns(const std::vector<std::string>& changes) {
  return command_ns(changes, 0, [&](Pair& pair) {
    return rma2_post_lock(pair.sides[0].rma, pair.sides[0].handle, 0, 1, 0, 1, RMA2_COMPLETER_NOTIFICATION,
                          RMA2_CMD_DEFAULT);
  });
}

/// A process by itself.
double alone_ns(const std::vector<std::string>& changes, const std::function<void(Pair&)>& main) {
  Pair pair(changes);
  double end = 0;
  pair.start(0, [&] {
    main(pair);
    end = pair.now_ns();
  });
  EXPECT_TRUE(pair.run());
  return end;
}

double register_ns(const std::vector<std::string>& changes) {
  return alone_ns(changes, [](Pair& pair) {
    RMA2_Region* region = nullptr;
    EXPECT_EQ(rma2_register(pair.sides[0].rma, pair.sides[0].window.data(), 10 * RMA2_PAGE_SIZE, &region),
              RMA2_SUCCESS);
  });
}
double look_ns(const std::vector<std::string>& changes) {
  return alone_ns(changes, [](Pair& pair) {
    EXPECT_EQ(velo2_check(&pair.sides[0].velo, nullptr, nullptr, nullptr, nullptr), VELO2_RET_NO_MSG);
  });
}
double commit_ns(const std::vector<std::string>& changes) {
  return alone_ns(changes,
                  [](Pair& pair) { EXPECT_EQ(velo2_recv_commit(&pair.sides[0].velo), VELO2_RET_SUCCESS); });
}
double connect_ns(const std::vector<std::string>& changes) {
  return alone_ns(changes, [](Pair& pair) {
    velo2_connection_t another;
    EXPECT_EQ(velo2_connect(&pair.sides[0].velo, &another, 1, 0), VELO2_RET_SUCCESS);
  });
}

struct Row {
  const char* name;
  double (*ns)(const std::vector<std::string>&);
  const char* cost;
  double times;
};
double put_1k(const std::vector<std::string>& changes) { return put_ns(changes); }

const Row kRows[] = {
    {"Message", message_ns, "costs.call_send", 1},
    {"Message", message_ns, "costs.send_velo", 1},
    {"Message", message_ns, "nic.crossing", 2},
    {"Message", message_ns, "link.hop", 1},
    {"Message", message_ns, "injection.per_message", 1},
    {"Message", message_ns, "costs.take_velo", 1},
    {"Message", message_ns, "costs.call_receive", 1},
    {"Message", message_ns, "costs.send_requester", 0},
    {"Message", message_ns, "costs.take_completer", 0},
    {"Message", message_ns, "costs.take_control", 0},
    {"Put", put_1k, "costs.call_post", 1},
    {"Put", put_1k, "costs.send_requester", 1},
    {"Put", put_1k, "nic.crossing", 4},
    {"Put", put_1k, "costs.take_completer", 1},
    {"Put", put_1k, "costs.take_responder", 0},
    {"Put", put_1k, "costs.send_velo", 0},
    {"Get", get_ns, "costs.call_post", 1},
    {"Get", get_ns, "costs.take_responder", 1},
    {"Get", get_ns, "costs.send_responder", 1},
    {"Get", get_ns, "costs.take_completer", 1},
    {"Get", get_ns, "nic.crossing", 4},
    {"Get", get_ns, "link.hop", 2},
    {"Lock", lock_ns, "costs.take_responder", 1},
    {"Lock", lock_ns, "nic.crossing", 3},
    {"Register", register_ns, "costs.register", 1},
    {"Look", look_ns, "costs.call_look", 1},
    {"Commit", commit_ns, "costs.call_commit", 1},
    {"Connect", connect_ns, "costs.call_other", 1},
};

class CardCosts : public ::testing::TestWithParam<Row> {};

TEST_P(CardCosts, MoveAnOperationByAsOftenAsItPaysThem) {
  const Row& row = GetParam();
  std::string dearer;
  const sim::NetworkModel model = network();
  for (const sim::Number& number : model.numbers()) {
    if (number.name == row.cost)
      dearer = number.name + "=" +
               std::to_string(number.value + static_cast<std::uint64_t>(kChangeNs) * sim::kNanosecond) + "ps";
  }
  ASSERT_FALSE(dearer.empty()) << "there is no number " << row.cost;
  EXPECT_NEAR(row.ns({dearer}) - row.ns({}), row.times * kChangeNs, kExact) << row.cost;
}

INSTANTIATE_TEST_SUITE_P(Of, CardCosts, ::testing::ValuesIn(kRows), [](const auto& row) {
  std::string name = std::string(row.param.name) + "_" + row.param.cost;
  std::ranges::replace(name, '.', '_');
  return name;
});

TEST(Card, NamesEveryCostInTheTable) {
  const sim::NetworkModel model = network();
  for (const sim::Cost& cost : model.costs()) {
    // Those of the card and its calls; the others are of the software above.
    if (cost.name == "take_control") continue;
    if (!cost.name.starts_with("call_") && !cost.name.starts_with("send_") && !cost.name.starts_with("take_"))
      continue;
    EXPECT_TRUE(std::ranges::any_of(kRows, [&](const Row& row) {
      return row.cost == "costs." + cost.name && row.times != 0;
    })) << cost.name;
  }
}

TEST(Card, LongPutsGoAtThePaceOfALink) {
  // 625 MB/s are 1.6 ns for a byte.
  const double ns_per_byte = (put_ns({}, 1 << 20) - put_ns({}, 1 << 19)) / (1 << 19);
  EXPECT_NEAR(ns_per_byte, 1.6, 0.05);
}

TEST(Card, AForgottenCommitIsNamedWhereTheJobHangs) {
  Pair pair({"nic.mailbox_slots=2", "nic.send_credits=2"});
  pair.start(0, [&] {
    for (unsigned i = 0; i < 10; ++i) {
      while (velo2_send(&pair.sides[0].to, &i, sizeof i, 0, 0) == VELO2_RET_TRY_AGAIN)
        EXPECT_EQ(velo2_wait_send(&pair.sides[0].to), VELO2_RET_SUCCESS);
    }
  });
  pair.start(1, [&] {
    for (unsigned i = 0; i < 10; ++i) {
      unsigned number[30];
      EXPECT_EQ(velo2_wait(&pair.sides[1].velo), VELO2_RET_SUCCESS);
      EXPECT_EQ(velo2_recv_complete(&pair.sides[1].velo, number), VELO2_RET_SUCCESS);
    }
  });
  EXPECT_FALSE(pair.run());
  const std::string report = pair.simulation().fibers().describe_stuck(8);
  EXPECT_NE(report.find("never committed (velo2_recv_commit)"), std::string::npos) << report;
  EXPECT_NE(report.find("a VELO credit"), std::string::npos) << report;
}

}  // namespace
}  // namespace aqueduct::extoll::card::test
