#include "bootstrap/rendezvous_server.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace aqueduct::job::test {

RendezvousServer::RendezvousServer(RankId participants, As as)
    : participants_(participants), rendezvous_(key_, participants) {
  EXPECT_TRUE(rendezvous_.open(*net::Address::parse("127.0.0.1:0")));
  port_ = rendezvous_.port();
  if (as == As::kThread) {
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
    return;
  }
  process_ = ::fork();
  if (process_ != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a death test ends its process without a word
  serve({});
}

RendezvousServer::~RendezvousServer() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

TcpPlace RendezvousServer::place(RankId node) const {
  TcpPlace place;
  place.node = node;
  place.size = participants_;
  place.key = key_;
  place.rendezvous = *net::Address::parse("127.0.0.1:0");
  place.rendezvous.port = port_;
  return place;
}

void RendezvousServer::serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<pollfd> polled;
    rendezvous_.add_to_poll(polled);
    ::poll(polled.data(), polled.size(), 10);
    rendezvous_.serve();
  }
}

}  // namespace aqueduct::job::test
