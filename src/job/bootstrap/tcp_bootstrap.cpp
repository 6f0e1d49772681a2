#include "job/bootstrap/tcp_bootstrap.hpp"

#include <cerrno>
#include <cstring>

#include "base/fatal.hpp"

namespace aqueduct::job {
namespace {

TcpPlace with_name(TcpPlace place) {
  if (!place.name) place.name = [](RankId node) { return "rank " + std::to_string(node); };
  return place;
}

}  // namespace

TcpBootstrap::TcpBootstrap(const TcpPlace& place)
    : Bootstrap(place.node, place.size),
      place_(with_name(place)),
      node_(place.node, place.size, place_.name),
      visitors_(place.key, Greeting::Purpose::kJoin, place.size) {
  if (place.size == 1) {
    is_connected_ = true;
    return;
  }
  // Listens at the address it connects from; at every address if others reach it at another one.
  net::Address where;
  if (!place_.reached_at) where = net::own_address_towards(place_.rendezvous);
  where.family = place_.rendezvous.family;
  where.port = 0;
  listener_ = net::listen_at(where);
  if (!listener_) fatal("start", "cannot listen for other hosts: %s", std::strerror(errno));
  registration_.emplace(place_.rendezvous, greeting(Greeting::Purpose::kRegister), place_.key,
                        place_.patience);
}

Greeting TcpBootstrap::greeting(Greeting::Purpose purpose) const {
  Greeting greeting;
  greeting.purpose = purpose;
  greeting.number = node_.node();
  greeting.participants = place_.size;
  greeting.listens_at = place_.reached_at;
  greeting.listens_at.port = net::local_address(listener_.get()).port;
  return greeting;
}

bool TcpBootstrap::connect() {
  if (is_connected_) return true;
  admit_children();
  if (registration_ && registration_->advance()) {
    if (node_.has(TreeNode::kParent))
      greeter_.emplace(registration_->parent(), greeting(Greeting::Purpose::kJoin), place_.key);
    registration_.reset();
  }
  if (greeter_) connect_to_parent();
  if (registration_ || greeter_) return false;
  for (Link link = 0; link < TreeNode::kLinks; ++link) {
    if (node_.has(link) && !connections_[link].socket) return false;
  }
  visitors_.clear();
  listener_.close();
  return is_connected_ = true;
}

void TcpBootstrap::connect_to_parent() {
  const std::string parent = place_.name(node_.peer(TreeNode::kParent));
  switch (greeter_->advance()) {
    case Greeter::State::kUnderWay:
      return;
    case Greeter::State::kClosed:
      return lose("start", "cannot connect to " + parent + ": " + greeter_->why());
    case Greeter::State::kAnswered:
      break;
  }
  const GreetingAnswer& answer = greeter_->answer();
  if (answer.version != kGreetingVersion) refuse_version(parent, answer.version);
  if (answer.verdict == GreetingVerdict::kTaken)
    fatal("start", "two participants say that they are %s", place_.name(node_.node()).c_str());
  if (answer.verdict != GreetingVerdict::kWelcome)
    fatal("start", "%s does not take %s in: it is in a job of %u participants, and this one in one of %u",
          parent.c_str(), place_.name(node_.node()).c_str(), answer.number, place_.size);
  connections_[TreeNode::kParent].socket = greeter_->take_connection();
  greeter_.reset();
}

void TcpBootstrap::admit_children() {
  visitors_.serve(
      listener_.get(),
      [this](const Greeting& greeting, net::Descriptor& connection) { return admit(greeting, connection); },
      [this](const Greeting& greeting) {
        fatal("start", "a participant with the number %u is in a job of %u, and %s in one of %u",
              greeting.number, greeting.participants, place_.name(node_.node()).c_str(), place_.size);
      });
}

GreetingAnswer TcpBootstrap::admit(const Greeting& greeting, net::Descriptor& connection) {
  GreetingAnswer answer;
  answer.number = place_.size;
  for (Link link = 1; link < TreeNode::kLinks; ++link) {
    if (!node_.has(link) || node_.peer(link) != greeting.number) continue;
    if (connections_[link].socket) {
      answer.verdict = GreetingVerdict::kTaken;
      return answer;
    }
    connections_[link].socket = std::move(connection);
    return answer;
  }
  fatal("start", "%s connects to %s, which is not its parent", place_.name(greeting.number).c_str(),
        place_.name(node_.node()).c_str());
}

void TcpBootstrap::start(const Call& call, Bytes mine) {
  const bool contributes =
      call.kind == Kind::kAllGather || (call.kind == Kind::kBroadcast && call.root == rank());
  node_.begin(operation(), call, contributes, mine);
}

bool TcpBootstrap::step() {
  if (loss_) report_loss();
  if (loss_ || !connect()) return false;
  for (bool is_moving = true; is_moving && !node_.is_over();) {
    is_moving = false;
    for (Link link = 0; link < TreeNode::kLinks && !loss_; ++link) {
      if (node_.has(link)) is_moving = transfer(link) || is_moving;
    }
  }
  if (!node_.is_over()) return false;
  set_result(node_.result());
  return true;
}

bool TcpBootstrap::transfer(Link link) {
  Connection& connection = connections_[link];
  bool has_moved = false;
  if (const Bytes bytes = node_.to_send(link); !bytes.empty()) {
    const net::Transferred sent = net::send_some(connection.socket.get(), bytes.data(), bytes.size());
    if (sent.is_closed) {
      lose(link, sent.error);
      return false;
    }
    if (sent.bytes != 0) node_.sent(link, sent.bytes);
    has_moved = sent.bytes != 0;
  }
  if (!connection.is_closed) {
    std::byte buffer[std::size_t{32} << 10];
    const net::Transferred got = net::receive_some(connection.socket.get(), buffer, sizeof buffer);
    connection.is_closed = got.is_closed;
    if (got.bytes != 0) node_.receive(link, {buffer, got.bytes});
    has_moved = has_moved || got.bytes != 0;
    if (got.is_closed && node_.expects(link)) lose(link, got.error);
  } else if (node_.expects(link)) {
    lose(link, 0);
  }
  return has_moved && !loss_;
}

void TcpBootstrap::lose(const char* where, std::string line) {
  if (!loss_) loss_ = {where, std::move(line), std::chrono::steady_clock::now()};
  report_loss();
}

void TcpBootstrap::lose(Link link, int error) {
  lose("bootstrap", "the connection to " + node_.behind(link) + " is lost before the job was over: " +
                        (error == 0 ? "it was closed" : std::strerror(error)));
}

void TcpBootstrap::report_loss() const {
  if (std::chrono::steady_clock::now() - loss_->at >= place_.silence)
    fatal(loss_->where, "%s", loss_->line.c_str());
}

unsigned TcpBootstrap::connections() const {
  unsigned count = 0;
  for (const Connection& connection : connections_) count += connection.socket ? 1 : 0;
  return count;
}

void TcpBootstrap::add_to_poll(std::vector<pollfd>& polled) const {
  if (listener_) polled.push_back({listener_.get(), POLLIN, 0});
  visitors_.add_to_poll(polled);
  if (registration_) registration_->add_to_poll(polled);
  if (greeter_) greeter_->add_to_poll(polled);
  for (Link link = 0; link < TreeNode::kLinks; ++link) {
    const Connection& connection = connections_[link];
    if (!connection.socket || !is_connected_) continue;
    const bool sends = !node_.to_send(link).empty();
    const short events = static_cast<short>((connection.is_closed ? 0 : POLLIN) | (sends ? POLLOUT : 0));
    if (events != 0) polled.push_back({connection.socket.get(), events, 0});
  }
}

void TcpBootstrap::sleep() {
  if (advance()) return;
  constexpr int kLongestSleepMs = 100;
  std::vector<pollfd> polled;
  if (!loss_) add_to_poll(polled);  // after a loss the sleep only waits for its time
  int longest_ms = kLongestSleepMs;
  if (registration_) longest_ms = registration_->pause_ms();
  if (greeter_) longest_ms = greeter_->pause_ms();
  ::poll(polled.data(), polled.size(), longest_ms);
}

}  // namespace aqueduct::job
