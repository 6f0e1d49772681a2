// Bootstrap of ranks that all share memory: the ranks of one host, or those of a simulation, which are in one
// process.
//
// A rank writes its contribution to the table of the operation's side and arrives; the last one publishes
// (job/bootstrap/host_meeting.hpp). The table itself is the result. An operation costs a rank one atomic
// addition and a copy of its own bytes. Each of the two tables takes 16 bytes per rank and the contributions,
// and keeps the pages of the largest result.
#pragma once
#include <memory>
#include <optional>

#include "job/bootstrap/host_meeting.hpp"
#include "job/bootstrap/shared_table.hpp"

namespace aqueduct::job {

class ShmBootstrap final : public Bootstrap {
 public:
  /// The ranks share `room`, which holds zeros when the first of them comes.
  ShmBootstrap(std::unique_ptr<SharedRoom> room, RankId rank, RankId size);

  void sleep() override;

 private:
  void start(const Call& call, Bytes mine) override;
  bool step() override;

  SharedTable& table() { return HostMeeting::side(operation()) == 0 ? even_ : odd_; }
  SharedTable& other_table() { return HostMeeting::side(operation()) == 0 ? odd_ : even_; }

  std::unique_ptr<SharedRoom> room_;
  HostMeeting meeting_;
  SharedTable even_;
  SharedTable odd_;
};

}  // namespace aqueduct::job
