// Collects the states of all ranks of a job, from all hosts, for reports of hangs and for tools that ask from
// outside. It runs in the process that knows all hosts: the supervisor, the launcher of several hosts, or the
// warden of the first one.
//
// Questions  A rank that has waited for longer than AQUEDUCT_HANG_SECONDS, or has got SIGUSR1, asks for a
//            report (kHangs). The collector writes one report to standard error for all ranks that ask within
//            a second or while it makes one. The report has no lines of source (observe/frame.hpp), but says
//            how to ask for them. Others ask through the socket (job/inspection/inquiry.hpp) and get the
//            states.
// Answers    The collector asks all hosts; a report calls the ranks of a host silent that has not answered in
//            time.
//
// One thread; the owner calls keep_time() at next_ns().
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "job/inspection/inquiry.hpp"
#include "job/place/layout.hpp"
#include "observe/state.hpp"

namespace aqueduct::job {

class StateCollector {
 public:
  /// Asks all hosts to look; each answers with take_states(). Returns how many hosts will answer.
  using AskHosts = std::function<std::size_t(const InspectOptions& look)>;
  using Say = std::function<void(const std::string& text)>;

  /// For a job of `ranks`. The object must not move.
  StateCollector(RankId ranks, net::EventSet& events, AskHosts ask_hosts, Say say);

  /// Opens the socket for questions, in jobs of several hosts. Returns its name, empty if there is none.
  std::string open() { return inquiries_.open() ? inquiries_.name() : ""; }

  /// A rank wants a report.
  void rank_asks(std::uint64_t now_ns);
  void take_states(std::vector<observe::RankState> states);
  /// Whether it waits for states that it has asked for.
  bool is_asking() const { return is_asking_; }
  void keep_time(std::uint64_t now_ns);
  std::uint64_t next_ns() const { return is_asking_ ? answer_by_ns_ : ~std::uint64_t{0}; }

 private:
  static constexpr std::uint64_t kPatienceNs = 1'500'000'000;
  static constexpr std::uint64_t kBetweenReportsNs = 1'000'000'000;

  void ask(std::uint64_t now_ns);
  void conclude(std::uint64_t now_ns);

  RankId ranks_;
  Inquiries inquiries_;
  AskHosts ask_hosts_;
  Say say_;
  bool is_asking_ = false;
  bool wants_report_ = false;
  InspectOptions asked_;
  std::size_t missing_ = 0;  ///< hosts
  std::uint64_t answer_by_ns_ = 0;
  std::uint64_t reported_ns_ = 0;
  std::vector<observe::RankState> states_;
};

}  // namespace aqueduct::job
