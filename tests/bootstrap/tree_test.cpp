// The tree over which hosts bootstrap, without sockets: its arithmetic, and the protocol of ten thousand
// nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "job/bootstrap/tree_node.hpp"

namespace aqueduct::job::test {
namespace {

using Kind = Bootstrap::Kind;
using Link = TreeNode::Link;

std::string name(RankId node) { return "host " + std::to_string(node); }

TEST(Tree, CountsAndAncestryAgreeWithTheLinks) {
  for (RankId size = 1; size < 200; ++size) {
    const Tree tree{size};
    std::vector<RankId> below(size, 1);
    for (RankId node = size - 1; node > 0; --node) below[Tree::parent(node)] += below[node];
    RankId links = 0;
    for (RankId node = 0; node < size; ++node) {
      ASSERT_EQ(tree.count_below(node), below[node]) << size;
      ASSERT_LE(tree.children(node), Tree::kMostChildren);
      for (RankId child = 0; child < tree.children(node); ++child)
        ASSERT_EQ(Tree::parent(Tree::first_child(node) + child), node);
      links += tree.children(node);
      for (RankId top = 0; top < size; ++top) {
        RankId up = node;
        while (up != top && up != 0) up = Tree::parent(up);
        ASSERT_EQ(Tree::is_below(node, top), up == top);
      }
    }
    ASSERT_EQ(links, size - 1);
  }
}

/// Nodes whose bytes are carried in memory, in pieces of any length. A clock for each node counts the steps
/// on the longest way that its messages have come: a message leaves at its sender's clock and arrives one
/// later.
class Nodes {
 public:
  Nodes(RankId size, std::uint64_t seed) : nodes_(size), clocks_(size), random_(seed) {
    for (RankId node = 0; node < size; ++node) nodes_[node] = std::make_unique<TreeNode>(node, size, name);
  }

  TreeNode& operator[](RankId node) { return *nodes_[node]; }
  RankId size() const { return static_cast<RankId>(nodes_.size()); }

  static std::string contribution(RankId node) {
    return std::string(node % 7, static_cast<char>('a' + node % 26)) + std::to_string(node);
  }

  void begin(RankId node, std::uint64_t operation, Bootstrap::Call call) {
    const bool contributes =
        call.kind == Kind::kAllGather || (call.kind == Kind::kBroadcast && call.root == node);
    const std::string mine = contribution(node);
    nodes_[node]->begin(operation, call, contributes, contributes ? std::as_bytes(std::span(mine)) : Bytes());
  }

  /// Carries all that node `from` has for `link`.
  void carry(RankId from, Link link) {
    TreeNode& sender = *nodes_[from];
    ASSERT_TRUE(sender.has(link));
    const RankId to = sender.peer(link);
    const Link back = link == TreeNode::kParent ? 1 + from - Tree::first_child(to) : TreeNode::kParent;
    ASSERT_EQ(nodes_[to]->peer(back), from);
    for (Bytes left = sender.to_send(link); !left.empty(); left = sender.to_send(link)) {
      const std::size_t most = random_() % 3 == 0 ? 1 + random_() % 40 : left.size();
      const Bytes piece = left.first(std::min(most, left.size()));
      nodes_[to]->receive(back, piece);
      sender.sent(link, piece.size());
      clocks_[to] = std::max(clocks_[to], clocks_[from] + 1);
    }
  }

  /// One operation of all. Returns the number of steps that it takes. Each node is looked at when it is done;
  /// with `forget`, and then is gone: the results of all at once would need much memory.
  unsigned run(std::uint64_t operation, Bootstrap::Call call, bool forget) {
    std::ranges::fill(clocks_, 0u);
    std::vector<bool> is_begun(size());
    for (RankId node = 0; node < size(); ++node) {  // some are early; others hear from their children first
      is_begun[node] = random_() % 2 == 0;
      if (is_begun[node]) begin(node, operation, call);
    }
    for (RankId node = size(); node-- > 0;) {
      if (!is_begun[node]) begin(node, operation, call);
      if (node != 0) carry(node, TreeNode::kParent);
    }
    go_down(0, call, forget);
    return *std::ranges::max_element(clocks_);
  }

 private:
  void go_down(RankId node, Bootstrap::Call call, bool forget) {
    const RankId children = nodes_[node]->tree().children(node);
    for (Link link = 1; link <= children; ++link) {
      carry(node, link);
      go_down(nodes_[node]->peer(link), call, forget);
    }
    ASSERT_TRUE(nodes_[node]->is_over()) << node;
    ASSERT_NO_FATAL_FAILURE(expect_result(*nodes_[node], call));
    if (forget) nodes_[node] = std::make_unique<TreeNode>(node, size(), name);
  }

  void expect_result(const TreeNode& node, Bootstrap::Call call) {
    const auto expect_from = [&](RankId peer) {
      const Bytes bytes = node.result()[peer];
      ASSERT_EQ(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                contribution(peer));
    };
    if (call.kind == Kind::kBroadcast) expect_from(call.root);
    if (call.kind != Kind::kAllGather) return;
    // Of all in small trees; in large ones that would be a hundred million.
    const RankId stride = size() > 1000 && node.node() != 0 ? 97 : 1;
    for (RankId peer = node.node() % stride; peer < size(); peer += stride) expect_from(peer);
  }

  std::vector<std::unique_ptr<TreeNode>> nodes_;
  std::vector<unsigned> clocks_;
  std::mt19937_64 random_;
};

TEST(TreeNode, AnySequenceOfOperationsBringsEverythingToAll) {
  for (const RankId size : {1u, 2u, 3u, 5u, 6u, 17u, 64u, 200u}) {
    Nodes nodes(size, size);
    for (std::uint64_t operation = 1; operation <= 12; ++operation) {
      const Kind kind = static_cast<Kind>(1 + operation % 3);
      const RankId root = kind == Kind::kBroadcast ? static_cast<RankId>(operation * 31 % size) : 0;
      nodes.run(operation, {kind, root}, false);
      if (HasFatalFailure()) FAIL() << size << " nodes, operation " << operation;
    }
  }
}

TEST(TreeNode, TenThousandTakeLogarithmicallyManySteps) {
  constexpr RankId kNodes = 10'000;
  constexpr unsigned kLevels = 7;  // 1 + 4 + 16 + .. + 4^6 = 5461 < 10,000
  Nodes nodes(kNodes, 1);
  for (const Bootstrap::Call call :
       {Bootstrap::Call{Kind::kAllGather, 0}, Bootstrap::Call{Kind::kBroadcast, 9'876},
        Bootstrap::Call{Kind::kBarrier, 0}}) {
    EXPECT_EQ(nodes.run(1, call, true), 2 * kLevels) << describe(call);
    ASSERT_FALSE(HasFatalFailure());
  }
  for (RankId node = 0; node < kNodes; ++node) {
    unsigned links = 0;
    for (Link link = 0; link < TreeNode::kLinks; ++link) links += nodes[node].has(link) ? 1 : 0;
    ASSERT_LE(links, 5u);
  }
}

TEST(TreeNode, AChildMayBeOneOperationAhead) {
  Nodes nodes(3, 5);
  for (RankId node = 0; node < 3; ++node) nodes.begin(node, 1, {Kind::kAllGather, 0});
  nodes.carry(1, TreeNode::kParent);
  nodes.carry(2, TreeNode::kParent);
  nodes.carry(0, 1);
  ASSERT_TRUE(nodes[1].is_over());
  nodes.begin(1, 2, {Kind::kBarrier, 0});
  nodes.carry(1, TreeNode::kParent);
  EXPECT_FALSE(nodes[0].is_over());
  nodes.carry(0, 2);
  ASSERT_TRUE(nodes[0].is_over());
  nodes.begin(0, 2, {Kind::kBarrier, 0});
  nodes.begin(2, 2, {Kind::kBarrier, 0});
  nodes.carry(2, TreeNode::kParent);
  nodes.carry(0, 1);
  nodes.carry(0, 2);
  for (RankId node = 0; node < 3; ++node) EXPECT_TRUE(nodes[node].is_over());
}

TEST(TreeNodeDeathTest, CallsThatDoNotMatchAreNamed) {
  Nodes nodes(2, 5);
  nodes.begin(0, 1, {Kind::kBarrier, 0});
  nodes.begin(1, 1, {Kind::kBroadcast, 1});
  EXPECT_EXIT(nodes.carry(1, TreeNode::kParent), testing::ExitedWithCode(1),
              "host 1 makes a broadcast from host 1 as its operation number 1, and host 0 makes a barrier as "
              "number 1");
}

TEST(TreeNodeDeathTest, WhatNoNodeSaysIsLaidToTheOneBehindTheLink) {
  // Every word of a correct message, one after the other, is replaced by others.
  Nodes nodes(3, 5);
  nodes.begin(1, 1, {Kind::kAllGather, 0});
  const Bytes correct = nodes[1].to_send(TreeNode::kParent);
  const std::size_t words = (32 + 16) / 4;
  for (std::size_t word = 0; word < words; ++word) {
    if (word == 9) continue;  // spare
    for (const std::uint32_t value : {2u, 0x7fffffffu, 0xffffffffu}) {
      std::vector<std::byte> damaged(correct.begin(), correct.end());
      if (std::memcmp(&damaged[4 * word], &value, 4) == 0) continue;
      std::memcpy(&damaged[4 * word], &value, 4);
      damaged.resize(4096);  // enough, whatever length it is said to have
      EXPECT_EXIT(
          {
            TreeNode root(0, 3, name);
            root.begin(1, {Kind::kAllGather, 0}, true, {});
            root.receive(1, damaged);
            Nodes others(3, 6);
            others.begin(2, 1, {Kind::kAllGather, 0});
            root.receive(2, others[2].to_send(TreeNode::kParent));
          },
          testing::ExitedWithCode(1), "host 1 (sends|makes)")
          << "word " << word << " value " << value;
    }
  }
}

TEST(TreeNodeDeathTest, AParentThatSaysMoreAfterTheResultIsNamed) {
  // Node 1 of six has a child that has not taken the result yet.
  EXPECT_EXIT(
      {
        Nodes nodes(6, 5);
        for (const RankId i : {0u, 1u, 2u, 3u, 4u, 5u}) nodes.begin(i, 1, {Kind::kAllGather, 0});
        nodes[1].receive(1, nodes[5].to_send(TreeNode::kParent));
        for (TreeNode::Link link = 1; link <= 4; ++link)
          nodes[0].receive(link, nodes[link].to_send(TreeNode::kParent));
        nodes[1].receive(TreeNode::kParent, nodes[0].to_send(1));
        EXPECT_FALSE(nodes[1].is_over());
        nodes[1].receive(TreeNode::kParent, nodes[0].to_send(2));
      },
      testing::ExitedWithCode(1), "host 0 speaks of an operation that this one has not begun");
}

}  // namespace
}  // namespace aqueduct::job::test
