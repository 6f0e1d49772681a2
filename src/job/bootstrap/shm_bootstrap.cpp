#include "job/bootstrap/shm_bootstrap.hpp"

namespace aqueduct::job {

ShmBootstrap::ShmBootstrap(std::unique_ptr<SharedRoom> room, RankId rank, RankId size)
    : Bootstrap(rank, size),
      room_(std::move(room)),
      meeting_(*room_, 0, rank, size),
      even_(*room_, SharedTable::kRoomBytes, size),
      odd_(*room_, 2 * SharedTable::kRoomBytes, size) {}

void ShmBootstrap::start(const Call& call, Bytes mine) {
  meeting_.compare(operation(), call);
  const bool contributes =
      call.kind == Kind::kAllGather || (call.kind == Kind::kBroadcast && call.root == rank());
  if (contributes) table().write(rank(), mine);
  if (!meeting_.arrive(operation())) return;
  other_table().clear();
  meeting_.publish(operation());
  wake_others();
}

bool ShmBootstrap::step() {
  if (!meeting_.is_published(operation())) return false;
  set_result(call().kind == Kind::kBarrier ? Gathered() : table().view());
  return true;
}

void ShmBootstrap::sleep() {
  meeting_.sleep([this] { return advance(); });
}

}  // namespace aqueduct::job
