// What a foreign launcher offers to the processes that it has started: their ranks, and an all-gather of
// short texts. Through it ranks learn which of them share a host, the job's key, and where the leaders of
// hosts meet; everything else goes through job::Bootstrap.
//
// One thread uses it, before the rank is started. Every rank makes the same calls. Failures are fatal, with
// one line that names the launcher's interface, its answer and what to do.
//
//   std::unique_ptr<LauncherExchange> exchange = open_exchange(...);  // job/launchers/open.hpp
//   const std::vector<std::string> cards = exchange->all_gather(card.text());
//   exchange->finish();
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "net/address.hpp"
#include "net/job_key.hpp"

namespace aqueduct::job::launchers {

class LauncherExchange {
 public:
  /// All launchers carry at least so many characters in a value.
  static constexpr std::size_t kMostText = 1000;

  virtual ~LauncherExchange() = default;
  LauncherExchange(const LauncherExchange&) = delete;
  LauncherExchange& operator=(const LauncherExchange&) = delete;

  RankId rank() const { return rank_; }
  RankId size() const { return size_; }

  /// The text of each rank. `mine` has 1 to kMostText printable characters without a blank or '='.
  virtual std::vector<std::string> all_gather(const std::string& mine) = 0;
  /// The address at which all reach rank 0's host, if the launcher knows it; the port does not matter.
  virtual net::Address meeting_address() const { return {}; }
  /// A secret that the ranks already share; most launchers give none.
  virtual net::JobKey key() const { return {}; }
  /// Asks the launcher to end all processes of the job. Returns if the launcher cannot.
  virtual void abort(int code, const char* line) = 0;
  /// Ends the conversation with the launcher. Only the destructor may be called afterwards.
  virtual void finish() = 0;

 protected:
  LauncherExchange() = default;
  void set_place(RankId rank, RankId size) {
    rank_ = rank;
    size_ = size;
  }

 private:
  RankId rank_ = 0;
  RankId size_ = 1;
};

}  // namespace aqueduct::job::launchers
