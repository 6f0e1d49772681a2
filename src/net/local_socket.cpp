#include "net/local_socket.hpp"

#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace aqueduct::net {
namespace {

/// A name that begins with a zero is not in a file system.
socklen_t name_locally(std::string_view name, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), length);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
}

/// Closes the socket and keeps errno.
Descriptor without(Descriptor socket) {
  const int reason = errno;
  socket.close();
  errno = reason;
  return {};
}

}  // namespace

Descriptor listen_locally(std::string_view name, int type) {
  constexpr int kBacklog = 4096;
  sockaddr_un address;
  const socklen_t length = name_locally(name, address);
  Descriptor socket(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  if (socket && ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0 &&
      ::listen(socket.get(), kBacklog) == 0)
    return socket;
  return without(std::move(socket));
}

Descriptor connect_locally(std::string_view name, int type) {
  sockaddr_un address;
  const socklen_t length = name_locally(name, address);
  Descriptor socket(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  if (socket && ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0)
    return socket;
  return without(std::move(socket));
}

std::optional<pid_t> own_peer(int socket) {
  ucred peer = {};
  socklen_t length = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.uid != ::geteuid())
    return std::nullopt;
  return peer.pid;
}

bool is_readable(int fd, int timeout_ms) {
  pollfd polled = {fd, POLLIN, 0};
  int ready;
  do {
    ready = ::poll(&polled, 1, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace aqueduct::net
