// A paper whose figures can be made, and the results.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "page.hpp"
#include "sim/network_model.hpp"

namespace aqueduct::figures {

/// Called now and then with the part of the work that is done, from 0 to 1.
using Advance = std::function<void(double part)>;

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
  /// Measures on the network. Throws bench::portals::Failed.
  Found (*measure)(const sim::NetworkModel& model, const Advance& advance);
  bool needs_portals = true;  ///< the network must carry Portals
};

}  // namespace aqueduct::figures
