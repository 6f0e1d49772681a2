#include "job/warden/order.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include "gasnet_tools/signals.hpp"

namespace aqueduct::job::warden {
namespace {

void leave_as_told(int, siginfo_t* order, void*) {
  if (order->si_code != SI_QUEUE || order->si_uid != ::getuid()) return;
  const int code = order->si_value.sival_int & 0xff;
  struct sigaction current = {};
  ::sigaction(SIGTERM, nullptr, &current);
  if (current.sa_handler == SIG_DFL) ::_exit(code);
  gasnet_tools::end_with_code(code);
  ::raise(SIGTERM);
}

}  // namespace

void obey_orders() {
  struct sigaction current = {};
  ::sigaction(leave_signal(), nullptr, &current);
  if (current.sa_handler != SIG_DFL) return;
  struct sigaction obey = {};
  obey.sa_sigaction = leave_as_told;
  obey.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigaction(leave_signal(), &obey, nullptr);
}

bool order_to_leave(int process_fd, int code) {
  siginfo_t order = {};
  order.si_signo = leave_signal();
  order.si_code = SI_QUEUE;
  order.si_pid = ::getpid();
  order.si_uid = ::getuid();
  order.si_value.sival_int = code;
  return ::syscall(SYS_pidfd_send_signal, process_fd, leave_signal(), &order, 0) == 0;
}

}  // namespace aqueduct::job::warden
