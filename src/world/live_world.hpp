// The world of a live process: this machine. One for the process, made when it is first asked for; it joins
// the job when somebody asks for its place.
#pragma once
#include <memory>
#include <vector>

#include "fabric/udp/port.hpp"
#include "job/join.hpp"
#include "world/world.hpp"

namespace aqueduct::world {

class LiveWorld final : public World {
 public:
  bool is_simulated() const override { return false; }
  const job::Membership& place() override { return job::join(); }
  void begin_exit(int code) override;
  bool everyone_leaves() const override;
  [[noreturn]] void exit(int code) override;
  Clock& clock() override { return machine_clock(); }
  WaitPolicy wait_policy(bool threaded) override;
  void rest(const char* why) override;
  void pass_time() override {}
  void compute(std::uint64_t ns) override;
  void spend(const Work&, std::size_t) override {}
  void wake_at(std::uint64_t) override {}
  void wake_everybody() override {}
  void waits_at(Doorbell&) override {}
  std::unique_ptr<job::Bootstrap> make_bootstrap() override;
  std::unique_ptr<job::SharedRoom> open_key_room() override;
  std::unique_ptr<SharedMemory> open_neighbourhood(job::HostId neighbourhood, std::size_t bytes) override;
  void* job_table(std::size_t) override { return nullptr; }
  void* segment_memory(std::size_t bytes) override;
  void free_segment_memory(void* memory, std::size_t bytes) override;
  std::size_t max_segment_bytes() override;
  std::size_t segment_span() override;
  std::shared_ptr<fabric::Port> open_port(fabric::Plane plane, fabric::Carrier carrier) override;
  Silence silence(RankId peer) override;
  std::uint64_t seed() override { return 0; }

 private:
  job::Bootstrap& bootstrap();

  std::vector<std::weak_ptr<fabric::udp::UdpPort>> ports_;  // over UDP
  // The bootstrap of the process: made for the rank, which owns it, or for a port before there is a rank.
  job::Bootstrap* bootstrap_ = nullptr;
  std::unique_ptr<job::Bootstrap> unowned_bootstrap_;
};

}  // namespace aqueduct::world
