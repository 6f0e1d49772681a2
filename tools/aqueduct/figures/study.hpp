// A paper whose figures can be made, and what came of it.
#pragma once
#include <string>
#include <vector>

#include "page.hpp"
#include "sim/network_model.hpp"

namespace aqueduct::figures {

struct Found {
  std::vector<Figure> figures;
  std::vector<Criterion> criteria;
};

struct Study {
  const char* name;     ///< as the command has it; also the name of the page
  const char* summary;  ///< one line
  const char* network;  ///< on which, unless told otherwise
  const char* title;    ///< of the page
  std::vector<std::string> introduction;
  /// Measures on the network, which carries Portals. Throws bench::portals::Failed.
  Found (*measure)(const sim::NetworkModel& model);
};

}  // namespace aqueduct::figures
