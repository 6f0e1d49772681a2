#include "device/survey.hpp"

namespace aqueduct::device {
namespace {

constexpr const char* kFamilyNames[kFamilies] = {"CUDA", "HIP", "Level Zero"};

// What fails first, in the driver's words; empty if nothing does.
std::string look_at(Driver& driver, SurveyedDevice& device) {
  const auto words = [&](const Outcome& outcome) {
    return outcome.failed() ? std::string(outcome.call) + ": " + driver.meaning(outcome.code) : std::string();
  };
  if (std::string why = words(driver.name(device.ordinal, &device.name)); !why.empty()) return why;
  Context context = nullptr;
  if (std::string why = words(driver.open({.ordinal = device.ordinal}, &context)); !why.empty()) return why;
  std::string why;
  {
    const Entered entered(driver, context);
    std::size_t free = 0, total = 0;
    void* memory = nullptr;
    why = words(entered.outcome);
    if (why.empty()) why = words(driver.memory_size(&free, &total));
    device.memory_bytes = total;
    if (why.empty()) why = words(driver.allocate(1, &memory));
    if (memory) {
      Location location;
      Export exported;
      device.can_export =
          !driver.locate(memory, &location).failed() && !driver.export_memory(location, &exported).failed();
      (void)driver.free(memory);
    }
  }
  driver.close(device.ordinal, context);
  return why;
}

}  // namespace

std::vector<SurveyedDriver> survey() {
  std::vector<SurveyedDriver> all;
  for (unsigned number = 0; number < kFamilies; ++number) {
    SurveyedDriver& found = all.emplace_back();
    found.family = kFamilyNames[number];
    Driver* const driver = device::driver(static_cast<Family>(number), &found.why_not);
    if (!driver) continue;
    found.version = driver->version();
    int count = 0;
    if (driver->count(&count).failed()) count = 0;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      SurveyedDevice& device = found.devices.emplace_back();
      device.ordinal = ordinal;
      device.why_not = look_at(*driver, device);
    }
  }
  return all;
}

}  // namespace aqueduct::device
