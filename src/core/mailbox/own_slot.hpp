// Where a thread's messages to its own rank are written: a mailbox of one slot that nobody else sees.
//
// Such a message is not sent: its handler runs at once, on the thread that makes the request, and the handler
// of its reply when that has returned. A handler sends no request, so that one slot is enough.
#pragma once
#include "base/zeroed_array.hpp"
#include "core/mailbox/mailbox.hpp"

namespace aqueduct::core {

class OwnSlot {
 public:
  Slot slot() {
    if (memory_.size() == 0) [[unlikely]]
      memory_ = ZeroedArray<std::byte>(sizeof(MailboxMemory<1>));
    return reinterpret_cast<MailboxMemory<1>*>(memory_.data())->slot(0);
  }

  /// True once in kBetweenPolls calls: the thread should look for messages.
  bool poll_is_due() { return ++runs_ % kBetweenPolls == 0; }

 private:
  static constexpr std::uint32_t kBetweenPolls = 8;

  ZeroedArray<std::byte> memory_;
  std::uint32_t runs_ = 0;
};

}  // namespace aqueduct::core
