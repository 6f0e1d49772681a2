// The warden of a host other than the first: reports the events of its ranks to the first warden and does
// what that one says. If the first warden is lost, this one kills its ranks.
#pragma once
#include <deque>
#include <memory>
#include <optional>

#include "job/bootstrap/greeter.hpp"
#include "job/warden/connection.hpp"
#include "job/warden/foreign_ranks.hpp"
#include "job/warden/warden.hpp"
#include "net/event_set.hpp"

namespace aqueduct::job::warden {

class OtherWarden final : public RankWatcher {
 public:
  OtherWarden(WardenPlan plan, net::Descriptor memory, net::Descriptor enrolment);

  /// Returns when the ranks of this host have ended and the first warden knows.
  void run();

  void take(const RankEvent& event) override;
  void take_states(std::vector<observe::RankState> states) override;
  /// The launcher carries the output.
  void take_output(RankId, Channel, std::string_view) override {}

 private:
  std::uint64_t next_time_ns() const;
  void connect();
  void serve_connection();
  void hear(const agent::RankMessage& message);
  void keep_time();
  void look_who_is_missing();
  void finish();
  /// Ends the ranks of this host at once.
  void lose_first(const std::string& what);

  WardenPlan plan_;
  const std::uint64_t start_end_ns_;  ///< the end of the wait for ranks
  net::EventSet events_;
  ForeignRanks ranks_;
  std::optional<PersistentGreeter> greeter_;  ///< until there is a connection
  std::unique_ptr<WardenConnection> connection_;
  std::deque<RankEvent> untold_;  ///< events to send once there is a connection
  bool has_lost_first_ = false;
  bool has_given_up_ = false;  ///< waiting for ranks that have not come
  bool has_finished_ = false;
  std::uint64_t over_ns_ = ~std::uint64_t{0};  ///< the end of the wait for the first warden
};

}  // namespace aqueduct::job::warden
