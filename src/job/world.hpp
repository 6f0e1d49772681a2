// Where a rank lives, if that is not simply this machine: a simulated node.
//
// A live process has no World; current_context.world is null and everything below is done by the machine
// itself. In a simulation each rank has one, which is current whenever the rank runs. It stands between the
// rank and what it would otherwise ask of the operating system: its place in the job, the time, waiting,
// memory, the network, leaving. All functions are called by the rank's own fiber.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "job/bootstrap.hpp"
#include "job/membership.hpp"

namespace aqueduct::fabric {
class Port;
}
namespace aqueduct::core {
class Rank;
}

namespace aqueduct::job {

enum class Work : std::uint8_t;

class World {
 public:
  /// Stands in for join().
  virtual Membership place() = 0;
  /// Stands in for exit_job(): this rank's part is over.
  [[noreturn]] virtual void exit(int code) = 0;

  virtual Clock& clock() = 0;

  /// Lets others run until something has happened that this rank may be waiting for. `why` is a literal.
  virtual void rest(const char* why) = 0;
  /// A poll that found nothing, by a client that has other things to do: time passes.
  virtual void pass_time() = 0;
  /// The rank computes for so long.
  virtual void compute(std::uint64_t ns) = 0;
  /// The rank does some work of the library's (job/work.hpp).
  virtual void spend(Work work, std::size_t bytes) = 0;
  /// Wakes this rank at that time, should it rest then.
  virtual void wake_at(std::uint64_t ns) = 0;
  /// All ranks of the job may have something to see.
  virtual void wake_everybody() = 0;

  /// The bootstrap of this rank, over memory that is common to all ranks of the job. The rank owns it and is
  /// gone before the World is.
  virtual std::unique_ptr<Bootstrap> make_bootstrap() = 0;
  /// Zeroed memory that is common to all ranks of the job, `bytes` of it; the same at every call.
  virtual void* job_memory(std::size_t bytes) = 0;
  /// Zeroed memory for this rank's segment. Null if there is no address space.
  virtual void* segment_memory(std::size_t bytes) = 0;
  /// How large a segment may be.
  virtual std::size_t max_segment_bytes() = 0;

  /// This rank's access to the network. NodeIds of this port are ranks.
  virtual fabric::Port& port() = 0;

  /// What the simulation's random numbers come from.
  virtual std::uint64_t seed() = 0;

  /// The rank that lives here, null before it has started; and how the World gets rid of it in the end.
  core::Rank* rank = nullptr;
  void (*destroy_rank)(core::Rank* rank) = nullptr;
  /// What it waits for, in more words than rest() has; may be empty. For the report of a job that hangs.
  std::string (*explain_rank)(core::Rank* rank) = nullptr;

 protected:
  ~World() = default;
};

}  // namespace aqueduct::job
