#include "papers/nic/ugni/client.hpp"

#include "base/fatal.hpp"
#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni {

Doorbell* doorbell_of(fabric::NodeId node) {
  const Process* const process = Process::current();
  return process != nullptr ? process->device().doorbell(node) : nullptr;
}

void check(const char* client, gni_return_t code, const char* what) {
  if (code != GNI_RC_SUCCESS) [[unlikely]]
    fatal(client, "%s: %s", what, gni_err_str[code]);
}

}  // namespace aqueduct::ugni
