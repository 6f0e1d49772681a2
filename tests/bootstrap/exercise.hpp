// What every bootstrap is held to: random sequences of operations, by threads or processes that are its
// ranks.
#pragma once
#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "job/bootstrap/bootstrap.hpp"
#include "job/place/shared_room.hpp"

namespace aqueduct::job::test {

/// Makes `rounds` operations, the same for the same seed at every rank, and expects their results.
/// `largest`: of one rank's bytes.
void exercise(Bootstrap& bootstrap, std::uint64_t seed, unsigned rounds, std::size_t largest);

/// Runs `main` as each of `ranks` threads.
void run_threads(RankId ranks, const std::function<void(RankId)>& main);
/// Runs `main` as each of `ranks` processes; a failed expectation in one is one here.
void run_forks(RankId ranks, const std::function<void(RankId)>& main);

/// A room that threads share at the same addresses, so that ThreadSanitizer sees who meets there.
class ThreadRoom {
 public:
  ~ThreadRoom();
  std::unique_ptr<SharedRoom> view();
  std::byte* map(std::size_t offset, std::size_t bytes);

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::byte*> parts_;
};

/// Memory for processes.
struct ForkRoom {
  int fd = create_shared_memory();
  ~ForkRoom() { ::close(fd); }
  std::unique_ptr<SharedRoom> view() const { return std::make_unique<FileRoom>(fd, kBootstrapPlace); }
};

}  // namespace aqueduct::job::test
