// How the leaders of hosts find each other (job/bootstrap/rendezvous.hpp), and their wardens (job/warden/),
// when a foreign launcher has started them: rank 0 listens at two ports and tells all ranks its addresses,
// and each takes one that it can reach. If all ranks are on one machine, rank 0 listens at the loopback
// interface only; then there is no other warden, and one port.
#pragma once
#include <optional>

#include "job/bootstrap/rendezvous.hpp"
#include "job/launchers/exchange.hpp"

namespace aqueduct::job::launchers {

class MeetingPlace {
 public:
  /// `is_one_machine`: all ranks are on one machine, so that the loopback interface is enough.
  MeetingPlace(const net::JobKey& key, RankId hosts, bool is_one_machine)
      : key_(key), hosts_(hosts), is_one_machine_(is_one_machine) {}

  /// The addresses that this rank uses.
  struct Agreed {
    net::Address rendezvous;
    net::Address first_warden;
  };
  /// Called by all ranks. Fatal if this one can reach none of the addresses.
  Agreed agree(LauncherExchange& exchange);
  /// At rank 0, after agree().
  std::optional<Rendezvous> take_rendezvous() { return std::move(rendezvous_); }
  net::Descriptor take_listener() { return std::move(listener_); }

 private:
  std::string open(const LauncherExchange& exchange);

  net::JobKey key_;
  RankId hosts_;
  bool is_one_machine_;
  std::optional<Rendezvous> rendezvous_;
  net::Descriptor listener_;  // of the first warden
};

}  // namespace aqueduct::job::launchers
