// A rendezvous on the loopback interface, served by a thread or a process of the test.
#pragma once
#include <memory>
#include <thread>

#include "job/bootstrap/tcp_bootstrap.hpp"

namespace aqueduct::job::test {

class RendezvousServer {
 public:
  enum class As : std::uint8_t { kThread, kProcess };

  explicit RendezvousServer(RankId participants, As as = As::kThread);
  ~RendezvousServer();

  /// What a participant is told.
  TcpPlace place(RankId node) const;

 private:
  void serve(const std::stop_token& stop);

  RankId participants_;
  net::JobKey key_ = net::JobKey::random();
  Rendezvous rendezvous_;
  std::uint16_t port_;
  pid_t process_ = -1;
  std::jthread thread_;
};

}  // namespace aqueduct::job::test
