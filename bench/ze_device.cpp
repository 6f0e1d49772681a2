#include "ze_device.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

namespace aqueduct::bench {
namespace {

using ZeResult = std::uint32_t;

/// ze_context_desc_t
struct ContextDescription {
  std::uint32_t type = 0xd;
  const void* next = nullptr;
  std::uint32_t flags = 0;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

bool find_ze_device(void** device, void** context) {
  constexpr std::uint32_t kGpuOnly = 1;
  const char* const named = std::getenv("AQUEDUCT_ZE_LIBRARY");
  void* const library = ::dlopen(named ? named : "libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  ZeResult (*init)(std::uint32_t) = nullptr;
  ZeResult (*drivers)(std::uint32_t*, void**) = nullptr;
  ZeResult (*devices)(void*, std::uint32_t*, void**) = nullptr;
  ZeResult (*make_context)(void*, const ContextDescription*, void**) = nullptr;
  if (!find(library, "zeInit", init) || !find(library, "zeDriverGet", drivers) ||
      !find(library, "zeDeviceGet", devices) || !find(library, "zeContextCreate", make_context))
    return false;
  void* driver = nullptr;
  std::uint32_t one = 1;
  if (init(kGpuOnly) != 0 || drivers(&one, &driver) != 0 || one == 0) return false;
  one = 1;
  if (devices(driver, &one, device) != 0 || one == 0) return false;
  const ContextDescription description;
  return make_context(driver, &description, context) == 0;
}

}  // namespace aqueduct::bench
