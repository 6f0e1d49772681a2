#include "job/launchers/local_key.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/fatal.hpp"
#include "net/local_socket.hpp"
#include "net/tcp_socket.hpp"

namespace aqueduct::job::launchers {
namespace {

std::string name_at(const net::Address& root) { return "aqueduct-root-" + root.text(); }

/// Whether somebody listens at `root`.
bool is_taken(const net::Address& root) {
  constexpr int kPatienceMs = 1000;  // the loopback interface answers at once
  const net::Descriptor socket = net::connect_to(root);
  if (!socket) return false;
  pollfd polled = {socket.get(), POLLOUT, 0};
  ::poll(&polled, 1, kPatienceMs);
  int error = 0;
  socklen_t length = sizeof error;
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  return error == 0 && (polled.revents & POLLOUT) != 0;
}

net::Descriptor connect_to_root(const net::Address& root) {
  net::Descriptor socket = net::connect_locally(name_at(root));
  if (socket && !net::own_peer(socket.get()))
    fatal("start", "AQUEDUCT_ROOT: at %s there is another user's job; choose another port",
          root.text().c_str());
  if (!socket && errno != ECONNREFUSED && errno != EINTR && errno != EAGAIN)
    fatal("start", "cannot ask rank 0 for the job's key: %s", std::strerror(errno));
  return socket;
}

}  // namespace

bool LocalKeyServer::open(const net::Address& root) {
  listener_ = net::listen_locally(name_at(root));
  return listener_ && ::fcntl(listener_.get(), F_SETFL, O_NONBLOCK) == 0;
}

void LocalKeyServer::serve() {
  while (const net::Descriptor peer{
      ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)}) {
    // 32 bytes fit into any socket's buffer.
    if (net::own_peer(peer.get()))
      (void)!::send(peer.get(), key_.bytes().data(), net::JobKey::kBytes, MSG_NOSIGNAL);
  }
}

net::JobKey fetch_local_key(const net::Address& root, int timeout_ms) {
  using Clock = std::chrono::steady_clock;
  constexpr int kPauseMs = 10;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(timeout_ms);
  const auto left_ms = [&] {
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count());
  };
  for (; left_ms() > 0; ::poll(nullptr, 0, kPauseMs)) {
    net::Descriptor socket = connect_to_root(root);
    // A rank 0 that hands out a key was ready to do so before it listened.
    if (!socket && is_taken(root) && !(socket = connect_to_root(root))) break;
    if (!socket || !net::is_readable(socket.get(), left_ms())) continue;
    bool is_whole = false;
    net::JobKey key = net::JobKey::filled_by([&](std::span<std::uint8_t> bytes) {
      is_whole = ::recv(socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) ==
                 static_cast<ssize_t>(net::JobKey::kBytes);
    });
    if (is_whole) return key;
  }
  return net::JobKey::random();
}

}  // namespace aqueduct::job::launchers
