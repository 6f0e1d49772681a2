#include "pmi_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>

namespace aqueduct::test {
namespace {

std::string word(const std::string& line, const std::string& name) {
  const std::size_t at = line.find(name + "=");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 1;
  return line.substr(begin, line.find(' ', begin) - begin);
}

}  // namespace

std::vector<Outcome> PmiServer::run(int ranks, const std::vector<std::string>& command,
                                    const std::vector<std::string>& environment) {
  std::vector<std::unique_ptr<Process>> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw std::runtime_error("no socket");
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    std::vector<std::string> settings = environment;
    settings.push_back("PMI_FD=" + std::to_string(ends[1]));
    settings.push_back("PMI_RANK=" + std::to_string(rank));
    settings.push_back("PMI_SIZE=" + std::to_string(ranks));
    processes.push_back(std::make_unique<Process>(command, settings));
    close(ends[1]);
    sockets_.push_back(ends[0]);
  }
  unread_.resize(sockets_.size());
  for (bool is_served = true; is_served;) {
    std::vector<pollfd> polled;
    for (const int socket : sockets_) polled.push_back({socket, POLLIN, 0});
    poll(polled.data(), polled.size(), -1);
    is_served = false;
    for (std::size_t rank = 0; rank < sockets_.size(); ++rank) {
      if (polled[rank].revents != 0) {
        char buffer[4096];
        const ssize_t bytes = read(sockets_[rank], buffer, sizeof buffer);
        if (bytes <= 0) {
          close(sockets_[rank]);
          sockets_[rank] = -1;
        } else {
          unread_[rank].append(buffer, static_cast<std::size_t>(bytes));
        }
      }
      for (std::size_t end; sockets_[rank] >= 0 && (end = unread_[rank].find('\n')) != std::string::npos;) {
        const std::string request = unread_[rank].substr(0, end);
        unread_[rank].erase(0, end + 1);
        serve(static_cast<int>(rank), request);
      }
      is_served = is_served || sockets_[rank] >= 0;
    }
  }
  std::vector<Outcome> outcomes;
  for (auto& process : processes) outcomes.push_back(process->finish(120));
  return outcomes;
}

void PmiServer::send(int rank, const std::string& text) {
  (void)!::send(sockets_[static_cast<std::size_t>(rank)], text.data(), text.size(), MSG_NOSIGNAL);
}

void PmiServer::serve(int rank, const std::string& request) {
  if (instead_) {
    if (const std::optional<std::string> other = instead_(rank, request)) {
      send(rank, *other);
      if (!other->empty()) return;
      close(sockets_[static_cast<std::size_t>(rank)]);
      sockets_[static_cast<std::size_t>(rank)] = -1;
      return;
    }
  }
  if (word(request, "cmd") != "barrier_in") return send(rank, answer_to(request) + "\n");
  if (++in_barrier_ < sockets_.size()) return;
  in_barrier_ = 0;
  for (std::size_t each = 0; each < sockets_.size(); ++each)
    send(static_cast<int>(each), "cmd=barrier_out rc=0\n");
}

std::string PmiServer::answer_to(const std::string& request) {
  const std::string command = word(request, "cmd");
  if (command == "init") return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0";
  if (command == "get_my_kvsname") return "cmd=my_kvsname kvsname=kvs_1_0";
  if (command == "put") {
    values_[word(request, "key")] = word(request, "value");
    return "cmd=put_result rc=0 msg=success";
  }
  if (command == "get") {
    const auto found = values_.find(word(request, "key"));
    if (found == values_.end()) return "cmd=get_result rc=-1 msg=key_not_found value=unknown";
    return "cmd=get_result rc=0 msg=success value=" + found->second;
  }
  if (command == "finalize") return "cmd=finalize_ack";
  return "cmd=unknown rc=-1";
}

}  // namespace aqueduct::test
