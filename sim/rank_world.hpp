// The World of one simulated rank.
#pragma once
#include "fabric/udp/port.hpp"
#include "sim/simulated_job.hpp"
#include "world/work.hpp"

namespace aqueduct::sim {

class RankWorld final : public world::World, private Clock {
 public:
  RankWorld(SimulatedJob& job, RankId rank);
  /// The rank goes first: its port over datagrams still asks for the time.
  ~RankWorld() { resident.reset(); }
  /// The rank's process of the interface's library (Context::nic), for the audit.
  void* nic = nullptr;
  /// Several fibers are this rank's: one may do what another waits for, without a sign from the network.
  bool has_threads = false;
  /// By the rank: it has done something that may change what it waits for, such as to look at a clock.
  void makes_progress() { job_.vain_looks_ = 0; }

  bool is_simulated() const override { return true; }
  const job::Membership& place() override { return place_; }
  [[noreturn]] void exit(int code) override;
  Clock& clock() override { return *this; }
  WaitPolicy wait_policy(bool) override { return WaitPolicy::none(); }
  void rest(const char* why) override;
  void pass_time() override;
  void compute(std::uint64_t ns) override {
    makes_progress();
    host_.compute(ns * kNanosecond);
  }
  void spend(const world::Work& work, std::size_t bytes) override;
  void wake_at(std::uint64_t ns) override;
  void wake_everybody() override;
  void waits_at(Doorbell& doorbell) override;
  std::unique_ptr<job::Bootstrap> make_bootstrap() override;
  std::unique_ptr<job::SharedRoom> open_key_room() override;
  std::unique_ptr<world::SharedMemory> open_neighbourhood(job::HostId neighbourhood,
                                                          std::size_t bytes) override;
  void* job_table(std::size_t bytes) override;
  const void* job_zeros(std::size_t bytes) override;
  void* segment_memory(std::size_t bytes) override { return job_.memory_.take(bytes); }
  std::size_t max_segment_bytes() override { return job_.options_.max_segment_bytes; }
  std::size_t segment_span() override { return job_.options_.max_segment_bytes; }
  // The job frees its memory, and its ports, when it ends.
  void free_segment_memory(void*, std::size_t) override {}
  /// The bare port, which carries whole messages; datagrams are the same protocol as between live ranks.
  std::shared_ptr<fabric::Port> open_port(fabric::Plane plane, fabric::Carrier carrier) override;
  std::uint64_t seed() override { return job_.simulation_.setup().seed; }

 private:
  std::uint64_t now_ns() noexcept override { return job_.simulation_.engine().now() / kNanosecond; }
  /// Lets others run for `pause`, or until there is activity: then true. `looks` is how often the rank has
  /// done so before without any.
  bool look_again_after(Time pause, std::uint64_t seen, unsigned looks, const char* why);

  SimulatedJob& job_;
  Host& host_;
  RankId rank_;
  job::Membership place_;
  Time poll_time_;
  std::shared_ptr<fabric::udp::UdpPort> over_datagrams_;
  std::uint64_t seen_ = 0;  // of the host's activity, when it last went on
  // A port over datagrams sends what waited for company when it is asked for the second time and nothing else
  // was sent.
  bool has_looked_twice_ = false;
  unsigned fruitless_ = 0;  // polls in a row that found nothing
  unsigned in_vain_ = 0;    // rests of threads in a row that nothing ended
};

}  // namespace aqueduct::sim
