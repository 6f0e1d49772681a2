// Portals operations in flight: parts of puts and gets, and payloads of Longs. Each holds a token and local
// memory until its last event; its name travels in the match bits, so that events find it.
//
// Operations is also the handler of descriptors of local memory, whose events all belong to operations.
//
// Threads: any.
#pragma once
#include <atomic>
#include <optional>

#include "papers/conduit/portals/local_memory.hpp"
#include "papers/conduit/portals/port.hpp"
#include "papers/conduit/portals/remote_memory.hpp"
#include "parts/operation_names.hpp"

namespace aqueduct::conduit::portals {

/// The class that has begun an operation.
class OperationClient {
 public:
  /// For puts: the local memory is not read any more.
  virtual void sent(void* owner) { (void)owner; }
  /// For operations that ask for it: the operation is over and holds nothing any more.
  virtual void over(void* owner) = 0;

 protected:
  ~OperationClient() = default;
};

struct PortalsOperation {
  OperationClient* client = nullptr;
  void* owner = nullptr;     ///< the client's
  bool tells_of_end = true;  ///< the client hears over(), which may come after sent() on another thread
  HeldMemory held;
  RemoteMemory::Borrowed borrowed;               ///< of the target, if it is not the segment
  std::atomic<std::uint32_t>* unsent = nullptr;  ///< counted down when the local memory is free
  void* destination = nullptr;                   ///< of a get through a chunk
  std::uint8_t events = 0;                       ///< still to come
  RankId awaited_peer = 0;  ///< the peer that must answer, plus one; atomic, because other threads read it
};

class Operations final : public SafeEvents {
 public:
  explicit Operations(PortalsPort& port) : port_(port) {}
  /// Called once the chunks are attached.
  void open() {
    local_.emplace(port_.interface, port_.settings, port_.request_chunks, port_.request_md, mark());
  }

  LocalMemory& local() { return *local_; }

  /// Creates an operation; its token is taken already.
  PortalsOperation& create(std::uint32_t* name) { return names_.create(name); }
  /// Removes an operation that has not begun after all.
  void withdraw(std::uint32_t name) { names_.retire(name); }

  /// Handles the end of sending, an acknowledgement or the reply to a get; ignores other events.
  void happened(const ptl_event_t& event) override;

  // For reports.
  std::size_t in_use() const { return names_.in_use(); }
  template <class Visit>
  void for_each_awaited_peer(Visit&& visit) {
    names_.for_each([&](PortalsOperation& operation) {
      visit(std::atomic_ref(operation.awaited_peer).load(std::memory_order_relaxed));
    });
  }

 private:
  PortalsPort& port_;
  parts::OperationNames<PortalsOperation> names_;
  std::optional<LocalMemory> local_;
};

}  // namespace aqueduct::conduit::portals
