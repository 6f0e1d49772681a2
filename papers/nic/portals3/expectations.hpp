// The operations of this process that wait for an acknowledgement or a reply, so that they can fail if the
// peer is lost. The caller holds the interface's lock.
//
// Each gets a ticket, which travels with the request and comes back with the answer. Targets do not report
// dropped requests, so some wait for ever: at most kMost are kept, and the newest replace the oldest.
#pragma once
#include <cstdint>
#include <vector>

#include "papers/nic/portals3/wire_header.hpp"

namespace aqueduct::portals3 {

class Expectations {
 public:
  static constexpr std::size_t kMost = 16384;

  /// Adds a request, which need not be sealed yet, and returns its ticket, which is never 0.
  std::uint32_t add(const WireHeader& request) {
    if (++last_ticket_ == 0) ++last_ticket_;
    while (ring_.empty() || (slot(last_ticket_).waiting && ring_.size() < kMost)) grow();
    Waiting& waiting = slot(last_ticket_);
    pushed_out_ |= waiting.waiting;
    waiting = {last_ticket_, true, request};
    waiting.request.ticket = last_ticket_;
    return last_ticket_;
  }

  /// The operation of this header is answered, or has failed. False if it was settled before.
  bool settle(const WireHeader& header) {
    if (header.ticket == 0) return true;
    if (ring_.empty()) return false;
    Waiting& waiting = slot(header.ticket);
    // Slots are reused once they are settled, or if the table is full.
    if (waiting.ticket != header.ticket || waiting.request.descriptor != header.descriptor)
      return pushed_out_;
    const bool first = waiting.waiting;
    waiting.waiting = false;
    return first;
  }

  /// Visits those that wait for a peer from the oldest to the newest, and settles each; new ones may be added
  /// meanwhile.
  class Walk {
   public:
    Walk(Expectations& all, NodeId peer)
        : all_(all),
          peer_(peer),
          left_(all.ring_.size()),
          next_(all.last_ticket_ - static_cast<std::uint32_t>(left_)) {}

    /// The next one, which is now settled; false: there is none.
    bool next(WireHeader& request) {
      while (left_ != 0) {
        --left_;
        Waiting& waiting = all_.slot(++next_);
        if (waiting.ticket != next_ || !waiting.waiting || waiting.request.target.nid != peer_) continue;
        waiting.waiting = false;
        request = waiting.request;
        return true;
      }
      return false;
    }

   private:
    Expectations& all_;
    NodeId peer_;
    std::size_t left_;
    std::uint32_t next_;
  };

  void clear() {
    ring_.clear();
    pushed_out_ = false;
  }

 private:
  struct Waiting {
    std::uint32_t ticket = 0;
    bool waiting = false;
    WireHeader request;
  };

  Waiting& slot(std::uint32_t ticket) { return ring_[ticket & (ring_.size() - 1)]; }

  void grow() {
    std::vector<Waiting> old(ring_.empty() ? 8 : 2 * ring_.size());
    old.swap(ring_);
    for (const Waiting& waiting : old) {
      if (waiting.ticket != 0) slot(waiting.ticket) = waiting;
    }
  }

  std::vector<Waiting> ring_;  ///< a power of two; a ticket's place is its lower bits
  std::uint32_t last_ticket_ = 0;
  bool pushed_out_ = false;  ///< a waiting one was replaced
};

}  // namespace aqueduct::portals3
