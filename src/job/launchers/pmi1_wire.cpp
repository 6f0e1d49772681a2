#include "job/launchers/pmi1_wire.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "job/launchers/plain.hpp"
#include "job/launchers/root_address.hpp"
#include "job/place/membership.hpp"
#include "net/tcp_socket.hpp"

namespace aqueduct::job::launchers {
namespace {

constexpr char kAdvice[] = "start the program with a launcher that speaks PMI 1, or set AQUEDUCT_LAUNCHER";

std::int64_t required(const char* name, std::int64_t least, std::int64_t most) {
  const std::optional<std::int64_t> value = env::integer({name}, least, most);
  if (!value) fatal("start", "the launcher pmi1 needs %s, which is not set; %s", name, kAdvice);
  return *value;
}

// An MPI that is linked but not started does not count: if a conduit starts it later, the job serves it, and
// this server would never get finalize.
bool has_program_started_mpi() {
  auto* const is_initialized = reinterpret_cast<int (*)(int*)>(::dlsym(RTLD_DEFAULT, "MPI_Initialized"));
  int is_started = 0;
  return is_initialized && is_initialized(&is_started) == 0 && is_started != 0;
}

}  // namespace

std::unique_ptr<LauncherExchange> Pmi1Wire::from_environment() {
  const auto size = static_cast<RankId>(required("PMI_SIZE", 1, kMaxRanks));
  const auto rank = static_cast<RankId>(required("PMI_RANK", 0, size - 1));
  set_reporting_rank(static_cast<int>(rank));
  const int fd = static_cast<int>(required("PMI_FD", 0, INT_MAX));
  struct stat status = {};
  if (::fstat(fd, &status) != 0)
    fatal("start", "PMI_FD=%d is not open; a program between the launcher and this one has closed it", fd);
  if (has_program_started_mpi())
    return std::make_unique<Pmi1Wire>("PMI_FD", net::Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 0)), rank, size,
                                      true);
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return std::make_unique<Pmi1Wire>("PMI_FD", net::Descriptor(fd), rank, size, false);
}

std::unique_ptr<LauncherExchange> Pmi1Wire::from_port() {
  const std::string text = env::text({"PMI_PORT"}, "");
  const std::int64_t process = required("PMI_ID", 0, INT_MAX);
  std::string why;
  const net::Address where = resolve_root(text, &why);
  if (!where) fatal("start", "PMI_PORT=%s %s; %s", printable(text).c_str(), why.c_str(), kAdvice);
  net::Descriptor socket = net::connect_to(where);
  pollfd connected = {socket.get(), POLLOUT, 0};
  if (socket && ::poll(&connected, 1, start_timeout_ms()) == 1) {
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error == 0) {
      ::fcntl(socket.get(), F_SETFL, ::fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
      return std::make_unique<Pmi1Wire>("PMI_PORT", std::move(socket), process);
    }
    errno = error;
  } else if (socket) {
    errno = ETIMEDOUT;
  }
  fatal("start", "the PMI server at PMI_PORT=%s cannot be reached: %s", printable(text).c_str(),
        std::strerror(errno));
}

Pmi1Wire::Pmi1Wire(const char* where, net::Descriptor socket, RankId rank, RankId size, bool is_shared)
    : where_(where), is_shared_(is_shared), socket_(std::move(socket)) {
  set_place(rank, size);
  begin();
}

Pmi1Wire::Pmi1Wire(const char* where, net::Descriptor socket, std::int64_t process)
    : where_(where), is_shared_(false), socket_(std::move(socket)) {
  const std::string request = "cmd=initack pmiid=" + std::to_string(process);
  ask(request, "initack");
  std::optional<std::int64_t> rank, size;
  for (int told = 0; told < 3; ++told) {
    const PmiLine line = hear(request, "set");
    if (line.value("size")) size = line.number("size");
    if (line.value("rank")) rank = line.number("rank");
  }
  if (!size || *size < 1 || *size > kMaxRanks || !rank || *rank < 0 || *rank >= *size)
    fatal("start", "the PMI server tells no rank and size that can be; %s", kAdvice);
  set_reporting_rank(static_cast<int>(*rank));
  set_place(static_cast<RankId>(*rank), static_cast<RankId>(*size));
  begin();
}

void Pmi1Wire::begin() {
  const PmiLine init = ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init");
  if (init.number("pmi_version") != 1) fatal("start", "the PMI server does not speak version 1; %s", kAdvice);
  const PmiLine space = ask("cmd=get_my_kvsname", "my_kvsname");
  if (const std::string* const name = space.value("kvsname"); name && !name->empty()) {
    space_ = *name;
  } else {
    fatal("start", "the PMI server has no space for values (my_kvsname without kvsname); %s", kAdvice);
  }
}

std::vector<std::string> Pmi1Wire::all_gather(const std::string& mine) {
  const std::string key = "aqueduct-" + std::to_string(++round_) + "-";
  ask("cmd=put kvsname=" + space_ + " key=" + key + std::to_string(rank()) + " value=" + mine, "put_result");
  ask("cmd=barrier_in", "barrier_out");
  std::vector<std::string> all(size());
  for (RankId peer = 0; peer < size(); ++peer) {
    const PmiLine got = ask("cmd=get kvsname=" + space_ + " key=" + key + std::to_string(peer), "get_result");
    const std::string* const value = got.value("value");
    if (!value || value->empty())
      fatal("start", "the PMI server has no value of rank %u (get_result without value)", peer);
    all[peer] = *value;
  }
  return all;
}

void Pmi1Wire::abort(int code, const char*) {
  if (!socket_) return;
  const std::string line = "cmd=abort exitcode=" + std::to_string(code) + "\n";
  (void)!::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Pmi1Wire::finish() {
  if (!is_shared_) ask("cmd=finalize", "finalize_ack");
  socket_.close();
}

PmiLine Pmi1Wire::ask(const std::string& request, const char* expected) {
  send(request + "\n");
  return hear(request, expected);
}

PmiLine Pmi1Wire::hear(const std::string& request, const char* expected) {
  const std::string line = receive(request);
  std::string why;
  std::optional<PmiLine> answer = PmiLine::parse(line, &why);
  if (!answer)
    fatal("start", "what answers at %s is not a PMI server: it says '%s' to '%s', and %s; %s", where_,
          printable(line).c_str(), printable(request).c_str(), why.c_str(), kAdvice);
  if (answer->command() != expected)
    fatal("start", "the PMI server answers '%s' with cmd=%s instead of %s; %s", printable(request).c_str(),
          printable(answer->command()).c_str(), expected, kAdvice);
  if (answer->value("rc") && answer->number("rc") != 0) {
    const std::string* const message = answer->value("msg");
    fatal("start", "the PMI server refuses '%s': rc=%s %s", printable(request).c_str(),
          printable(*answer->value("rc")).c_str(), message ? printable(*message).c_str() : "");
  }
  return *answer;
}

void Pmi1Wire::send(const std::string& line) {
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t bytes = ::send(socket_.get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) fatal("start", "cannot write to the PMI server at %s: %s", where_, std::strerror(errno));
    sent += static_cast<std::size_t>(bytes);
  }
}

std::string Pmi1Wire::receive(const std::string& request) {
  for (;;) {
    if (std::optional<std::string> line = received_.next()) return *line;
    if (received_.is_too_long())
      fatal("start", "what answers at %s is not a PMI server: more than %zu bytes without an end of line; %s",
            where_, kMostPmiLine, kAdvice);
    char buffer[4096];
    const ssize_t bytes = ::read(socket_.get(), buffer, sizeof buffer);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0)
      fatal("start", "the PMI server has closed its connection before it answered '%s'%s%s",
            printable(request).c_str(), bytes < 0 ? ": " : "", bytes < 0 ? std::strerror(errno) : "");
    received_.append({buffer, static_cast<std::size_t>(bytes)});
  }
}

}  // namespace aqueduct::job::launchers
