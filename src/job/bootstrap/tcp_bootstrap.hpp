// Bootstrap over TCP: one participant for each host, or each rank, in a tree with at most four children per
// node (job/bootstrap/tree.hpp). A participant holds at most five connections, and an operation takes O(log
// n) steps. job/bootstrap/tree_node.hpp describes the messages, job/bootstrap/rendezvous.hpp and
// job/bootstrap/handshake.hpp how connections are made.
//
// The constructor listens and begins to register; connections are made while the first operation advances. A
// connection is accepted only from a participant that knows the key and is one of this node's children.
// Others are dropped. Until its children have come, a participant listens, and only at the address from which
// it reaches the rendezvous; so if the rendezvous is on the loopback interface, no port is open anywhere
// else.
//
// Failure: the job ends with one line that names the participant if a peer speaks another version, uses a
// number twice, sends a malformed message, or closes its connection while bytes are still due in either
// direction; lost connections only after TcpPlace::silence. Between operations nobody looks at connections.
//
// Memory: a participant keeps the result, and for a while the contributions of the nodes below it.
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
  /// Where others reach this participant, if not at the address from which it connects to the rendezvous; the
  /// port does not matter.
  net::Address reached_at;
  /// Names a participant in error lines; by default "rank 3".
  TreeNode::Name name;
  /// How long to wait before a lost connection ends the job: the supervisor may see why the participant died,
  /// and its line says more.
  std::chrono::milliseconds silence{0};
  /// How long the rendezvous may be missing, and the advice to give then.
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
  /// The port at which it waits for its children; 0 once all are connected.
  std::uint16_t port() const { return listener_ ? net::local_address(listener_.get()).port : 0; }
  /// How many strangers were dropped at that port.
  std::uint64_t dropped() const { return visitors_.dropped(); }

 private:
  using Link = TreeNode::Link;
  struct Connection {
    net::Descriptor socket;
    bool is_closed = false;  ///< by the other end; no more bytes will come
  };

  void start(const Call& call, Bytes mine) override;
  bool step() override;

  bool connect();
  void connect_to_parent();
  void admit_children();
  GreetingAnswer admit(const Greeting& greeting, net::Descriptor& connection);
  Greeting greeting(Greeting::Purpose purpose) const;
  /// Sends and receives what is possible; true if anything was transferred.
  bool transfer(Link link);
  /// A connection is lost: the line that ends the job, and when.
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
  std::optional<RendezvousRegistration> registration_;
  std::optional<PersistentGreeter> greeter_;  // to the parent
  Connection connections_[TreeNode::kLinks];
  bool is_connected_ = false;
  std::optional<Loss> loss_;
};

}  // namespace aqueduct::job
