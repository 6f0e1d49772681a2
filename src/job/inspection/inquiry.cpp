#include "job/inspection/inquiry.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "net/job_key.hpp"
#include "net/local_socket.hpp"

namespace aqueduct::job {
namespace {

bool may_ask(int socket) {
  ucred peer = {};
  socklen_t length = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
         (peer.uid == ::geteuid() || peer.uid == 0);
}

}  // namespace

bool Inquiries::open() {
  name_ = "aqueduct-job-" + std::to_string(::getpid()) + "-";
  name_ += std::string_view(net::JobKey::random().text()).substr(0, 16);
  listener_ = net::listen_locally(name_, SOCK_STREAM | SOCK_NONBLOCK);
  if (listener_) return events_.watch(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept(); });
  name_.clear();
  return false;
}

void Inquiries::accept() {
  net::Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket || !may_ask(socket.get())) return;
  auto free = std::find_if(askers_.begin(), askers_.end(), [](const Asker& asker) { return !asker.link; });
  if (free == askers_.end()) {
    if (askers_.size() == kMostAtOnce) return;
    free = askers_.insert(askers_.end(), Asker());
  }
  free->link = std::make_unique<RankLink>(std::move(socket));
  const auto index = static_cast<std::size_t>(free - askers_.begin());
  free->link->watch(events_, [this, index] { hear(index); });
}

void Inquiries::hear(std::size_t index) {
  Asker& asker = askers_[index];
  if (!asker.link) return;
  bool has_asked = false;
  asker.link->receive();
  while (const std::optional<agent::RankMessage> message = asker.link->next()) {
    const auto* const inspect = std::get_if<agent::Inspect>(&*message);
    if (!inspect) continue;
    if (!are_waiting()) wanted_ = {};
    wanted_.with_stacks |= inspect->with_stacks;
    wanted_.with_counters |= inspect->with_counters;
    asker.is_waiting = has_asked = true;
  }
  if (asker.link->is_closed() || asker.link->is_garbled()) {
    asker.link->close();
    asker = {};
  }
  if (has_asked) asked_();
}

bool Inquiries::are_waiting() const {
  return std::any_of(askers_.begin(), askers_.end(), [](const Asker& asker) { return asker.is_waiting; });
}

void Inquiries::answer(const std::vector<observe::RankState>& states) {
  for (Asker& asker : askers_) {
    if (!asker.is_waiting) continue;
    asker.is_waiting = false;
    asker.link->send(agent::Inspected{observe::encode(states)});
  }
}

}  // namespace aqueduct::job
