// One node of the tree over which hosts bootstrap: the protocol alone, in bytes that come and go. Sockets are
// somebody else's (job/bootstrap/tcp_bootstrap.hpp); a test carries the bytes of ten thousand nodes in
// memory.
//
// All three operations are one: what nodes contribute goes up the tree, and all of it comes down.
//
//   up    to the parent, when the messages of all children are here: what this node and those below it
//         contribute
//   down  from the root, when it has everything: all contributions; passed on while it still comes in
//
// To a barrier nobody contributes, to a broadcast its root alone. A message is
//
//   Header | entries: node, bytes | data, in the order of the entries
//
// A node is in one operation at a time. It is over for it when all has come down and has left for its
// children. Of the next one it may have heard from its children before, which stays with the link until then.
//
// What comes in is checked before it is used: a message that does not fit (another call, another operation,
// nodes that are not behind that link, lengths that do not add up) ends the job with one line that names the
// node at the other end. Numbers are in the byte order of the machine, which Header::magic shows.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "job/bootstrap/bootstrap.hpp"
#include "job/bootstrap/tree.hpp"

namespace aqueduct::job {

class TreeNode {
 public:
  /// Links by number: the parent, then the children. The root has no parent; its link 0 is never used.
  using Link = unsigned;
  static constexpr Link kParent = 0;
  static constexpr Link kLinks = 1 + Tree::kMostChildren;

  /// How a node is called in a line: "rank 3".
  using Name = std::function<std::string(RankId node)>;

  TreeNode(RankId node, RankId size, Name name);

  RankId node() const { return node_; }
  const Tree& tree() const { return tree_; }
  bool has(Link link) const { return link == kParent ? node_ != 0 : link <= tree_.children(node_); }
  /// The node at the other end.
  RankId peer(Link link) const {
    return link == kParent ? Tree::parent(node_) : Tree::first_child(node_) + link - 1;
  }

  /// Starts operation number `operation`; the one before is over. `mine` is copied, and left out unless
  /// `contributes`.
  void begin(std::uint64_t operation, const Bootstrap::Call& call, bool contributes, Bytes mine);
  /// Whether it is over.
  bool is_over() const { return is_over_; }
  /// Then: what was gathered. Valid until the next begin().
  Gathered result() const;

  /// What has come from `link`, as much as there is.
  void receive(Link link, Bytes bytes);
  /// What is to be sent over `link` now; may be empty. sent() says how much of it has gone.
  Bytes to_send(Link link) const;
  void sent(Link link, std::size_t bytes);

  /// Whether more must come from there before the operation is over.
  bool expects(Link link) const;

  /// Who cannot be reached when that link breaks: "rank 3", or "rank 3, with 5 more behind it".
  std::string behind(Link link) const;

 private:
  struct Header {
    std::uint32_t magic;
    std::uint32_t kind;
    std::uint32_t root;
    std::uint32_t entries;
    std::uint64_t operation;
    std::uint64_t data_bytes;
  };
  static_assert(sizeof(Header) == 32);
  struct Entry {
    std::uint32_t node;
    std::uint32_t spare;
    std::uint64_t bytes;
  };
  static_assert(sizeof(Entry) == 16);
  /// A message as it comes in, and what comes after it.
  struct Incoming {
    std::vector<std::byte> bytes;
    std::uint64_t expected = sizeof(Header);  ///< as far as is known
    bool is_known = false;                    ///< expected is the length of the message
    bool is_checked = false;                  ///< and so are the entries, which add up to that
  };

  void go_on();
  /// How many contributions there are at `top` and below.
  RankId entries_of(RankId top) const;
  /// The message that goes to all children: what has come from the parent, or at the root what it has made.
  Bytes down() const { return node_ == 0 ? Bytes(up_) : Bytes(in_[kParent].bytes); }
  template <class Visit>
  void read_entries(Link link, Bytes message, RankId top, Visit&& visit) const;
  void look_at(Link link);
  void check(Link link, const Header& header) const;
  bool has_all(Link link) const {
    return in_[link].is_checked && in_[link].bytes.size() >= in_[link].expected;
  }
  void make_up_message();
  void take_result();
  [[noreturn]] void refuse(Link link, const std::string& why) const;

  RankId node_;
  Tree tree_;
  Name name_;
  std::uint64_t operation_ = 0;
  Bootstrap::Call call_;
  bool contributes_ = false;
  bool is_over_ = true;
  bool has_up_message_ = false;
  bool has_result_ = false;
  std::vector<std::byte> mine_;
  std::vector<std::byte> up_;      // what goes to the parent; at the root, to the children
  Incoming in_[kLinks];            // of the parent, the message that goes on down
  std::size_t sent_[kLinks] = {};  // of up_, or of the message that goes down
  std::vector<Gathered::Row> rows_;
  Bytes data_;
};

}  // namespace aqueduct::job
