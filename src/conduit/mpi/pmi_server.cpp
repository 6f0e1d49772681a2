#include "conduit/mpi/pmi_server.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/fatal.hpp"

namespace aqueduct::conduit::mpi {
namespace {

// What follows `name=`, up to a blank; of a value, up to the end of the line.
std::string_view word(std::string_view line, std::string_view name) {
  for (std::size_t at = 0; (at = line.find(name, at)) != line.npos; ++at) {
    const bool is_whole = (at == 0 || line[at - 1] == ' ') && line.substr(at + name.size()).starts_with('=');
    if (!is_whole) continue;
    const std::string_view rest = line.substr(at + name.size() + 1);
    return rest.substr(0, rest.find(name == "value" ? '\n' : ' '));
  }
  return {};
}

}  // namespace

std::string PmiServer::answer(std::string_view line) {
  while (line.ends_with('\n')) line.remove_suffix(1);
  const std::string_view command = word(line, "cmd");
  if (command == "init") return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n";
  if (command == "get_maxes") {
    return "cmd=maxes kvsname_max=64 keylen_max=" + std::to_string(KeyValues::kMostKey) +
           " vallen_max=" + std::to_string(KeyValues::kMostValue) + '\n';
  }
  if (command == "get_appnum") return "cmd=appnum appnum=0\n";
  if (command == "get_my_kvsname") return "cmd=my_kvsname kvsname=aqueduct\n";
  if (command == "get_universe_size")
    return "cmd=universe_size size=" + std::to_string(values_.size()) + '\n';
  if (command == "put") {
    values_.put(word(line, "key"), word(line, "value"));
    return "cmd=put_result rc=0 msg=success\n";
  }
  if (command == "barrier_in") {
    values_.fence();
    return "cmd=barrier_out\n";
  }
  if (command == "get") {
    const std::string* const found = values_.get(word(line, "key"));
    if (!found) return "cmd=get_result rc=-1 msg=key_not_found value=unknown\n";
    return "cmd=get_result rc=0 msg=success value=" + *found + '\n';
  }
  if (command == "finalize") return "cmd=finalize_ack\n";
  fatal("mpi",
        "MPICH asks its launcher for '%.*s', which it does not get here; start the job with its mpiexec",
        static_cast<int>(std::min<std::size_t>(line.size(), 200)), line.data());
}

void PmiServer::serve(int socket) {
  std::string received;
  char part[2048];
  for (;;) {
    const ssize_t got = ::recv(socket, part, sizeof part, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    received.append(part, static_cast<std::size_t>(got));
    for (std::size_t end; (end = received.find('\n')) != received.npos; received.erase(0, end + 1)) {
      const std::string text = answer(std::string_view(received).substr(0, end));
      if (::send(socket, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) return;
    }
  }
}

}  // namespace aqueduct::conduit::mpi
