#include "nic/extoll/client.hpp"

#include "base/fatal.hpp"
#include "nic/extoll/process.hpp"

namespace aqueduct::extoll {

Doorbell* doorbell_of(fabric::NodeId node) {
  const Process* const process = Process::current();
  return process != nullptr ? process->device().doorbell(node) : nullptr;
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
