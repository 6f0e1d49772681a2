#include "papers/nic/extoll/client.hpp"

#include "base/fatal.hpp"
#include "papers/nic/extoll/process.hpp"

namespace aqueduct::extoll {

Doorbell* doorbell_of(fabric::NodeId node) {
  const Process* const process = Process::current();
  return process != nullptr ? process->device().doorbell(node) : nullptr;
}

std::uint64_t activity() {
  const Process* const process = Process::current();
  return process != nullptr ? process->activity().load(std::memory_order_acquire) : 0;
}

bool has_message(const velo2_port_t& port) {
  Process* const process = Process::current();
  return process != nullptr && process->has_message(port);
}

bool has_all_left() {
  Process* const process = Process::current();
  return process == nullptr || process->has_all_left();
}

void check(const char* client, velo2_ret_t code, const char* what) {
  if (code != VELO2_RET_SUCCESS) [[unlikely]]
    fatal(client, "%s: %s", what, velo2_strerror(code));
}

void check(const char* client, RMA2_ERROR code, const char* what) {
  if (code != RMA2_SUCCESS) [[unlikely]]
    fatal(client, "%s: %s", what, rma2_strerror(code));
}

}  // namespace aqueduct::extoll
