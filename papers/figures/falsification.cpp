#include "falsification.hpp"

#include <algorithm>

namespace aqueduct::figures {

std::string WrongMachine::name() const {
  switch (error) {
    case Error::kTenfold:
      return what + " x10";
    case Error::kTenth:
      return what + " /10";
    case Error::kSwitchedOff:
      break;
  }
  return what;
}

bool Falsification::notices(std::size_t criterion, const WrongMachine& machine) const {
  return criteria[criterion].holds() && machine.why_not.empty() && !machine.holds[criterion];
}

bool Falsification::explains(const WrongMachine& machine, std::size_t criterion) const {
  return !criteria[criterion].holds() && machine.why_not.empty() && machine.holds[criterion];
}

std::size_t Falsification::count(std::size_t criterion) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      machines, [&](const WrongMachine& machine) { return notices(criterion, machine); }));
}

std::vector<std::size_t> Falsification::noticed_by(const WrongMachine& machine) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    if (notices(i, machine)) found.push_back(i);
  }
  return found;
}

bool Falsification::is_noticed(const WrongMachine& machine) const {
  return !machine.why_not.empty() || !noticed_by(machine).empty();
}

}  // namespace aqueduct::figures
