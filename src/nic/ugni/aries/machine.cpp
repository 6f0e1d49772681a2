#include "nic/ugni/aries/machine.hpp"

#include <utility>

namespace aqueduct::ugni::aries {

struct Machine::Site {
  Site(sim::Simulation& simulation, NodeId port, const Costs& costs)
      : device(simulation, port, costs), process(device) {}

  AriesDevice device;
  Process process;
};

Machine::Machine(sim::Simulation& simulation) : simulation_(simulation), costs_(*simulation.setup().model) {
  for (NodeId port = 0; port < simulation.ports(); ++port)
    sites_.push_back(std::make_unique<Site>(simulation, port, costs_));
}

Machine::~Machine() = default;

Process& Machine::process(NodeId port) { return sites_[port]->process; }

void Machine::start(NodeId port, std::string name, std::function<void()> main) {
  Process* const process = &sites_[port]->process;
  simulation_.fibers().start(simulation_.host(port), std::move(name), [process, main = std::move(main)] {
    const Process::Current scope(process);
    main();
  });
}

}  // namespace aqueduct::ugni::aries
