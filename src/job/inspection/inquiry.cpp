#include "job/inspection/inquiry.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "base/clock.hpp"
#include "net/job_key.hpp"

namespace aqueduct::job {
namespace {

/// A name that begins with a zero is not in a file system and disappears with its socket.
socklen_t inquiry_address(const std::string& name, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), length);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
}

bool may_ask(int socket) {
  ucred peer = {};
  socklen_t length = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
         (peer.uid == ::geteuid() || peer.uid == 0);
}

std::unique_ptr<agent::Link> link_over(net::Descriptor socket) {
  net::Descriptor out(::dup(socket.get()));
  return std::make_unique<agent::Link>(std::move(socket), std::move(out), false);
}

}  // namespace

bool Inquiries::open() {
  constexpr int kBacklog = 16;
  name_ = "aqueduct-job-" + std::to_string(::getpid()) + "-";
  name_ += std::string_view(net::JobKey::random().text()).substr(0, 16);
  sockaddr_un address;
  const socklen_t length = inquiry_address(name_, address);
  listener_ = net::Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (listener_ && ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0 &&
      ::listen(listener_.get(), kBacklog) == 0)
    return events_.watch(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept(); });
  listener_.close();
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
  free->link = link_over(std::move(socket));
  const auto index = static_cast<std::size_t>(free - askers_.begin());
  free->link->watch(events_, [this, index] { hear(index); });
}

void Inquiries::hear(std::size_t index) {
  Asker& asker = askers_[index];
  if (!asker.link) return;
  bool has_asked = false;
  asker.link->receive();
  while (const std::optional<agent::Message> message = asker.link->next()) {
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

std::optional<std::vector<observe::RankState>> inquire(const std::string& name, const InspectOptions& look,
                                                       std::string* why) {
  constexpr std::uint64_t kPatienceNs = 5'000'000'000;
  const auto refuse = [&](const std::string& reason) {
    *why = reason;
    return std::nullopt;
  };
  sockaddr_un address;
  const socklen_t length = inquiry_address(name, address);
  net::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0)
    return refuse(errno == ECONNREFUSED ? "it has ended" : std::strerror(errno));
  const std::unique_ptr<agent::Link> link = link_over(std::move(socket));
  net::EventSet events;
  link->watch(events, [&] { link->receive(); });
  link->send(agent::Inspect{look.with_stacks, look.with_counters});
  const std::uint64_t end_ns = machine_clock().now_ns() + kPatienceNs;
  while (machine_clock().now_ns() < end_ns) {
    events.wait_until(end_ns);
    while (events.serve_next()) {
    }
    while (const std::optional<agent::Message> message = link->next()) {
      if (const auto* const inspected = std::get_if<agent::Inspected>(&*message)) {
        std::optional<std::vector<observe::RankState>> states = observe::decode(inspected->states);
        if (!states) return refuse("its launcher says what cannot be understood");
        return states;
      }
    }
    if (link->is_garbled()) return refuse("its launcher says what cannot be understood");
    if (link->is_closed()) return refuse("it has ended");
  }
  return refuse("its launcher does not answer");
}

}  // namespace aqueduct::job
