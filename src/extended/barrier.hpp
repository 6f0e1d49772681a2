// Barriers over all ranks, with names.
//
// arrive() says that this rank has come and answers a ticket; passed(ticket) tells whether all have. Tickets
// count up from 1, and barriers match in the order in which ranks arrive. Several may be outstanding, of
// which only the last arrival's value() may be asked for: clients of names have one at a time.
#pragma once
#include <cstdint>

#include "core/thread.hpp"

namespace aqueduct::extended {

/// What a rank says about the name of its barrier, and what comes of it when all have spoken.
struct BarrierValue {
  enum Kind : std::uint8_t { kAnonymous, kNamed, kMismatch };
  Kind kind = kAnonymous;
  std::int32_t id = 0;

  /// Commutative, associative and idempotent, so that it may be combined along any path, also twice.
  friend BarrierValue combine(BarrierValue a, BarrierValue b) {
    if (a.kind == kAnonymous) return b;
    if (b.kind == kAnonymous) return a;
    if (a.kind == kNamed && b.kind == kNamed && a.id == b.id) return a;
    return {kMismatch, 0};
  }
};

class Barrier {
 public:
  virtual ~Barrier() = default;
  virtual std::uint64_t arrive(core::Thread& thread, BarrierValue value) = 0;
  virtual bool passed(std::uint64_t ticket) = 0;
  /// The outcome of the last barrier that this rank arrived at, once it has passed.
  virtual BarrierValue value() = 0;
  /// True: neighbours make it pass by writing to shared memory, so it pays to look at that for a while.
  /// False: messages do, and only a poll brings those.
  virtual bool passes_without_polls() const { return true; }
  /// The barrier that carries this one out, if this one only wraps it.
  virtual Barrier& inner() { return *this; }
};

}  // namespace aqueduct::extended
