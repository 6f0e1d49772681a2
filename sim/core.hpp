// A core of a host that several ranks share, as the kernel of a crowded machine gives it to them.
//
// Ranks that wait do not sleep: they look for a while and then yield (base/wait_policy.hpp). So all of them
// are always ready to run, and the kernel gives them the core in turn, whether something has come for them or
// not. A rank whose message has come waits until the others before it have had their turns; that, and not the
// network, is most of what a message costs on a crowded host.
//
//   take()     by a fiber that has work: returns when the core is its own. It keeps the core until
//   yield()    the next one has the core; returns when its turn has come again, or
//   give_up()  it does not want the core any more: it sleeps, or has ended.
//
// A host that crashes is taken out of the round. What a turn costs is charged by the host (host.hpp).
#pragma once
#include <deque>

#include "sim/fiber.hpp"

namespace aqueduct::sim {

class Core {
 public:
  Core() = default;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  void take();
  void yield();
  void give_up();
  /// By anybody: the host's fiber runs no more.
  void remove(const Host& host);

 private:
  void wait_for_turn();
  void hand_on();

  Fiber* owner_ = nullptr;
  std::deque<Fiber*> queue_;
};

}  // namespace aqueduct::sim
