// Operations of Portals in flight: parts of puts and gets, and payloads of Longs. Each holds a token and
// local memory until its last event; its name travels in the match bits, and its events find it by that.
//
// Operations is also the handler of descriptors of local memory, whose events are of operations alone.
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

/// Who has begun an operation.
class OperationClient {
 public:
  /// The memory here is not read any more. Of puts.
  virtual void sent(void* owner) { (void)owner; }
  /// It is over, and holds nothing any more. Of those that ask for it.
  virtual void over(void* owner) = 0;

 protected:
  ~OperationClient() = default;
};

struct PortalsOperation {
  OperationClient* client = nullptr;
  void* owner = nullptr;     ///< the client's
  bool tells_of_end = true;  ///< the client hears over(), which may come after sent() on another thread
  Held held;
  RemoteMemory::Borrowed borrowed;               ///< of the target, if it is not the segment
  std::atomic<std::uint32_t>* unsent = nullptr;  ///< is counted down when the memory here is free
  void* destination = nullptr;                   ///< of a get by way of a chunk
  std::uint8_t events = 0;                       ///< still to come
  RankId awaited_peer = 0;                       ///< who must answer, plus one; atomic, because others look
};

class Operations final : public SafeEvents {
 public:
  explicit Operations(Port& port) : port_(port) {}
  /// When the chunks are attached.
  void open() {
    local_.emplace(port_.interface, port_.settings, port_.request_chunks, port_.request_md, mark());
  }

  LocalMemory& local() { return *local_; }

  /// A fresh one; its token is taken already.
  PortalsOperation& create(std::uint32_t* name) { return names_.create(name); }
  /// It has not begun after all.
  void withdraw(std::uint32_t name) { names_.retire(name); }

  /// The end of sending, an acknowledgement or the reply to a get, of an operation; others are ignored.
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
  Port& port_;
  parts::OperationNames<PortalsOperation> names_;
  std::optional<LocalMemory> local_;
};

}  // namespace aqueduct::conduit::portals
