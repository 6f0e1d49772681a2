#include "job/supervision/signals.hpp"

#include <pthread.h>
#include <sys/signalfd.h>

namespace aqueduct::job {

SupervisorSignals::SupervisorSignals(bool handles_stop) {
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &old_pipe_);
  sigaction(SIGXFSZ, &action, &old_file_size_);
  // Where SIGCHLD is ignored, children vanish before their status can be read.
  action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, &old_child_);

  sigset_t handled;
  sigemptyset(&handled);
  sigaddset(&handled, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP}) {
    if (signal == SIGTSTP && !handles_stop) continue;
    struct sigaction current = {};
    sigaction(signal, nullptr, &current);
    if (current.sa_handler != SIG_IGN) sigaddset(&handled, signal);
  }
  pthread_sigmask(SIG_BLOCK, &handled, &old_mask_);
  fd_ = net::Descriptor(signalfd(-1, &handled, SFD_NONBLOCK | SFD_CLOEXEC));
}

SupervisorSignals::~SupervisorSignals() { restore(); }

void SupervisorSignals::restore() const {
  sigaction(SIGPIPE, &old_pipe_, nullptr);
  sigaction(SIGXFSZ, &old_file_size_, nullptr);
  sigaction(SIGCHLD, &old_child_, nullptr);
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

std::optional<SupervisorSignals::Received> SupervisorSignals::next() {
  signalfd_siginfo info;
  if (read(fd_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  const bool from_process =
      info.ssi_code == SI_USER || info.ssi_code == SI_TKILL || info.ssi_code == SI_QUEUE;
  return Received{static_cast<int>(info.ssi_signo), !from_process};
}

void stop_self() { raise(SIGSTOP); }

bool asks_to_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

}  // namespace aqueduct::job
