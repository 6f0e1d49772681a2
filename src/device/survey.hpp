// What devices this machine has, for people who ask: loads every driver there is.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "device/driver.hpp"

namespace aqueduct::device {

struct SurveyedDevice {
  int ordinal = 0;
  std::string name;
  std::uint64_t memory_bytes = 0;
  bool can_export = false;  ///< other processes of this host can map its memory
  std::string why_not;      ///< what fails of it; empty: nothing
};

struct SurveyedDriver {
  std::string family;   ///< "CUDA"
  std::string version;  ///< empty: it cannot be used
  std::string why_not;
  std::vector<SurveyedDevice> devices;
};

/// One for each family, also of those that are not there. Opens every device for a moment.
std::vector<SurveyedDriver> survey();

}  // namespace aqueduct::device
