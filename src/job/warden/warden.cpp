#include "job/warden/warden.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <string>

#include "base/clock.hpp"
#include "base/fatal.hpp"
#include "job/ending.hpp"
#include "job/local_ranks.hpp"
#include "job/shared_memory.hpp"
#include "job/warden/foreign_ranks.hpp"

namespace aqueduct::job::warden {
namespace {

constexpr std::uint64_t kMillisecondNs = 1'000'000;
constexpr std::uint64_t kNever = ~std::uint64_t{0};
/// Between two looks at who waits, as a supervisor has it.
constexpr std::uint64_t kLookNs = 250 * kMillisecondNs;

std::uint64_t now_ns() { return machine_clock().now_ns(); }

std::vector<RankId> ranks_of(const Layout& hosts, HostId host) {
  std::vector<RankId> ranks;
  for (RankId local = 0; local < hosts.local_size(host); ++local) ranks.push_back(hosts.rank_at(host, local));
  return ranks;
}

class Warden final : public RankWatcher {
 public:
  Warden(Plan plan, Descriptor memory, Descriptor listener)
      : enrolment_end_ns_(now_ns() + static_cast<std::uint64_t>(plan.timeout_ms) * kMillisecondNs),
        ending_(plan.hosts.size()),
        ranks_(std::move(memory), std::move(listener), ranks_of(plan.hosts, plan.host), events_, *this),
        rendezvous_(std::move(plan.rendezvous), events_) {}

  void run() {
    while (!is_over()) {
      for (const Event& event : events_.wait(timeout_ms())) {
        ranks_.serve(event);
        if (event.kind == EventKind::kRendezvous) rendezvous_.serve();
      }
      look_who_waits();
      look_who_is_missing();
      take_step();
    }
    say_why();
  }

  void take(const RankEvent& event) override {
    const std::uint64_t now = now_ns();
    switch (event.kind) {
      using enum RankEvent::Kind;
      case kStarted:
        return ending_.rank_started(event.rank, event.number);
      case kCalledExit:
        return ending_.rank_called_exit(event.rank, event.number, now);
      case kReturned:
        return ending_.rank_returned(event.rank, now);
      case kReplaced:
        return ending_.rank_replaced(event.rank, now);
      case kAborted:
        return ending_.rank_aborted(event.rank, event.text, now);
      case kEnded:
        return ending_.rank_ended(event.rank, event.number, now, event.text);
      case kWaits:
        return ending_.rank_waits(event.rank, true, now);
      case kGoesOn:
        return ending_.rank_waits(event.rank, false, now);
    }
  }
  void take_output(RankId, Channel, std::string_view) override {}

 private:
  /// All have ended; those that have not come do not matter once the job is ending.
  bool is_over() const { return ranks_.have_all_ended() && (ranks_.are_all_here() || !ending_.is_running()); }

  int timeout_ms() const {
    const std::uint64_t next =
        std::min({ending_.next_step_ns(), ending_.is_watching() ? next_look_ns_ : kNever,
                  ranks_.are_all_here() ? kNever : enrolment_end_ns_});
    if (next == kNever) return -1;
    const std::uint64_t now = now_ns();
    const std::uint64_t wait_ms = next > now ? (next - now) / kMillisecondNs + 1 : 0;
    return static_cast<int>(std::min<std::uint64_t>(wait_ms, INT_MAX));
  }

  void look_who_waits() {
    const std::uint64_t now = now_ns();
    if (!ending_.is_watching() || now < next_look_ns_) return;
    next_look_ns_ = now + kLookNs;
    ranks_.look_who_waits();
  }

  void look_who_is_missing() {
    if (ranks_.are_all_here() || !ending_.is_running() || now_ns() < enrolment_end_ns_) return;
    const RankId missing = ranks_.missing().front();
    ending_.rank_aborted(missing,
                         "aqueduct: rank " + std::to_string(missing) +
                             " has not come to the other ranks of its host within the time that starting may "
                             "take (AQUEDUCT_START_TIMEOUT); the job ends with code 1",
                         now_ns());
  }

  void take_step() {
    switch (ending_.step(now_ns())) {
      case Ending::Step::kNone:
        return;
      case Ending::Step::kTerminate:
        say_why();
        ranks_.order_to_leave(ending_.exit_code());
        ranks_.signal(SIGCONT);  // a stopped rank could not follow
        return;
      case Ending::Step::kKill:
        return ranks_.signal(SIGKILL);
    }
  }

  /// Once, in one piece, so that lines of several processes do not mix.
  void say_why() {
    if (has_said_why_ || ending_.line().empty()) return;
    has_said_why_ = true;
    const std::string line = ending_.line() + "\n";
    (void)!::write(STDERR_FILENO, line.data(), line.size());
  }

  std::uint64_t enrolment_end_ns_;
  EventSet events_;
  Ending ending_;
  ForeignRanks ranks_;
  RendezvousService rendezvous_;
  std::uint64_t next_look_ns_ = 0;
  bool has_said_why_ = false;
};

/// Signals mean nothing to the warden: it ends when its ranks have.
void ignore_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD,
                           SIGTTOU, SIGTTIN, SIGTSTP, SIGXFSZ})
    ::signal(signal, SIG_IGN);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Closes what the rank had open, whose other ends wait to see that the rank has closed it. Standard error
/// stays, for the line.
void close_all_but(std::vector<int> kept) {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  kept.push_back(STDERR_FILENO);
  std::sort(kept.begin(), kept.end());
  unsigned first = STDERR_FILENO + 1;
  for (const int fd : kept) {
    if (fd < static_cast<int>(first)) continue;
    if (static_cast<unsigned>(fd) > first) ::close_range(first, static_cast<unsigned>(fd) - 1, 0);
    first = static_cast<unsigned>(fd) + 1;
  }
  ::close_range(first, ~0U, 0);
}

std::vector<int> descriptors_of(const Plan& plan) {
  std::vector<int> descriptors;
  if (!plan.rendezvous) return descriptors;
  std::vector<pollfd> polled;
  plan.rendezvous->add_to_poll(polled);
  for (const pollfd& each : polled) descriptors.push_back(each.fd);
  return descriptors;
}

[[noreturn]] void become_warden(Plan plan, Descriptor memory, Descriptor listener) {
  ::setsid();
  if (::fork() != 0) _exit(0);  // to be nobody's child
  ::prctl(PR_SET_NAME, "aqueduct-warden");
  set_failure_sink(nullptr);
  set_failure_witness(nullptr);
  set_reporting_rank(-1);
  ignore_signals();
  (void)!::chdir("/");
  std::vector<int> kept = descriptors_of(plan);
  kept.insert(kept.end(), {memory.get(), listener.get()});
  close_all_but(std::move(kept));
  Warden warden(std::move(plan), std::move(memory), std::move(listener));
  warden.run();
  _exit(0);
}

}  // namespace

void start(Plan plan) {
  Descriptor memory(create_shared_memory());
  if (!memory) fatal("start", "%s", why_not_created(errno).c_str());
  Descriptor listener = listen_for_ranks(plan.name);
  if (!listener) fatal("start", "cannot listen for the other ranks of this host: %s", std::strerror(errno));
  const pid_t child = ::fork();
  if (child < 0) fatal("start", "cannot start the warden of this host's ranks: %s", std::strerror(errno));
  if (child == 0) become_warden(std::move(plan), std::move(memory), std::move(listener));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace aqueduct::job::warden
