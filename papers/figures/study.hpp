// A paper whose figures can be made, the machine that they are made on, and the results.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "page.hpp"
#include "sim/network_model.hpp"
#include "tools/scenarios/scenarios.hpp"

namespace aqueduct::figures {

/// Called now and then with the part of the work that is done, from 0 to 1.
using Advance = std::function<void(double part)>;

/// The machine that a study is made on, with everything that was changed of it.
struct PaperMachine {
  sim::NetworkModel model;  ///< the paper's network
  /// Changes of other networks that the study uses: "extoll-mpi: link.hop=60ns".
  std::vector<std::string> other_overrides{};
  /// Settings of the library. They win over those of the study itself.
  std::vector<scenarios::Setting> settings{};

  /// Another network of the study. Throws bench::portals::Failed.
  sim::NetworkModel other(const char* network, const std::vector<std::string>& overrides = {}) const;
};

/// A mechanism of the study's machine, and what switches it off.
struct Mechanism {
  const char* name;     ///< of the machine without it: "no-interrupts"
  const char* summary;  ///< one line
  std::vector<std::string> overrides{};
  std::vector<scenarios::Setting> settings{};
};

struct Found {
  std::vector<Figure> figures;
  std::vector<Picture> pictures{};
  std::vector<Criterion> criteria;
};

struct Study {
  const char* name;     ///< as the command has it; also the name of the page
  const char* summary;  ///< one line
  const char* network;  ///< the default network
  const char* title;    ///< of the page
  std::vector<std::string> introduction;
  const char* fitting;  ///< which stated values fixed which numbers, and which results are predicted
  /// Measures on the machine. Throws bench::portals::Failed.
  Found (*measure)(const PaperMachine& machine, const Advance& advance);
  bool needs_portals = true;                  ///< the network must carry Portals
  std::vector<const char*> other_networks{};  ///< that it uses beside its own
  std::vector<Mechanism> mechanisms{};
};

}  // namespace aqueduct::figures
