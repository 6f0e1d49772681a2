#include "papers/nic/portals3/process.hpp"

#include "papers/nic/portals3/interface.hpp"

namespace aqueduct::portals3 {

Process::Process() = default;
Process::~Process() = default;

bool Process::offer(ptl_interface_t id, Node& node, Bridge& bridge, ptl_pid_t pid) {
  for (unsigned number = 0; number < kMaxInterfaces; ++number) {
    if (interfaces_[number] != nullptr) continue;
    interfaces_[number] = std::make_unique<Interface>(*this, node, bridge, id, pid, number);
    return true;
  }
  return false;
}

int Process::init(int* max_interfaces) {
  if (max_interfaces == nullptr) return PTL_SEGV;
  int offered = 0;
  for (const auto& interface : interfaces_) offered += interface != nullptr;
  *max_interfaces = offered;
  initialised_.fetch_add(1, std::memory_order_acq_rel);
  return PTL_OK;
}

void Process::fini() {
  std::uint32_t times = initialised_.load(std::memory_order_acquire);
  while (times != 0 && !initialised_.compare_exchange_weak(times, times - 1, std::memory_order_acq_rel)) {
  }
  if (times != 1) return;
  for (const auto& interface : interfaces_) {
    if (interface != nullptr) interface->close_whatever_is_open();
  }
}

Interface* Process::offered(ptl_interface_t id) {
  for (const auto& interface : interfaces_) {
    if (interface != nullptr && (id == PTL_IFACE_DEFAULT || id == interface->id())) return interface.get();
  }
  return nullptr;
}

}  // namespace aqueduct::portals3
