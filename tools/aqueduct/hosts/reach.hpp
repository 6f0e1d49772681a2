// Finds out at which of its addresses this host can reach the rendezvous of a job: tries all at once, with
// the job's key, so that another machine with the same address in another network is not taken for it.
//
// An address that does not answer within kReachPatienceNs, as behind a firewall that drops packets, counts as
// out of reach. One thread; nothing blocks.
#pragma once
#include <string>
#include <vector>

#include "job/bootstrap/greeter.hpp"

namespace aqueduct::job {

inline constexpr std::uint64_t kReachPatienceNs = 5'000'000'000;

class ReachProbes {
 public:
  ReachProbes(const std::vector<net::Address>& addresses, const net::JobKey& key, std::uint32_t participants,
              std::uint64_t now_ns);

  struct Result {
    std::uint32_t index = 0;  ///< of the address
    std::string why_not;      ///< empty: it answers
  };
  /// Does what is possible without waiting; returns the results since the last call.
  std::vector<Result> advance(std::uint64_t now_ns);
  bool are_over() const { return under_way_ == 0; }

 private:
  struct Probe {
    Greeter greeter;
    bool is_over = false;
  };

  std::vector<Probe> probes_;
  std::size_t under_way_;
  std::uint64_t until_ns_;
};

}  // namespace aqueduct::job
