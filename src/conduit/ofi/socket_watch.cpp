#include "conduit/ofi/socket_watch.hpp"

#include <dirent.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "net/system_address.hpp"

namespace aqueduct::conduit::ofi {
namespace {

constexpr std::uint64_t kConnectsWithinNs = 1'000'000'000;
// A socket that fires later than the others is told of packets until its turn comes, which is cheap.
constexpr unsigned kPollsToDisarm = 256;
constexpr int kAtOnce = 64;

struct CloseListing {
  void operator()(DIR* listing) const { ::closedir(listing); }
};
using Listing = std::unique_ptr<DIR, CloseListing>;

Listing list_descriptors() { return Listing(::opendir("/proc/self/fd")); }

bool control(int set, int operation, int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  return ::epoll_ctl(set, operation, fd, &event) == 0;
}

template <class GetName>
net::Address name_of(int fd, GetName get_name) {
  net::SocketAddress name{};
  socklen_t bytes = sizeof name;
  return get_name(fd, &name.any, &bytes) == 0 ? net::from_system(name) : net::Address{};
}

}  // namespace

std::unique_ptr<SocketWatch> SocketWatch::open() {
  net::Descriptor set(::epoll_create1(EPOLL_CLOEXEC));
  if (!set || !list_descriptors()) return nullptr;
  return std::unique_ptr<SocketWatch>(new SocketWatch(std::move(set)));
}

bool SocketWatch::is_ours(int fd, bool* listens) const {
  int kind = 0;
  socklen_t bytes = sizeof kind;
  if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &kind, &bytes) != 0 || kind != SOCK_STREAM) return false;
  const net::Address here = name_of(fd, ::getsockname);
  if (!here) return false;
  int accepts = 0;
  bytes = sizeof accepts;
  *listens = ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &bytes) == 0 && accepts != 0;
  if (here.port == port_) return true;
  return !*listens && std::ranges::find(contacts_, name_of(fd, ::getpeername)) != contacts_.end();
}

bool SocketWatch::is_known(int fd) const {
  return fd == listener_ || fd == set_.get() ||
         std::ranges::find(sockets_, fd, &Socket::fd) != sockets_.end();
}

void SocketWatch::look_for_sockets() {
  const Listing listing = list_descriptors();
  if (!listing) return;
  while (const dirent* const entry = ::readdir(listing.get())) {
    const int fd = std::atoi(entry->d_name);
    bool listens = false;
    if (entry->d_name[0] == '.' || is_known(fd) || !is_ours(fd, &listens)) continue;
    if (!control(set_.get(), EPOLL_CTL_ADD, fd, listens ? EPOLLIN | EPOLLET : EPOLLONESHOT)) continue;
    if (listens) {
      listener_ = fd;
    } else {
      sockets_.push_back({fd, 0});
      room_.push_back({fd, POLLOUT, 0});
    }
  }
}

void SocketWatch::forget(std::size_t place) {
  if (sockets_[place].armed_for != 0) --armed_;
  sockets_[place] = sockets_.back();
  sockets_.pop_back();
  room_[place] = room_.back();
  room_.pop_back();
}

// Those that have told something are not armed any more: the kernel has seen to that.
void SocketWatch::disarm() {
  until_disarm_ = kPollsToDisarm;
  epoll_event told[kAtOnce];
  int count;
  do {
    count = ::epoll_wait(set_.get(), told, kAtOnce, 0);
    for (int i = 0; i < count; ++i) {
      const int fd = told[i].data.fd;
      if (fd == listener_) {
        must_look_ = true;
        continue;
      }
      const auto found = std::ranges::find(sockets_, fd, &Socket::fd);
      if (found == sockets_.end()) continue;
      if (found->armed_for != 0) --armed_;
      found->armed_for = 0;
      if ((told[i].events & (EPOLLERR | EPOLLHUP)) == 0) continue;
      // It is at its end, and would tell that again and again.
      control(set_.get(), EPOLL_CTL_DEL, fd, 0);
      forget(static_cast<std::size_t>(found - sockets_.begin()));
    }
  } while (count == kAtOnce);
}

void SocketWatch::find_full_ones() { ::poll(room_.data(), room_.size(), 0); }

void SocketWatch::arm(std::uint64_t now_ns) {
  disarm();
  if (must_look_ || contacts_seen_ != contacts_.size()) {
    looks_until_ns_ = now_ns + kConnectsWithinNs;
    contacts_seen_ = contacts_.size();
    must_look_ = false;
  }
  const bool may_change = now_ns < looks_until_ns_;
  if (may_change) {
    look_for_sockets();
  } else if (contacts_seen_ != 0) {
    contacts_.clear();
    contacts_seen_ = 0;
  }
  find_full_ones();
  for (std::size_t i = 0; i < sockets_.size();) {
    Socket& socket = sockets_[i];
    const std::uint32_t awaited = EPOLLIN | EPOLLONESHOT | ((room_[i].revents & POLLOUT) ? 0u : EPOLLOUT);
    if (socket.armed_for != awaited || may_change) {                  // another one may have its number now
      if (!control(set_.get(), EPOLL_CTL_MOD, socket.fd, awaited)) {  // it has been closed
        must_look_ = true;
        forget(i);
        continue;
      }
      if (socket.armed_for == 0) ++armed_;
      socket.armed_for = awaited;
    }
    ++i;
  }
  until_disarm_ = 1;
}

bool SocketWatch::covers_all() {
  find_full_ones();
  for (std::size_t i = 0; i < sockets_.size(); ++i) {
    if ((room_[i].revents & POLLOUT) == 0 && (sockets_[i].armed_for & EPOLLOUT) == 0) return false;
  }
  return true;
}

}  // namespace aqueduct::conduit::ofi
