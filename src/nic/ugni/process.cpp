#include "nic/ugni/process.hpp"

#include "base/context.hpp"
#include "nic/ugni/live/live.hpp"

namespace aqueduct::ugni {
namespace {

constinit std::atomic<Process*> live_process{nullptr};
constinit std::atomic<Process::LiveSource> live_source{open_live_process};

}  // namespace

Process::Process(Device& device) : device_(device), self_(device.self()), limits_(device.limits()) {
  device_.set_library(*this);
}

Process::~Process() = default;

void Process::changed() {
  activity_.fetch_add(1, std::memory_order_release);
  news_ = true;
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

}  // namespace aqueduct::ugni
