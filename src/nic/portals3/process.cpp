#include "nic/portals3/process.hpp"

#include <mutex>
#include <utility>

#include "base/context.hpp"
#include "nic/portals3/interface.hpp"
#include "nic/portals3/live/live.hpp"

namespace aqueduct::portals3 {
namespace {

constinit std::atomic<Process*> live_process{nullptr};
constinit std::atomic<Process::LiveSource> live_source{open_live_process};

}  // namespace

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

Process* Process::current() {
  if (current_context.nic != nullptr) return static_cast<Process*>(current_context.nic);
  return live_process.load(std::memory_order_acquire);
}

Process* Process::exchange_current(Process* process) {
  return static_cast<Process*>(std::exchange(current_context.nic, process));
}

void Process::set_live_source(LiveSource source) { live_source.store(source, std::memory_order_release); }

Process* Process::live() {
  if (Process* process = live_process.load(std::memory_order_acquire)) return process;
  static SpinLock making;
  std::lock_guard lock{making};
  if (Process* process = live_process.load(std::memory_order_acquire)) return process;
  const LiveSource source = live_source.load(std::memory_order_acquire);
  Process* process = source != nullptr ? source() : nullptr;
  live_process.store(process, std::memory_order_release);
  return process;
}

}  // namespace aqueduct::portals3
