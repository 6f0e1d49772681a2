// Where the leaders of hosts find each other (job/rendezvous.hpp), when a launcher of somebody else's has
// started them: rank 0 listens and tells all others its addresses, each of which takes the one that it can
// reach.
#pragma once
#include <optional>

#include "job/launchers/exchange.hpp"
#include "job/rendezvous.hpp"

namespace aqueduct::job::launchers {

class MeetingPlace {
 public:
  /// `is_one_machine`: then the loopback interface is enough.
  MeetingPlace(const JobKey& key, RankId hosts, bool is_one_machine)
      : key_(key), hosts_(hosts), is_one_machine_(is_one_machine) {}

  /// Called by all ranks. The address that this one uses; fatal if it can use none.
  NetAddress agree(Exchange& exchange);
  /// At rank 0 afterwards.
  std::optional<Rendezvous> take_rendezvous() { return std::move(rendezvous_); }

 private:
  std::string open(const Exchange& exchange);

  JobKey key_;
  RankId hosts_;
  bool is_one_machine_;
  std::optional<Rendezvous> rendezvous_;
};

}  // namespace aqueduct::job::launchers
