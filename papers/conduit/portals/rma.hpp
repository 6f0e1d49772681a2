// Put and get over Portals: transfers of any length, in one operation or in several.
//
// Transfers that cannot go on wait in a list: for a token or local memory, which the next ones need as well,
// or for a loan of the target's memory.
//
// Threads: any.
#pragma once
#include <atomic>
#include <deque>

#include "base/spinning.hpp"
#include "papers/conduit/portals/operations.hpp"

namespace aqueduct::conduit::portals {

class PutsAndGets final : public Rma, private OperationClient {
 public:
  PutsAndGets(PortalsPort& port, Operations& operations, ControlLine& control)
      : port_(port), operations_(operations), control_(control) {}
  /// From now on also reaches memory outside of segments.
  void set_remote(RemoteMemory& remote) { remote_ = &remote; }

  Post put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
           void* operation) override;
  Post get(RankId target, void* to, const void* from, std::size_t bytes, Done done, void* operation) override;
  bool reaches_everything() const override { return port_.settings.everything; }

  std::size_t under_way() const { return transfers_.in_use(); }

  /// Continues transfers that wait.
  void poll() {
    if (unfinished_count_.load(std::memory_order_relaxed) != 0) continue_transfers();
  }
  /// Handles events that may be handled anywhere, because they need no resources of replies.
  void serve(Spinning& spinning);

 private:
  struct PutOrGet {
    RankId target = 0;
    bool is_get = false;
    std::uintptr_t remote = 0;
    std::uintptr_t local = 0;
    std::size_t bytes = 0;                         // not yet begun
    std::uint32_t parts = 0;                       // parts under way, and one more until all have begun
    std::atomic<std::uint32_t>* unsent = nullptr;  // counts the parts that still read the caller's memory
    Done done = nullptr;
    void* operation = nullptr;
    std::uint32_t name = 0;
    RemoteMemory::Pin pin{};  // of the next part, if that lies outside the target's segment
  };

  /// kLacks: it needs a local resource, which other waiting transfers need as well. kWaits: it needs memory
  /// of the target.
  enum class Begun : std::uint8_t { kYes, kLacks, kWaits };

  Post begin(RankId target, bool is_get, std::uintptr_t remote, std::uintptr_t local, std::size_t bytes,
             std::atomic<std::uint32_t>* unsent, Done done, void* operation);
  Begun advance(PutOrGet& transfer);
  Begun begin_part(PutOrGet& transfer);
  void continue_transfers();
  void over(void* owner) override { count_down(*static_cast<PutOrGet*>(owner)); }
  void count_down(PutOrGet& transfer);

  PortalsPort& port_;
  Operations& operations_;
  ControlLine& control_;
  RemoteMemory* remote_ = nullptr;
  parts::OperationNames<PutOrGet> transfers_;
  SpinLock unfinished_lock_;
  std::deque<std::uint32_t> unfinished_;  // transfers with parts that have not begun
  std::atomic<unsigned> unfinished_count_{0};
};

}  // namespace aqueduct::conduit::portals
