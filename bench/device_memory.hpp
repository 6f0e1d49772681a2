// Memory of the first device of every rank, as the other side of puts and gets.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "session.hpp"

namespace aqueduct::bench {

class DeviceMemory {
 public:
  /// Collective: a segment of `bytes` on device 0 of every rank, of that class ("cuda", "hip", "ze") or the
  /// first that is there. Throws Unsuitable on all ranks if one has none.
  DeviceMemory(Session& session, std::size_t bytes, const std::string& device_class);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// What puts and gets name as their team.
  gex_TM_t between(bool local_device, bool remote_device) const;
  std::byte* data() const { return mine_; }
  std::byte* data_of(gex_Rank_t rank) const { return of_rank_[rank]; }

 private:
  gex_EP_t host_;
  gex_EP_t device_{};
  std::byte* mine_ = nullptr;
  std::vector<std::byte*> of_rank_;
};

}  // namespace aqueduct::bench
