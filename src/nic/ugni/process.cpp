#include "nic/ugni/process.hpp"

namespace aqueduct::ugni {

Process::Process(Device& device) : device_(device), self_(device.self()), limits_(device.limits()) {
  device_.set_library(*this);
}

Process::~Process() = default;

void Process::changed() {
  activity_.fetch_add(1, std::memory_order_release);
  news_ = true;
}

}  // namespace aqueduct::ugni
