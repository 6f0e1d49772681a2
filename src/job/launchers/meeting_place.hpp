// Where the leaders of hosts find each other (job/bootstrap/rendezvous.hpp), and their wardens (job/warden/),
// when a launcher of somebody else's has started them: rank 0 listens at two ports and tells all others its
// addresses, each of which takes the one that it can reach. It listens at one address if it tells one, which
// is that of the loopback interface where all ranks are on one machine; then there is no other warden either,
// and one port.
#pragma once
#include <optional>

#include "job/bootstrap/rendezvous.hpp"
#include "job/launchers/exchange.hpp"

namespace aqueduct::job::launchers {

class MeetingPlace {
 public:
  /// `is_one_machine`: then the loopback interface is enough.
  MeetingPlace(const net::JobKey& key, RankId hosts, bool is_one_machine)
      : key_(key), hosts_(hosts), is_one_machine_(is_one_machine) {}

  /// What this rank uses.
  struct Agreed {
    net::Address rendezvous;
    net::Address first_warden;
  };
  /// Called by all ranks. Fatal if this one can reach none of the addresses.
  Agreed agree(Exchange& exchange);
  /// At rank 0 afterwards.
  std::optional<Rendezvous> take_rendezvous() { return std::move(rendezvous_); }
  net::Descriptor take_listener() { return std::move(listener_); }

 private:
  std::string open(const Exchange& exchange);

  net::JobKey key_;
  RankId hosts_;
  bool is_one_machine_;
  std::optional<Rendezvous> rendezvous_;
  net::Descriptor listener_;  // of the first warden
};

}  // namespace aqueduct::job::launchers
