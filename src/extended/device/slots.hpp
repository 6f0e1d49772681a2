// Slots: pieces of this rank's staging room (core/staging.hpp) into which peers send Longs, one at a time.
// Those of puts are granted to peers that ask, in turn; those of gets this rank takes itself and names in
// what it asks for. Each of the two uses has half of them at most, so that neither can keep the other out.
//
// A slot that is lent to a rank which dies is not used again: what that rank has sent may still land there.
//
// Threads: any. One lock.
#pragma once
#include <vector>

#include "base/spin_lock.hpp"
#include "base/types.hpp"
#include "core/device_memory.hpp"
#include "extended/operation.hpp"

namespace aqueduct::extended::device_memory {

struct Slot {
  enum class Use : std::uint8_t { kPut, kGet } use = Use::kPut;
  bool is_lent = false;  ///< its Long has not come yet
  RankId peer = 0;       ///< whose Long that is
  std::byte* memory = nullptr;
  // Where this rank's get has it go:
  std::byte* to = nullptr;
  device::Card* card = nullptr;  ///< null: to the host's memory
  Pending* pending = nullptr;
  std::uint32_t pieces = 0;  ///< to count down there
};

class Slots {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;

  /// Once, before anything else. `memory` may be empty: then there are none.
  void open(const device::HostRange& memory);

  bool is_open() const { return is_open_; }
  /// Whether there are any for this use, lent or not.
  bool has_any(Slot::Use use) const;
  /// Null if there is none left for this use.
  Slot* take(Slot::Use use, RankId peer);
  void give_back(Slot& slot);
  /// The one at that address, which was lent to `source`; it is lent no more. Null if there is none.
  Slot* came(RankId source, const void* address);
  /// Takes those lent to a dead rank out of use.
  void retire(RankId dead);

 private:
  static constexpr unsigned kUses = 2;
  mutable SpinLock lock_;
  bool is_open_ = false;
  device::HostRange memory_;
  std::vector<Slot> slots_;
  std::vector<Slot*> free_;
  // For each use:
  std::size_t share_[kUses] = {};  // how many it may have at a time
  std::size_t taken_[kUses] = {};
};

}  // namespace aqueduct::extended::device_memory
