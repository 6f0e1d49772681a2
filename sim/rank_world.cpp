#include "sim/rank_world.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "base/env.hpp"
#include "job/bootstrap/shm_bootstrap.hpp"
#include "sim/datagrams.hpp"

namespace aqueduct::sim {

RankWorld::RankWorld(SimulatedJob& job, RankId rank)
    : job_(job), host_(job.simulation_.host(rank)), rank_(rank), poll_time_(50 * kNanosecond) {
  if (const std::optional<CostId> poll = host_.model().find_cost("poll"))
    poll_time_ = host_.model()[*poll].fixed;
  poll_time_ = std::max<Time>(poll_time_, kNanosecond);
  place_.rank = rank;
  place_.size = job.ranks();
  place_.hosts = job.layout_;
  place_.hosts_are_given = true;
  place_.most_neighbours = job.most_neighbours_;
  place_.machine_ranks = job.layout_.local_size(job.layout_.host_of(rank));
  place_.cores = place_.machine_ranks;
}

void RankWorld::exit(int code) {
  job_.left(rank_, code, true);
  Fiber::current()->end();
}

void RankWorld::rest(const char* why) {
  fruitless_ = 0;
  // A poll takes time. If something has happened during it, the poll may have looked too early, so the rank
  // looks again.
  if (host_.activity() == seen_ && over_datagrams_ && !std::exchange(has_looked_twice_, true)) return;
  if (host_.activity() == seen_) {
    // Threads look again and again, soon and then less often.
    constexpr unsigned kMostDoublings = 8;
    if (has_threads) {
      const Time pause = poll_time_ << std::min(in_vain_, kMostDoublings);
      in_vain_ = look_again_after(pause, seen_, in_vain_, why) ? 0 : in_vain_ + 1;
      if (over_datagrams_) over_datagrams_->service();
      seen_ = host_.activity();
      return;
    }
    const std::uint64_t due_ns = over_datagrams_ ? over_datagrams_->deadline_ns() : fabric::udp::Link::kNever;
    if (due_ns == fabric::udp::Link::kNever) {
      host_.rest(seen_, why);
    } else {
      if (!host_.rest_until(seen_, due_ns * kNanosecond, why)) over_datagrams_->service();
    }
  }
  has_looked_twice_ = false;
  seen_ = host_.activity();
}

// As long as nothing happens, the first polls take the time of a poll, further ones more and more: otherwise
// a client that polls in a loop would cost an event for every poll.
void RankWorld::pass_time() {
  constexpr unsigned kMostDoublings = 6;
  const Time pause = poll_time_ << std::min(fruitless_, kMostDoublings);
  fruitless_ = look_again_after(pause, host_.activity(), fruitless_, "its next poll") ? 0 : fruitless_ + 1;
}

// Who looks again and again never leaves the simulation without an event, so a job that hangs would not be
// noticed. But if every event that is left is such a look, and all of them have looked in vain many times,
// nothing will ever happen: looks change nothing. Who looks at a clock between, or computes, begins anew.
bool RankWorld::look_again_after(Time pause, std::uint64_t seen, unsigned looks, const char* why) {
  constexpr unsigned kLooksOfRank = 16;          // before its looks count
  constexpr std::uint64_t kLooksOfAll = 10'000;  // for each that looks
  Engine& engine = job_.simulation_.engine();
  const bool counts = looks >= kLooksOfRank && !job_.simulation_.fibers().has_abandoned_some();
  if (counts && engine.pending_events() == job_.looking_in_vain_) {
    if (++job_.vain_looks_ > kLooksOfAll * (1 + job_.looking_in_vain_)) engine.stop();
  } else {
    makes_progress();
  }
  job_.looking_in_vain_ += counts;
  const bool found = host_.rest_until(seen, engine.now() + pause, why);
  job_.looking_in_vain_ -= counts;
  return found;
}

std::shared_ptr<fabric::Port> RankWorld::open_port(fabric::Plane plane, fabric::Carrier carrier) {
  fabric::Port& port = job_.simulation_.port(rank_);
  if (carrier != fabric::Carrier::kDatagrams) return {std::shared_ptr<void>(), &port};
  fabric::udp::PortSetup setup;
  setup.self = rank_;
  setup.plane = plane;
  setup.job = 1;
  setup.says_counters = env::flag({"AQUEDUCT_UDP_COUNTERS"}, false);
  setup.socket = std::make_unique<Datagrams>(static_cast<SimPort&>(port), host_);
  for (RankId peer = 0; peer < job_.ranks(); ++peer) setup.peers.add(Datagrams::address_of(peer));
  setup.peers.close();
  over_datagrams_ = std::make_shared<fabric::udp::UdpPort>(std::move(setup), clock());
  return over_datagrams_;
}

void RankWorld::spend(const world::Work& work, std::size_t bytes) {
  const SimulatedJob::WorkCosts& costs = job_.work_costs_;
  if (costs.far_copy && work.number() == world::kCopy.number() && bytes > costs.cached_bytes) {
    host_.charge(*costs.far_copy, bytes - costs.cached_bytes);
    bytes = costs.cached_bytes;
  }
  if (const std::optional<CostId> cost = costs.of[work.number()]) host_.charge(*cost, bytes);
}

void RankWorld::wake_at(std::uint64_t ns) {
  Host* const host = &host_;
  job_.simulation_.engine().at(ns * kNanosecond, {kFiberRuns, host_.node()}, [host] { host->notify(); });
}

void RankWorld::wake_everybody() {
  for (RankId peer = 0; peer < job_.ranks(); ++peer) job_.simulation_.host(peer).notify();
}

void RankWorld::waits_at(Doorbell& doorbell) {
  // The ringer is a rank of the same job, because a doorbell lies in memory of its node.
  Doorbell::set_ringer([](Doorbell& rung) {
    const auto& ringing = static_cast<RankWorld&>(world::current());
    const auto found = ringing.job_.waiting_at_.find(&rung);
    if (found != ringing.job_.waiting_at_.end()) found->second->notify();
  });
  job_.waiting_at_[&doorbell] = &host_;
  doorbell.hold();
}

std::unique_ptr<job::Bootstrap> RankWorld::make_bootstrap() {
  return std::make_unique<job::ShmBootstrap>(std::make_unique<CommonRoom::View>(job_.room_), rank_,
                                             job_.ranks());
}

std::unique_ptr<job::SharedRoom> RankWorld::open_key_room() {
  return std::make_unique<CommonRoom::View>(job_.room_, job::kSegmentKeysPlace);
}

// All ranks of a neighbourhood live in this process and share one mapping of its memory.
class NeighbourhoodMemory final : public world::SharedMemory {
 public:
  explicit NeighbourhoodMemory(std::byte* memory) : memory_(memory) {}
  std::byte* map(std::size_t offset, std::size_t) override { return memory_ ? memory_ + offset : nullptr; }
  void unmap(void*, std::size_t) override {}
  void drop(std::size_t offset, std::size_t bytes) override {
    ::madvise(memory_ + offset, bytes, MADV_DONTNEED);
  }
  void keep_in_core_file(void*, std::size_t, std::size_t) override {}

 private:
  std::byte* memory_;
};

std::unique_ptr<world::SharedMemory> RankWorld::open_neighbourhood(job::HostId neighbourhood,
                                                                   std::size_t bytes) {
  void*& memory = job_.neighbourhoods_[neighbourhood];
  if (!memory) memory = job_.memory_.take(bytes);
  return std::make_unique<NeighbourhoodMemory>(static_cast<std::byte*>(memory));
}

void* RankWorld::job_table(std::size_t bytes) {
  if (!job_.job_table_) job_.job_table_ = job_.memory_.take(bytes);
  return job_.job_table_;
}

const void* RankWorld::job_zeros(std::size_t bytes) {
  if (!job_.job_zeros_) {
    job_.job_zeros_ = job_.memory_.take(bytes);
    ::mprotect(job_.job_zeros_, bytes, PROT_READ);
  }
  return job_.job_zeros_;
}

}  // namespace aqueduct::sim
