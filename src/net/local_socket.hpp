// Sockets between processes of one machine and one user. Their names are not in a file system and disappear
// with the socket; processes in another network namespace do not see them. Anybody may connect, so both sides
// ask the kernel for the other side's user.
#pragma once
#include <sys/socket.h>
#include <sys/types.h>

#include <optional>
#include <string_view>

#include "net/descriptor.hpp"

namespace aqueduct::net {

/// Listens; `type` is that of socket(2), with its flags. Invalid with errno if that is not possible:
/// EADDRINUSE if the name is in use.
Descriptor listen_locally(std::string_view name, int type = SOCK_SEQPACKET);
/// Connects. Invalid with errno if that is not possible: ECONNREFUSED if nobody listens at the name.
Descriptor connect_locally(std::string_view name, int type = SOCK_SEQPACKET);

/// The process at the other end, if it belongs to the same user.
std::optional<pid_t> own_peer(int socket);

/// Waits until there is something to read, or the other end is closed. False after `timeout_ms`.
bool is_readable(int fd, int timeout_ms);

}  // namespace aqueduct::net
