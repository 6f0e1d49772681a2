// Serves a rendezvous (job/bootstrap/rendezvous.hpp) from a set of events until it is over.
#pragma once
#include <optional>
#include <utility>

#include "job/bootstrap/rendezvous.hpp"
#include "net/event_set.hpp"

namespace aqueduct::job {

class RendezvousService {
 public:
  RendezvousService(std::optional<Rendezvous> rendezvous, net::EventSet& events)
      : rendezvous_(std::move(rendezvous)), events_(events) {
    serve();
  }
  void serve();

 private:
  std::optional<Rendezvous> rendezvous_;
  net::EventSet& events_;
};

}  // namespace aqueduct::job
