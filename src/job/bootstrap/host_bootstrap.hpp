// Bootstrap of a job on several hosts. The ranks of a host meet in its shared memory; one of them, the
// leader, exchanges what they contribute with the leaders of other hosts, writes the result to a table in
// shared memory, and publishes it. So each host has the result once, and only leaders have connections.
//
//   every rank    writes its row of the host's contributions, arrives
//   leader        all have arrived: packs the rows, all-gather or broadcast or barrier among leaders,
//                 unpacks into the table of results, publishes
//   every rank    reads the table
//
// The leader is the rank with local number 0. It must advance for the others of its host to go on.
#pragma once
#include <memory>

#include "job/bootstrap/host_meeting.hpp"
#include "job/bootstrap/shared_table.hpp"
#include "job/place/layout.hpp"

namespace aqueduct::job {

/// "host 2 (ranks 4, 5 and 7)", or with the number of ranks where there are many.
std::string describe_host(const Layout& layout, HostId host);

class HostBootstrap final : public Bootstrap {
 public:
  /// The bytes that it needs of a SharedRoom.
  static constexpr std::size_t kRoomBytes = 8 * SharedTable::kRoomBytes;

  /// `room` is shared by the ranks of this rank's host and begins with zeros. `leaders` is the bootstrap
  /// among leaders, whose ranks are hosts; null at ranks that are not leaders. Its waiting hooks are not
  /// used.
  HostBootstrap(std::unique_ptr<SharedRoom> room, const Layout& layout, RankId rank,
                std::unique_ptr<Bootstrap> leaders);

  void sleep() override;
  /// Adds the sockets of the leaders' bootstrap while this rank waits for other hosts.
  void add_to_poll(std::vector<pollfd>& polled) const override {
    if (phase_ == Phase::kExchanging) leaders_->add_to_poll(polled);
  }
  bool awaits_network() const override { return phase_ == Phase::kExchanging && leaders_->awaits_network(); }

 private:
  enum class Phase : std::uint8_t { kGathering, kExchanging, kPublished };

  void start(const Call& call, Bytes mine) override;
  bool step() override;

  void lead();
  void begin_exchange();
  void write_result();
  void unpack(HostId host, Bytes packed);
  unsigned side() const { return HostMeeting::side(operation()); }

  Layout layout_;
  RankPlace here_;
  std::unique_ptr<SharedRoom> room_;
  HostMeeting meeting_;
  SharedTable contributions_[2];  // by side; one row per rank of this host
  SharedTable results_[2];        // by side; one row per rank of the job
  std::unique_ptr<Bootstrap> leaders_;
  Phase phase_ = Phase::kPublished;  // at the leader
};

}  // namespace aqueduct::job
