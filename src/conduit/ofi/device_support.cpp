#include "conduit/ofi/device_support.hpp"

#include "conduit/plugin/plugin.hpp"
#include "device/driver.hpp"

namespace aqueduct::conduit::ofi {
namespace {

// What is found on each device, by its result: most often all have the same.
std::string trials_in_words() {
  std::string words;
  job::Membership nobodys;
  nobodys.size = 0;
  for (unsigned number = 0; number < device::kFamilies; ++number) {
    const auto family = static_cast<device::Family>(number);
    std::string why;
    device::Driver* const driver = device::driver(family, &why);
    int count = 0;
    if (!driver || driver->count(&count).failed()) continue;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      why = plugin::why_not_on_device("ofi", nobodys, family, ordinal);
      words += (words.empty() ? "" : ", ") + std::string(driver->family_name()) + " device " +
               std::to_string(ordinal) + " ";
      words += why.empty() ? "direct, since it has written and read back the right bytes" : "staged: " + why;
    }
  }
  return words;
}

}  // namespace

std::string devices_in_words(const Provider& provider, const Settings& settings) {
  if (!provider.properties.device_memory) return "memory of devices is staged: " + provider.why_staged;
  const std::string offers =
      std::string("memory of devices: provider ") + provider.name() + " offers to move it (FI_HMEM); ";
  if (settings.devices == DevicePath::kDirect) return offers + "direct, since AQUEDUCT_OFI_DEVICES says so";
  const std::string trials = trials_in_words();
  return offers + (trials.empty() ? "no driver finds a device" : trials);
}

}  // namespace aqueduct::conduit::ofi
