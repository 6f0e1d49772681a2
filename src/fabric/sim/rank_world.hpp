// The World of one simulated rank.
#pragma once
#include "fabric/sim/simulated_job.hpp"
#include "job/work.hpp"

namespace aqueduct::fabric::sim {

class RankWorld final : public job::World, private Clock {
 public:
  RankWorld(SimulatedJob& job, RankId rank);
  ~RankWorld();

  job::Membership place() override;
  [[noreturn]] void exit(int code) override;
  Clock& clock() override { return *this; }
  void rest(const char* why) override;
  void pass_time() override;
  void compute(std::uint64_t ns) override { host_.compute(ns * kNanosecond); }
  void spend(job::Work work, std::size_t bytes) override;
  void wake_at(std::uint64_t ns) override;
  void wake_everybody() override;
  std::unique_ptr<job::Bootstrap> make_bootstrap() override;
  void* job_memory(std::size_t bytes) override;
  void* segment_memory(std::size_t bytes) override { return job_.allocate(bytes); }
  std::size_t max_segment_bytes() override { return job_.options_.max_segment_bytes; }
  Port& port() override { return job_.simulation_.port(rank_); }
  std::uint64_t seed() override { return job_.simulation_.setup().seed; }

 private:
  std::uint64_t now_ns() noexcept override { return job_.simulation_.engine().now() / kNanosecond; }

  SimulatedJob& job_;
  Host& host_;
  RankId rank_;
  Time poll_time_;
  std::uint64_t seen_ = 0;  // of the host's activity, when it last went on
  unsigned fruitless_ = 0;  // polls since something was found
};

}  // namespace aqueduct::fabric::sim
