#include "job/bootstrap/rendezvous_service.hpp"

#include <vector>

namespace aqueduct::job {

void RendezvousService::serve() {
  if (!rendezvous_) return;
  rendezvous_->serve();
  if (rendezvous_->is_over()) return rendezvous_.reset();
  // The set refuses descriptors that it watches already; closing a descriptor ends its watch.
  std::vector<pollfd> polled;
  rendezvous_->add_to_poll(polled);
  for (const pollfd& each : polled) events_.watch(each.fd, EPOLLIN, [this](std::uint32_t) { serve(); });
}

}  // namespace aqueduct::job
