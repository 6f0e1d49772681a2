#include "hosts/ask_hosts.hpp"

#include <sys/wait.h>

#include <cerrno>

#include "base/clock.hpp"
#include "job/supervision/limit_advice.hpp"

namespace aqueduct::job {
namespace {

constexpr std::uint64_t kAnswerPatienceNs = 30'000'000'000;
constexpr int kLookMs = 50;

class Inquiry {
 public:
  Inquiry(const Placement& placement, const AgentSource& source)
      : placement_(placement), limit_(64 + 4 * placement.hosts.size()) {
    for (const Placement::Host& host : placement.hosts) {
      answers_.push_back({host.name, {}, {}, {}});
      processes_.emplace_back(source, host.name, host.is_here);
    }
  }

  std::vector<HostAnswer> run() {
    for (std::uint32_t i = 0; i < processes_.size(); ++i) {
      if (!processes_[i].start(
              events_, [this, i] { serve(i); }, signals_, limit_))
        answers_[i].error =
            "cannot start a process for host " + answers_[i].name + ": " + explain_with_advice(errno);
    }
    const std::uint64_t until = machine_clock().now_ns() + kAnswerPatienceNs;
    while (is_waiting()) {
      events_.wait(kLookMs);
      while (events_.serve_next()) {
      }
      while (const std::optional<SupervisorSignals::Received> received = signals_.next())
        is_interrupted_ = is_interrupted_ || asks_to_end(received->signal);
      reap();
      for (std::size_t i = 0; i < processes_.size(); ++i) judge(i, machine_clock().now_ns() > until);
    }
    for (AgentProcess& process : processes_) process.stop();
    return std::move(answers_);
  }

 private:
  bool is_answered(std::size_t i) const { return !answers_[i].facts.empty() || !answers_[i].error.empty(); }
  bool is_waiting() const {
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      if (!is_answered(i)) return true;
    }
    return false;
  }
  void serve(std::size_t i) {
    AgentProcess& process = processes_[i];
    process.link().receive();
    while (const std::optional<agent::Message> message = process.link().next()) {
      if (const auto* const hello = std::get_if<agent::Hello>(&*message)) {
        answers_[i].interfaces = hello->interfaces;
        answers_[i].error = process.why_not_with(*hello);
        process.link().send(agent::Ask{placement_.layout.text(), placement_.layout.size()});
      } else if (const auto* const facts = std::get_if<agent::Facts>(&*message)) {
        answers_[i].facts = facts->json;
      }
    }
  }
  void reap() {
    int status = 0;
    for (AgentProcess& process : processes_) {
      if (!process.has_ended() && waitpid(process.pid(), &status, WNOHANG) == process.pid())
        process.ended(status);
    }
  }
  void judge(std::size_t i, bool is_late) {
    AgentProcess& process = processes_[i];
    if (is_answered(i)) return;
    if (process.link().is_garbled()) {
      answers_[i].error = process.why_garbled();
      if (answers_[i].error.empty())
        answers_[i].error = "the agent on host " + answers_[i].name + " sends what cannot be understood";
    } else if (process.link().is_closed() && process.has_ended()) {
      process.read_complaints();
      answers_[i].error = process.why_no_agent();
    } else if (is_interrupted_) {
      answers_[i].error = "was not waited for";
    } else if (is_late) {
      answers_[i].error = "host " + answers_[i].name + " has not answered for " +
                          std::to_string(kAnswerPatienceNs / 1'000'000'000) + " s; " + process.advice();
    }
  }

  const Placement& placement_;
  const DescriptorLimit limit_;
  SupervisorSignals signals_;
  bool is_interrupted_ = false;
  net::EventSet events_;
  std::vector<HostAnswer> answers_;
  std::vector<AgentProcess> processes_;
};

}  // namespace

std::vector<HostAnswer> ask_hosts(const Placement& placement, const AgentSource& source) {
  return Inquiry(placement, source).run();
}

}  // namespace aqueduct::job
