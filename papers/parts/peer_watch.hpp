// Notices peers that no longer answer, so that nobody waits for them for ever.
//
// That something which was sent to a peer is not answered says little: a program may compute for an hour
// without looking at its messages. So at intervals such peers are probed: sent something that their network
// interface answers by itself. One that answers is alive, and may take its time. One that does not, for as
// long as the timeout, is stopped or dead, which the conduit then says.
//
// Only time in which this rank looks counts. A rank that was itself stopped for a while, in a debugger say,
// blames nobody for it.
//
// Threads: any. Conduits ask is_due() where they have found nothing to do.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>

#include "base/spin_lock.hpp"
#include "parts/probe_list.hpp"

namespace aqueduct::parts {

class PeerWatch {
 public:
  static constexpr unsigned kMostProbes = ProbeList::kMost;  ///< under way at once
  static constexpr unsigned kLooks = 8;                      ///< before the timeout

  /// What a conduit does for it.
  class Client {
   public:
    virtual void list_unanswered(ProbeList& peers) = 0;
    /// Sends a probe; its answer is reported with answered(name).
    virtual void probe(RankId peer, std::uint32_t name) = 0;
    /// This peer has been silent for longer than the timeout.
    virtual void gave_up(RankId peer, std::uint64_t waited_ns) = 0;

   protected:
    ~Client() = default;
  };

  /// Timeout 0: never gives up, never probes.
  PeerWatch(Client& client, std::uint64_t timeout_ns) : client_(client), timeout_ns_(timeout_ns) {}

  bool is_on() const { return timeout_ns_ != 0; }
  bool is_due(std::uint64_t now_ns) const { return now_ns >= next_look_ns(); }
  std::uint64_t next_look_ns() const { return next_look_ns_.load(std::memory_order_relaxed); }

  /// Probes peers from which answers are missing, and gives up those whose time is over. `all`: sends new
  /// probes; otherwise only repeats those that have not been answered. Answers false if it did not look:
  /// because this is the first look, which has nothing to compare with, or because another thread looks.
  bool look(std::uint64_t now_ns, bool all);
  void answered(std::uint32_t name);
  /// Whether a probe is not answered yet.
  bool is_waiting() const { return waiting_.load(std::memory_order_relaxed) != 0; }

 private:
  struct Probe {
    RankId peer = 0;
    std::uint32_t name = 0;  // 0: none under way
    std::uint64_t since_ns = 0;
  };

  Probe* find(RankId peer);

  Client& client_;
  std::uint64_t timeout_ns_;
  std::atomic<std::uint64_t> next_look_ns_{0};
  std::atomic<unsigned> waiting_{0};
  SpinLock lock_;  // of what follows; never held while the client is called
  std::array<Probe, kMostProbes> probes_{};
  std::uint64_t last_look_ns_ = 0;
  std::uint64_t counted_ns_ = 0;
  std::uint32_t names_ = 0;
};

}  // namespace aqueduct::parts
