// What a thread waits for, for those who ask why a job does not go on (observe/record.hpp).
//
// A subject lives on the stack of whoever waits, and is asked only by a wait that has become slow: making one
// costs next to nothing.
#pragma once
#include "observe/record.hpp"

namespace aqueduct::core {

class WaitSubject {
 public:
  /// Fills in what it knows; the record is empty before. By the thread that waits.
  virtual void describe(observe::WaitRecord& record) const = 0;

 protected:
  ~WaitSubject() = default;
};

/// One that `describe(record)` describes.
template <class Describe>
class DescribedSubject final : public WaitSubject {
 public:
  constexpr explicit DescribedSubject(const Describe& describe) : describe_(describe) {}
  void describe(observe::WaitRecord& record) const override { describe_(record); }

 private:
  const Describe& describe_;
};

/// A kind of wait of which there is no more to say than the call in which it is.
struct PlainSubject {
  observe::WaitKind kind;
  const char* call = "";

  void operator()(observe::WaitRecord& record) const {
    record.kind = kind;
    record.set_call(call);
  }
};

/// For a condition of the client's, with what the client says about it (aqueduct_wait_for).
struct ClientWait final : WaitSubject {
  const char* what = nullptr;
  RankId peer = kNoRank;
  std::uint32_t longest_sleep_us = ~std::uint32_t{0};

  void describe(observe::WaitRecord& record) const override {
    record.kind = observe::WaitKind::kBlockUntil;
    if (!what) return;
    record.set_call(what);
    record.peer = peer;
  }
};

/// For room for something that goes to `peer`.
struct CreditsSubject {
  RankId peer;
  observe::TransferKind transfer = observe::TransferKind::kMessage;

  void operator()(observe::WaitRecord& record) const {
    record.kind = observe::WaitKind::kCredits;
    record.transfer = transfer;
    record.peer = peer;
  }
};

}  // namespace aqueduct::core
