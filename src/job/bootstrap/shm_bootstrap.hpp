// Bootstrap of ranks that all share memory: those of one host, or of a simulation, where it is the process's
// own.
//
// A rank writes what it contributes to the table of the operation's side and arrives; the last one publishes
// (job/bootstrap/host_meeting.hpp). What was contributed is the result, where it lies. An operation costs a
// rank one atomic addition and a copy of its own bytes. Memory: 16 bytes for each rank and what they
// contribute, twice, on the host; it keeps the pages of the largest results.
#pragma once
#include <memory>
#include <optional>

#include "job/bootstrap/host_meeting.hpp"
#include "job/bootstrap/shared_table.hpp"

namespace aqueduct::job {

class ShmBootstrap final : public Bootstrap {
 public:
  /// `room` begins with zeros when the first of the ranks comes, and belongs to them.
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
