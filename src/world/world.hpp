// Where a rank lives: this machine, or a node of a simulated one. It stands between the rank and what it
// would otherwise ask of the operating system: its place in the job, the time, waiting, memory, the network,
// leaving.
//
// There always is one: current() is the world of whoever calls. A live process has one for all of its threads
// (live_world.hpp); in a simulation each rank has its own, which is current whenever the rank runs. What
// takes a simulated rank virtual time takes a live one real time, so most of that is nothing to do when live.
//
// Threads: any thread of the rank; in a simulation, its fiber.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/context.hpp"
#include "base/doorbell.hpp"
#include "base/wait_policy.hpp"
#include "fabric/fabric.hpp"
#include "job/bootstrap/bootstrap.hpp"
#include "job/place/membership.hpp"
#include "job/place/shared_room.hpp"
#include "observe/resources.hpp"
#include "observe/state.hpp"
#include "world/shared_memory.hpp"

namespace aqueduct::world {

class Work;

/// The rank that lives in a world, as the world sees it (core::Rank is one).
class Resident {
 public:
  virtual ~Resident() = default;
  /// Fills in what it waits for and how far it has come. For the report of a simulated job that hangs.
  virtual void describe(observe::RankState& state) = 0;
  /// In a simulation: its main has returned. What it has sent must get to its targets all the same.
  virtual void is_leaving() = 0;

  // In a simulation, for the audit when the mains of all ranks have returned.
  /// One look at the network; from now on the client's handlers do not run.
  virtual void settle() = 0;
  /// What the rank still holds for messages and operations that are over, in words; empty if nothing. Adds
  /// what ranks lend each other to `all`.
  virtual std::string audit(observe::ResourceCounts& all) = 0;
};

class World {
 public:
  /// True where thousands of ranks share a process: process-wide things (signals, traces) are then left
  /// alone.
  virtual bool is_simulated() const = 0;

  /// The rank's place in the job. The first call of a live process joins the job (job/place/membership.hpp).
  virtual const job::Membership& place() = 0;
  /// gasnet_exit() begins: others may know, before exit() is called by the same thread.
  virtual void begin_exit(int code) { (void)code; }
  /// Whether all ranks have begun to exit, so that nobody waits for messages any more (job/place/leave.hpp).
  virtual bool everyone_leaves() const { return false; }
  /// This rank's part is over: gasnet_exit().
  [[noreturn]] virtual void exit(int code) = 0;

  virtual Clock& clock() = 0;

  /// How long whoever waits polls, yields and sleeps.
  virtual WaitPolicy wait_policy(bool threaded) = 0;
  /// Lets others run, in a simulation until something has happened that this rank may be waiting for. `why`
  /// is a literal.
  virtual void rest(const char* why) = 0;
  /// A poll that found nothing, by a client that has other things to do.
  virtual void pass_time() = 0;
  /// The rank computes for so long.
  virtual void compute(std::uint64_t ns) = 0;
  /// The rank does some work of the library's (world/work.hpp).
  virtual void spend(const Work& work, std::size_t bytes) = 0;
  /// Wakes this rank at that time, should it rest then. A live rank that waits looks by itself.
  virtual void wake_at(std::uint64_t ns) = 0;
  /// All ranks of the job may have something to see. Live ranks are woken by their doorbells.
  virtual void wake_everybody() = 0;

  /// This rank waits at `doorbell`: whoever rings there ends its rest().
  virtual void waits_at(Doorbell& doorbell) = 0;

  /// The bootstrap of this rank. The rank owns it and is gone before the World is.
  virtual std::unique_ptr<job::Bootstrap> make_bootstrap() = 0;
  /// Room for what ranks tell each other of their segments, the same for all that share this host
  /// (job/bootstrap/kept_table.hpp).
  virtual std::unique_ptr<job::SharedRoom> open_key_room() = 0;
  /// The memory of a neighbourhood, `bytes` for each of them.
  virtual std::unique_ptr<SharedMemory> open_neighbourhood(job::HostId neighbourhood, std::size_t bytes) = 0;
  /// Zeroed memory for a table of the whole job, the same for all ranks that share a process; null where each
  /// keeps its own. `bytes` is the same at every call.
  virtual void* job_table(std::size_t bytes) = 0;
  /// `bytes` of zeros that nobody may write, the same for all ranks that share a process; null where each
  /// keeps its own. `bytes` is at most that of the first call.
  virtual const void* job_zeros(std::size_t bytes) {
    (void)bytes;
    return nullptr;
  }
  /// Zeroed memory for this rank's segment where no neighbour maps it, or for a large table of which little
  /// is touched. Null if there is no address space.
  virtual void* segment_memory(std::size_t bytes) = 0;
  virtual void free_segment_memory(void* memory, std::size_t bytes) = 0;
  /// How large a segment may be, and how much room there is for those of one rank.
  virtual std::size_t max_segment_bytes() = 0;
  virtual std::size_t segment_span() = 0;

  /// This rank's access to a network, once for each plane. NodeIds of the port are ranks. The caller holds
  /// it; the last holder closes it. On several hosts ranks exchange addresses meanwhile: all of them call it.
  /// A simulated network is its own carrier.
  virtual std::shared_ptr<fabric::Port> open_port(fabric::Plane plane, fabric::Carrier carrier) = 0;

  /// What the networks of this rank know of a peer that does not answer (fabric.hpp). Any thread.
  virtual Silence silence(RankId peer) {
    (void)peer;
    return {};
  }

  /// What random numbers come from.
  virtual std::uint64_t seed() = 0;

  /// Null before the rank has started.
  std::unique_ptr<Resident> resident;

 protected:
  ~World() = default;
};

/// The world of the process, in which a live rank lives.
World& live();

/// Where the caller lives.
inline World& current() {
  return current_context.world ? *static_cast<World*>(current_context.world) : live();
}

/// True if the caller lives in a simulation. Asks nobody: for hot paths.
inline bool is_simulated() { return current_context.world != nullptr; }

}  // namespace aqueduct::world
