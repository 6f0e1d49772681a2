#include "base/fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace aqueduct {
namespace {

long membarrier(int command) { return ::syscall(SYS_membarrier, command, 0, 0); }

}  // namespace

bool kernel_fences_available = false;

void register_for_heavy_fences() {
  const long commands = membarrier(MEMBARRIER_CMD_QUERY);
  kernel_fences_available = commands > 0 && (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0 &&
                            membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
}

void heavy_fence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (kernel_fences_available) membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

}  // namespace aqueduct
