#include "job/warden/enrolment.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/fatal.hpp"
#include "net/local_socket.hpp"

namespace aqueduct::job::warden {
namespace {

std::string name_of_warden(std::uint64_t name) {
  char text[32];
  std::snprintf(text, sizeof text, "aqueduct-%016llx", static_cast<unsigned long long>(name));
  return text;
}

net::Descriptor connect_to_warden(std::uint64_t name, int timeout_ms) {
  for (int waited_ms = 0;; ++waited_ms) {
    if (net::Descriptor socket = net::connect_locally(name_of_warden(name))) return socket;
    if (errno != ECONNREFUSED && errno != EINTR && errno != EAGAIN)
      fatal("start", "cannot connect to this host's warden: %s", std::strerror(errno));
    if (waited_ms >= timeout_ms)
      fatal("start", "this host's first rank has started no warden within %g s; see what it says",
            timeout_ms / 1000.0);
    ::usleep(1000);
  }
}

}  // namespace

net::Descriptor listen_for_ranks(std::uint64_t name) { return net::listen_locally(name_of_warden(name)); }

std::optional<Enrolment> accept_rank(int listener) {
  constexpr int kPatienceMs = 1000;
  Enrolment enrolment;
  enrolment.control = net::Descriptor(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (!enrolment.control) return std::nullopt;
  const std::optional<pid_t> peer = net::own_peer(enrolment.control.get());
  if (!peer || !net::is_readable(enrolment.control.get(), kPatienceMs)) return std::nullopt;
  enrolment.pid = *peer;
  const ssize_t received =
      ::recv(enrolment.control.get(), &enrolment.said, sizeof enrolment.said, MSG_DONTWAIT | MSG_TRUNC);
  if (received != static_cast<ssize_t>(sizeof enrolment.said) || enrolment.said.magic != Enrol::kMagic ||
      enrolment.said.version != Enrol().version)
    return std::nullopt;
  return enrolment;
}

bool welcome(int control, const Welcome& answer, int memory_fd) {
  Welcome sent = answer;
  iovec part = {&sent, sizeof sent};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof memory_fd)] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof memory_fd);
  std::memcpy(CMSG_DATA(header), &memory_fd, sizeof memory_fd);
  return ::sendmsg(control, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof sent);
}

Enrolled enrol(std::uint64_t name, RankId rank, int timeout_ms) {
  net::Descriptor control = connect_to_warden(name, timeout_ms);
  if (!net::own_peer(control.get())) fatal("start", "the warden of this host belongs to another user");
  Enrol mine;
  mine.rank = rank;
  mine.session = ::getsid(0);
  ::sched_getaffinity(0, sizeof mine.cpus, &mine.cpus);
  if (::send(control.get(), &mine, sizeof mine, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof mine))
    fatal("start", "cannot enrol at this host's warden: %s", std::strerror(errno));

  if (!net::is_readable(control.get(), timeout_ms))
    fatal("start", "the other ranks of this host have not come within %g s (AQUEDUCT_START_TIMEOUT)",
          timeout_ms / 1000.0);
  Welcome answer;
  iovec part = {&answer, sizeof answer};
  int memory_fd = -1;
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof memory_fd)] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  const ssize_t received = ::recvmsg(control.get(), &message, MSG_CMSG_CLOEXEC);
  if (const cmsghdr* const header = CMSG_FIRSTHDR(&message);
      header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    std::memcpy(&memory_fd, CMSG_DATA(header), sizeof memory_fd);
  if (received != static_cast<ssize_t>(sizeof answer) || answer.magic != Enrol::kMagic || memory_fd < 0)
    fatal("start", "this host's warden has ended before all ranks of the host were there; see what it says");
  return {control.release(), memory_fd, answer.cores, answer.yields_reach_others != 0};
}

}  // namespace aqueduct::job::warden
