// A rank of a job on one or several hosts that starts no further than its bootstrap.
//
//   test_job_hosts meet                 gathers, and says what it found and how many TCP sockets there are
//   test_job_hosts kill|exit RANK N     that rank takes N steps of its first operation and goes
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "job/join.hpp"
#include "job/place/leave.hpp"
#include "world/world.hpp"

namespace {

using namespace aqueduct;

/// The inodes of all TCP sockets of this machine.
std::set<std::string> tcp_sockets() {
  constexpr int kInodeColumn = 10;
  std::set<std::string> inodes;
  std::ifstream table("/proc/net/tcp");
  for (std::string line; std::getline(table, line);) {
    std::istringstream columns(line);
    std::string column;
    for (int i = 0; i < kInodeColumn; ++i) columns >> column;
    inodes.insert("socket:[" + column + "]");
  }
  return inodes;
}

/// The TCP sockets that one process has and another has not, which may have inherited some.
std::size_t count_tcp_sockets(const std::string& process, const std::string& other) {
  const std::set<std::string> tcp = tcp_sockets();
  const auto sockets_of = [&](const std::string& whose) {
    std::set<std::string> sockets;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + whose + "/fd")) {
      std::error_code error;
      const std::string target = std::filesystem::read_symlink(entry.path(), error);
      if (tcp.count(target) != 0) sockets.insert(target);
    }
    return sockets;
  };
  std::set<std::string> sockets = sockets_of(process);
  for (const std::string& inherited : sockets_of(other)) sockets.erase(inherited);
  return sockets.size();
}

void meet(const job::Membership& me) {
  const std::string self = "self";
  const std::string supervisor = std::to_string(getppid());
  // Its leader has not come yet, so whatever there is for it to come to is still there.
  const bool is_awaited = me.hosts.local_rank_of(me.rank) == 0 && count_tcp_sockets(supervisor, self) != 0;
  const auto bootstrap = world::live().make_bootstrap();
  unsigned sum = 0;
  bootstrap->all_gather(me.rank, [&](RankId, RankId theirs) { sum += theirs; });
  const std::size_t own = count_tcp_sockets(self, supervisor);
  while (count_tcp_sockets(supervisor, self) != 0) usleep(1000);
  bootstrap->barrier();
  std::printf("rank %u sum %u rendezvous %d connections %zu\n", me.rank, sum, is_awaited, own);
}

[[noreturn]] void go(const job::Membership& me, const std::string& how, RankId rank, int steps) {
  const auto bootstrap = world::live().make_bootstrap();
  if (me.rank == rank) {
    bootstrap->begin_barrier();
    for (int i = 0; i < steps; ++i) bootstrap->advance();
    if (how == "exit") job::exit_job(5);
    raise(SIGKILL);
  }
  bootstrap->barrier();
  bootstrap->barrier();
  std::abort();
}

}  // namespace

int main(int, char** argv) {
  const job::Membership& me = job::join();
  const std::string what = argv[1];
  if (what != "meet") go(me, what, static_cast<RankId>(std::atoi(argv[2])), std::atoi(argv[3]));
  meet(me);
  return 0;
}
