// Collects the states of all ranks of a job, from all hosts, for those who ask why the job does not go on, or
// what its ranks have counted. It works in the process that knows all hosts: the supervisor, the launcher of
// several hosts, or the warden of the first one.
//
// Questions  A rank asks when it has waited for longer than AQUEDUCT_HANG_SECONDS or has got SIGUSR1
// (kHangs).
//            The collector then writes a report to standard error, one for all ranks that ask within a second or
//            while one is being made. The report is without lines of source (observe/frame.hpp); where there
//            are some, it says how to ask for them.
//            Somebody else asks through the socket (job/inspection/inquiry.hpp), and gets the states themselves.
// Answers    The collector asks all hosts; ranks of a host that has not answered in time are reported as
// silent.
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
  /// Asks all hosts to look; each answers with take_states(). Returns how many will.
  using AskHosts = std::function<std::size_t(const InspectOptions& look)>;
  using Say = std::function<void(const std::string& text)>;

  /// For a job of so many ranks. Stays where it is.
  StateCollector(RankId ranks, net::EventSet& events, AskHosts ask_hosts, Say say);

  /// Lets others ask; for jobs of several hosts. Returns the name of the socket, empty if there is none.
  std::string open() { return inquiries_.open() ? inquiries_.name() : ""; }

  /// A rank wants a report.
  void rank_asks(std::uint64_t now_ns);
  void take_states(std::vector<observe::RankState> states);
  /// Whether states will come that were asked for here.
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
