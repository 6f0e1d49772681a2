// The handlers of descriptors' events. A descriptor's user_ptr is the address of its handler.
//
// There are two kinds, one for each queue with events of descriptors: a handler of AM_EQ may run a request's
// handler, so it is called with the resources of a reply reserved. Control messages, which come by SYS_EQ,
// have handlers by their kind (control_line.hpp).
#pragma once
#include "papers/parts/credits.hpp"
#include "papers/parts/memory/chunk_pool.hpp"
#include "parts/parcels.hpp"
#include "portals3.h"

namespace aqueduct::conduit::portals {

/// A request that is being handled, with the resources of its reply.
struct ArrivedRequest : parts::DeliveredRequest {
  std::uint32_t chunk = 0;  ///< at the initiator
  parts::CreditByte credit;
  parts::ChunkPool::Offset reply_chunk = parts::ChunkPool::kNone;
  std::uint32_t tokens = 0;
};

/// The handler of a descriptor whose events come by SAFE_EQ.
class SafeEvents {
 public:
  /// The user_ptr for descriptors.
  void* mark() { return this; }
  static SafeEvents& of(const ptl_event_t& event) { return *static_cast<SafeEvents*>(event.md.user_ptr); }

  /// Any thread.
  virtual void happened(const ptl_event_t& event) = 0;

 protected:
  ~SafeEvents() = default;
};

/// The handler of a descriptor whose events come by AM_EQ.
class AmEvents {
 public:
  void* mark() { return this; }
  static AmEvents& of(const ptl_event_t& event) { return *static_cast<AmEvents*>(event.md.user_ptr); }

  /// An event was taken from the queue, whose lock is held. False: it must wait for others, and is set aside
  /// until may_begin().
  virtual bool taken(const ptl_event_t& event) {
    (void)event;
    return true;
  }
  /// For an event that was set aside: true, once, if its turn has come.
  virtual bool may_begin(const ptl_event_t& event) {
    (void)event;
    return true;
  }
  /// Handles the event. No lock is held.
  virtual void happened(const ptl_event_t& event, ArrivedRequest& arrived) = 0;

 protected:
  ~AmEvents() = default;
};

/// A handler that calls a function of its owner.
template <auto kFunction, class Owner>
class CallsForSafe final : public SafeEvents {
 public:
  explicit CallsForSafe(Owner& owner) : owner_(owner) {}
  void happened(const ptl_event_t& event) override { (owner_.*kFunction)(event); }

 private:
  Owner& owner_;
};

}  // namespace aqueduct::conduit::portals
