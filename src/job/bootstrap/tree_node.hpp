// One node of the tree over which hosts bootstrap. This is the protocol alone, over bytes;
// job/bootstrap/tcp_bootstrap.hpp has the sockets, and a test carries the bytes of ten thousand nodes in
// memory.
//
// All three operations work alike: contributions go up the tree, and all of them come down.
//
//   up    to the parent, once the messages of all children have come: the contributions of this node and of
//         those below it
//   down  from the root, once it has them: all contributions; a node passes bytes on as they come in
//
// No node contributes to a barrier, only the root to a broadcast. A message is
//
//   Header | entries: node, bytes | data, in the order of the entries
//
// A node is in one operation at a time. The operation is over once everything has come down and has been sent
// to the children. Children may already send for the next operation; the link keeps those bytes until then.
//
// Messages are checked before use: a wrong one (another call, another operation, nodes that are not behind
// that link, lengths that do not add up) ends the job with one line that names the node at the other end.
// Numbers are in the byte order of the machine, which Header::magic shows.
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

  /// Names a node in error lines: "rank 3".
  using Name = std::function<std::string(RankId node)>;

  TreeNode(RankId node, RankId size, Name name);

  RankId node() const { return node_; }
  const Tree& tree() const { return tree_; }
  bool has(Link link) const { return link == kParent ? node_ != 0 : link <= tree_.children(node_); }
  /// The node at the other end.
  RankId peer(Link link) const {
    return link == kParent ? Tree::parent(node_) : Tree::first_child(node_) + link - 1;
  }

  /// Starts operation number `operation`; the previous one must be over. Copies `mine` if this node
  /// `contributes`.
  void begin(std::uint64_t operation, const Bootstrap::Call& call, bool contributes, Bytes mine);
  /// Whether the operation is over.
  bool is_over() const { return is_over_; }
  /// The result once it is over. Valid until the next begin().
  Gathered result() const;

  /// Takes bytes that have come over `link`, any number of them.
  void receive(Link link, Bytes bytes);
  /// The bytes to send over `link` now; may be empty. The caller says with sent() how many it has sent.
  Bytes to_send(Link link) const;
  void sent(Link link, std::size_t bytes);

  /// Whether the operation still needs bytes from `link`.
  bool expects(Link link) const;

  /// The nodes that cannot be reached if that link breaks: "rank 3", or "rank 3, with 5 more behind it".
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
  /// The bytes of a message, and any that have come after it.
  struct Incoming {
    std::vector<std::byte> bytes;
    std::uint64_t expected = sizeof(Header);  ///< at least so many bytes make the message
    bool is_known = false;                    ///< `expected` is the whole length
    bool is_checked = false;                  ///< the entries are valid and add up to `expected`
  };

  void go_on();
  /// How many nodes contribute, of `top` and those below it.
  RankId entries_of(RankId top) const;
  /// The message for all children: the parent's, or at the root its own.
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
  std::vector<std::byte> up_;      // the message to the parent; at the root, to the children
  Incoming in_[kLinks];            // the parent's message is passed on to the children
  std::size_t sent_[kLinks] = {};  // bytes sent of up_, or of the message to the children
  std::vector<Gathered::Row> rows_;
  Bytes data_;
};

}  // namespace aqueduct::job
