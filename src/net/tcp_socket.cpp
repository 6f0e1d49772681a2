#include "net/tcp_socket.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

#include "net/system_address.hpp"

namespace aqueduct::net {
namespace {

constexpr int kBacklog = 4096;

Descriptor open_socket(sa_family_t family) {
  return Descriptor(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

void set_option(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

/// Small messages leave at once; keep-alive notices a host that has vanished after half a minute.
void prepare_connection(int socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
}

Transferred transferred(ssize_t result, bool zero_is_end) {
  if (result > 0) return {static_cast<std::size_t>(result), false, 0};
  if (result == 0) return {0, zero_is_end, 0};
  const bool is_later = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  return {0, !is_later, is_later ? 0 : errno};
}

}  // namespace

Descriptor listen_at(const Address& where) {
  SocketAddress system;
  const socklen_t length = to_system(where, system);
  Descriptor socket = open_socket(system.any.sa_family);
  if (!socket) return socket;
  // Connections of an earlier job at a chosen port may still be closing.
  if (where.port != 0) set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (::bind(socket.get(), &system.any, length) == 0 && ::listen(socket.get(), kBacklog) == 0) return socket;
  const int reason = errno;
  socket.close();
  errno = reason;
  return socket;
}

Descriptor accept_from(int listener) {
  Descriptor socket(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket) prepare_connection(socket.get());
  return socket;
}

Descriptor connect_to(const Address& where) {
  SocketAddress system;
  const socklen_t length = to_system(where, system);
  Descriptor socket = open_socket(system.any.sa_family);
  if (!socket) return socket;
  prepare_connection(socket.get());
  if (::connect(socket.get(), &system.any, length) == 0 || errno == EINPROGRESS || errno == EINTR)
    return socket;
  const int reason = errno;
  socket.close();
  errno = reason;
  return socket;
}

Address local_address(int socket) {
  SocketAddress system = {};
  socklen_t length = sizeof system;
  ::getsockname(socket, &system.any, &length);
  return from_system(system);
}

Address peer_address(int socket) {
  SocketAddress system = {};
  socklen_t length = sizeof system;
  ::getpeername(socket, &system.any, &length);
  return from_system(system);
}

Address own_address_towards(const Address& where) {
  SocketAddress system;
  const socklen_t length = to_system(where, system);
  // Connecting a datagram socket sends nothing, and chooses this end's address.
  const Descriptor socket(::socket(system.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  Address address;
  if (socket && ::connect(socket.get(), &system.any, length) == 0) address = local_address(socket.get());
  address.family = where.family;
  address.port = 0;
  return address;
}

Transferred receive_some(int socket, void* to, std::size_t bytes) {
  return transferred(::recv(socket, to, bytes, 0), true);
}

Transferred send_some(int socket, const void* from, std::size_t bytes) {
  return transferred(::send(socket, from, bytes, MSG_NOSIGNAL), false);
}

}  // namespace aqueduct::net
