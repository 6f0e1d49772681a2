#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni {

Process::Process(Device& device) : LockedProcess(device) { device_.set_library(*this); }

Process::~Process() = default;

}  // namespace aqueduct::ugni
