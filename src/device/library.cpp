#include "device/library.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <mutex>

#include "base/env.hpp"

namespace aqueduct::device {
namespace {

struct FamilyFacts {
  const char* name;
  const char* library;
  const char* variable;
  std::unique_ptr<Driver> (*start)(Library& library, std::string* why);
};
constexpr FamilyFacts kFacts[kFamilies] = {
    {"CUDA", "libcuda.so.1", "AQUEDUCT_CUDA_LIBRARY", cuda_driver},
    {"HIP", "libamdhip64.so", "AQUEDUCT_HIP_LIBRARY", hip_driver},
    {"Level Zero", "libze_loader.so.1", "AQUEDUCT_ZE_LIBRARY", ze_driver},
};
/// Of NVIDIA's driver, AMD's, Intel's, and of a virtual machine's under Windows.
constexpr const char* kDeviceFiles[] = {"/dev/nvidiactl", "/dev/kfd", "/dev/dri/renderD128", "/dev/dxg"};
const FamilyFacts& facts(Family family) { return kFacts[static_cast<unsigned>(family)]; }

// A fact about the machine, found once for the process.
struct Loaded {
  std::mutex mutex;
  bool tried = false;
  std::unique_ptr<Library> library;
  std::unique_ptr<Driver> driver;
  std::string why;
};

Loaded& loaded(Family family) {
  static Loaded all[kFamilies];
  return all[static_cast<unsigned>(family)];
}

std::unique_ptr<Driver> start(Family family, Library& library, std::string* why) {
  std::unique_ptr<Driver> started = facts(family).start(library, why);
  if (library.missing()) {
    *why = std::string("the ") + facts(family).name + " driver is too old: " + library.name() + " has no " +
           library.missing();
    return nullptr;
  }
  return started;
}

}  // namespace

bool may_be_here() {
  for (const FamilyFacts& family : kFacts) {
    if (env::name_in_use({family.variable})) return true;
  }
  for (const char* const file : kDeviceFiles) {
    if (::access(file, F_OK) == 0) return true;
  }
  return false;
}

const char* library_variable(Family family) { return facts(family).variable; }
const char* library_name(Family family) { return facts(family).library; }

std::unique_ptr<Library> Library::open(Family family, std::string* why) {
  const char* const name = env::text({facts(family).variable}, facts(family).library);
  void* const handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* const reason = ::dlerror();
    *why = std::string("there is no ") + facts(family).name + " driver: " + (reason ? reason : name);
    return nullptr;
  }
  auto library = std::make_unique<Library>();
  library->handle_ = handle;
  library->name_ = name;
  return library;
}

void* Library::look_up(const char* symbol) {
  void* const found = ::dlsym(handle_, symbol);
  if (!found && !missing_) missing_ = symbol;
  return found;
}

bool Driver::find(DeviceChoice* choice, std::string* why) {
  int devices = 0;
  if (const Outcome outcome = count(&devices); outcome.failed()) {
    *why = std::string(outcome.call) + ": " + meaning(outcome.code);
    return false;
  }
  if (choice->ordinal >= 0 && choice->ordinal < devices) return true;
  *why = "there is no device " + std::to_string(choice->ordinal) + "; this process sees " +
         std::to_string(devices) + (devices == 1 ? " (0)" : " (0 to " + std::to_string(devices - 1) + ")");
  return false;
}

Driver* driver(Family family, std::string* why) {
  Loaded& here = loaded(family);
  const std::lock_guard guard(here.mutex);
  if (!here.tried) {
    here.tried = true;
    here.library = Library::open(family, &here.why);
    if (here.library) here.driver = start(family, *here.library, &here.why);
  }
  if (!here.driver) *why = here.why;
  return here.driver.get();
}

}  // namespace aqueduct::device
