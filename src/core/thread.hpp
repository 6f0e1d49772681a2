// What one client thread knows. A thread gets its record the first time it enters the library and gives it
// back when it ends; the record (with its pools) is then reused by the next thread that comes. The calling
// thread's is current_thread(), null if it has none yet.
#pragma once
#include <memory>

#include "base/context.hpp"
#include "base/wait_policy.hpp"
#include "core/encapsulation.hpp"
#include "core/held_locks.hpp"
#include "core/neighbourhood.hpp"
#include "core/own_slot.hpp"
#include "core/prepared.hpp"
#include "core/token.hpp"

namespace aqueduct::core {

/// What the layers above keep per thread; made by the factory given to Rank.
class ThreadExtension {
 public:
  virtual ~ThreadExtension() = default;
};

struct alignas(2 * kCacheLine) Thread {
  Thread(Rank& owner, unsigned number)
      : rank(owner),
        index(number),
        prepared_request(owner, false),
        prepared_reply(owner, true),
        held_locks(owner) {}

  Rank& rank;
  unsigned index;  ///< 0 for the thread that started the library
  bool in_use = true;
  PollState polling;
  OwnSlot own;
  SpinBudget spin_budget;
  std::uint64_t audited_ns = 0;  ///< when it last looked for damage in the mailboxes
  std::uint32_t idle_calls = 0;  ///< how often the client has looked for something and found nothing
  Token* handling = nullptr;     ///< the message whose handler now runs on this thread
  Prepared prepared_request;
  Prepared prepared_reply;
  HeldLocks held_locks;
  PackingRoom packing_room;
  std::unique_ptr<ThreadExtension> extension;
};

inline Thread* current_thread() { return static_cast<Thread*>(current_context.thread); }

}  // namespace aqueduct::core
