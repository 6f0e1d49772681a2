#include "world/live_world.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "fabric/shm/plane.hpp"
#include "fabric/udp/plane.hpp"
#include "job/bootstrap/host_bootstrap.hpp"
#include "job/bootstrap/kept_table.hpp"
#include "job/bootstrap/shm_bootstrap.hpp"
#include "job/bootstrap/tcp_bootstrap.hpp"
#include "job/place/activity.hpp"
#include "job/place/core_file.hpp"
#include "job/place/leave.hpp"
#include "job/place/shared_memory.hpp"
#include "world/segment_limit.hpp"

namespace aqueduct::world {

namespace {

// A part of the job's shared memory.
class FileMemory final : public SharedMemory {
 public:
  FileMemory(int memory_fd, std::size_t place) : memory_fd_(memory_fd), place_(place) {}

  std::byte* map(std::size_t offset, std::size_t bytes) override {
    return static_cast<std::byte*>(job::try_map_shared(memory_fd_, place_ + offset, bytes));
  }
  void unmap(void* mapped, std::size_t bytes) override { ::munmap(mapped, bytes); }
  void drop(std::size_t offset, std::size_t bytes) override {
    job::forget_in_core_file(place_ + offset);
    ::fallocate(memory_fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(place_ + offset),
                static_cast<off_t>(bytes));
  }
  void keep_in_core_file(void* mapped, std::size_t offset, std::size_t bytes) override {
    job::keep_in_core_file(mapped, bytes, memory_fd_, place_ + offset);
  }

 private:
  int memory_fd_;
  std::size_t place_;
};

/// Whether datagrams carry a port: where that was asked for, where ranks do not share memory, or where
/// AQUEDUCT_FABRIC says so.
bool goes_over_udp(const job::Membership& place, fabric::Carrier carrier) {
  if (carrier == fabric::Carrier::kDatagrams) return true;
  const bool share_memory = place.machine_ranks == place.size;
  const char* const choice = env::text({"AQUEDUCT_FABRIC"});
  if (!choice) return !share_memory;
  const std::string_view word = choice;
  if (word == "udp") return true;
  if (word != "shm") fatal("fabric", "AQUEDUCT_FABRIC: '%s' is not one of shm, udp", choice);
  if (!share_memory) fatal("fabric", "AQUEDUCT_FABRIC: shm needs ranks that are all on one machine; set udp");
  return false;
}

/// The bootstrap of leaders, at one of them.
std::unique_ptr<job::Bootstrap> leaders_of(const job::Membership& place) {
  // The supervisor ends the job sooner when a rank has died or left (GASNET_EXITTIMEOUT), and says which.
  constexpr std::chrono::seconds kSilence(10);
  const job::RankPlace here = place.hosts.place(place.rank);
  if (here.local != 0) return nullptr;
  job::TcpPlace leader;
  leader.node = here.host;
  leader.size = place.hosts.hosts();
  leader.key = place.key;
  leader.rendezvous = place.rendezvous;
  leader.name = [hosts = place.hosts](RankId host) { return job::describe_host(hosts, host); };
  leader.silence = kSilence;
  return std::make_unique<job::TcpBootstrap>(leader);
}

}  // namespace

World& live() {
  // Never destroyed: threads may be inside the library until the very last moment.
  static LiveWorld& world = *new LiveWorld;
  return world;
}

void LiveWorld::begin_exit(int code) { job::begin_exit(code); }
bool LiveWorld::everyone_leaves() const { return job::everyone_leaves(); }

// What others have sent is acknowledged, or they would go on asking a rank that is gone.
void LiveWorld::exit(int code) {
  for (const auto& port : ports_) {
    if (const std::shared_ptr<fabric::udp::UdpPort> open = port.lock()) open->say_farewell();
  }
  job::exit_job(code);
}

WaitPolicy LiveWorld::wait_policy(bool threaded) {
  const job::Membership& here = place();
  return here.yields_reach_others ? WaitPolicy::choose(here.machine_ranks, here.cores, threaded)
                                  : WaitPolicy::without_yields(here.machine_ranks, here.cores, threaded);
}

void LiveWorld::rest(const char*) { ::sched_yield(); }

void LiveWorld::compute(std::uint64_t ns) {
  const std::uint64_t end = clock().now_ns() + ns;
  while (clock().now_ns() < end) {
  }
}

std::unique_ptr<job::Bootstrap> LiveWorld::make_bootstrap() {
  if (unowned_bootstrap_) return std::move(unowned_bootstrap_);
  static_assert(job::HostBootstrap::kRoomBytes <= job::kBootstrapBytes);
  const job::Membership& here = place();
  auto room = std::make_unique<job::FileRoom>(here.memory_fd,
                                              job::kBootstrapPlace + here.host() * job::kBootstrapBytes);
  std::unique_ptr<job::Bootstrap> made;
  if (here.hosts.hosts() == 1) {
    made = std::make_unique<job::ShmBootstrap>(std::move(room), here.rank, here.size);
  } else {
    made = std::make_unique<job::HostBootstrap>(std::move(room), here.hosts, here.rank, leaders_of(here));
  }
  bootstrap_ = made.get();
  return made;
}

job::Bootstrap& LiveWorld::bootstrap() {
  if (!bootstrap_) unowned_bootstrap_ = make_bootstrap();
  return *bootstrap_;
}

std::unique_ptr<job::SharedRoom> LiveWorld::open_key_room() {
  static_assert(job::KeptTable::kRoomBytes <= job::kSegmentKeysBytes);
  return std::make_unique<job::FileRoom>(place().memory_fd,
                                         job::kSegmentKeysPlace + place().host() * job::kSegmentKeysBytes);
}

std::unique_ptr<SharedMemory> LiveWorld::open_neighbourhood(job::HostId neighbourhood, std::size_t bytes) {
  return std::make_unique<FileMemory>(place().memory_fd,
                                      job::kNeighbourhoodPlace + neighbourhood * round_up(bytes, kPage));
}

void* LiveWorld::segment_memory(std::size_t bytes) {
  void* mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

void LiveWorld::free_segment_memory(void* memory, std::size_t bytes) { ::munmap(memory, bytes); }

std::size_t LiveWorld::max_segment_bytes() { return world::max_segment_bytes(place().machine_ranks); }
std::size_t LiveWorld::segment_span() { return world::segment_span(); }

Silence LiveWorld::silence(RankId peer) {
  Silence known;
  for (const auto& port : ports_) {
    const std::shared_ptr<fabric::udp::UdpPort> open = port.lock();
    if (!open) continue;
    const Silence silence = open->silence(peer);
    if (known.address.empty() || silence.ns > known.ns) known = silence;
  }
  return known;
}

std::shared_ptr<fabric::Port> LiveWorld::open_port(fabric::Plane plane, fabric::Carrier carrier) {
  if (!goes_over_udp(place(), carrier)) return fabric::shm::open_port(place(), plane);
  std::shared_ptr<fabric::udp::UdpPort> port = fabric::udp::open_port(place(), plane, bootstrap(), clock());
  ports_.push_back(port);
  return port;
}

}  // namespace aqueduct::world
