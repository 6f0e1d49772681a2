// An exception leaves the scope of a team at one member: that does not wait for the others.
#include <stdexcept>

#include "check.hpp"

namespace {

using namespace aqueduct;

task<> body(job& job) {
  team all = co_await job.split(0);
  if (job.rank() == 0) throw std::runtime_error("rank 0 has left its team");
  co_await sleep_for(std::chrono::hours(1));
}

}  // namespace

int main(int argc, char** argv) {
  job job{argc, argv};
  try {
    run(body(job));
  } catch (const std::runtime_error& error) {
    std::puts(error.what());
    std::fflush(stdout);
    gasnet_exit(0);
  }
}
