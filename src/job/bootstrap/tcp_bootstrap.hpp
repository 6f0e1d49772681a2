// Bootstrap over TCP: one participant for each host, or each rank, in a tree with at most four children per
// node (job/bootstrap/tree.hpp). A participant holds at most five connections, and an operation takes O(log
// n) steps. What is said over them is in job/bootstrap/tree_node.hpp, how they come about in
// job/bootstrap/rendezvous.hpp and job/bootstrap/handshake.hpp.
//
// The constructor listens and begins to register; connections are made while the first operation advances. A
// connection is accepted only from a participant that knows the key and is one of this node's children.
// Others are dropped. A participant listens at the address from which it reaches the rendezvous alone, until
// its children have come; so where that is on the loopback interface, nobody listens anywhere else.
//
// Failure: a peer that closes its connection while something is still to come from it or to go to it, a peer
// that speaks another version or has a number that another one has, and messages that cannot be end the job
// with one line that names the participant; lost connections only after TcpPlace::silence. Between operations
// connections are not looked at.
//
// Memory: a participant keeps the result, and while it goes up the tree what is gathered below it.
#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "job/bootstrap/rendezvous.hpp"
#include "job/bootstrap/tree_node.hpp"

namespace aqueduct::job {

struct TcpPlace {
  RankId node = 0;
  RankId size = 1;
  net::JobKey key;
  net::Address rendezvous;
  /// Where others reach this one, if not at the address from which it connects to the rendezvous; the port
  /// does not matter.
  net::Address reached_at;
  /// How a participant is called in a line; by default "rank 3".
  TreeNode::Name name;
  /// How long a lost connection is not spoken of. Where a supervisor sees each participant die and says why,
  /// what others have lost by that is no news.
  std::chrono::milliseconds silence{0};
  /// For how long the rendezvous may not be there, and what to do then.
  Patience patience = {};
};

class TcpBootstrap final : public Bootstrap {
 public:
  explicit TcpBootstrap(const TcpPlace& place);

  void sleep() override;
  void add_to_poll(std::vector<pollfd>& polled) const override;
  bool awaits_network() const override { return true; }
  /// Connections to other participants.
  unsigned connections() const;
  /// Where it waits for its children; 0 when all are here.
  std::uint16_t port() const { return listener_ ? net::local_address(listener_.get()).port : 0; }
  /// Strangers that were dropped there.
  std::uint64_t dropped() const { return visitors_.dropped(); }

 private:
  using Link = TreeNode::Link;
  struct Connection {
    net::Descriptor socket;
    bool is_closed = false;  ///< by the other end: nothing more comes
  };

  void start(const Call& call, Bytes mine) override;
  bool step() override;

  bool connect();
  void connect_to_parent();
  void admit_children();
  Answer admit(const Greeting& greeting, net::Descriptor& connection);
  Greeting greeting(Greeting::Purpose purpose) const;
  /// True if anything was transferred.
  bool transfer(Link link);
  /// A connection is lost: ends the job with this line, when it is time to.
  struct Loss {
    const char* where;
    std::string line;
    std::chrono::steady_clock::time_point at;
  };
  void lose(const char* where, std::string line);
  void lose(Link link, int error);
  void report_loss() const;

  TcpPlace place_;
  TreeNode node_;
  net::Descriptor listener_;
  Visitors visitors_;
  std::optional<Registration> registration_;
  std::optional<PersistentGreeter> greeter_;  // to the parent
  Connection connections_[TreeNode::kLinks];
  bool is_connected_ = false;
  std::optional<Loss> loss_;
};

}  // namespace aqueduct::job
