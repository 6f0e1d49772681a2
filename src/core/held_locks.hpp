// The handler-safe locks that a thread of a debug client holds.
//
// While it holds one, a thread may call no more than a handler may, and may not even reply. It seems to run
// the handler of a token that has no rights, so that the calls which look for a handler need not look for
// locks. Belongs to the thread; locks that it took before it was known to the library are not counted.
#pragma once
#include "core/token.hpp"

namespace aqueduct::core {

struct HeldLocks {
  explicit HeldLocks(Rank& rank) : marker{rank, {}, HandlerTable::no_entry(), false, false} {}

  /// `handling` is the token whose handler the thread runs.
  void took_one(Token*& handling) {
    if (count++ != 0) return;
    outer = handling;
    handling = &marker;
  }
  void gave_one_back(Token*& handling) {
    if (count == 0 || --count != 0) return;
    handling = outer;
  }

  unsigned count = 0;
  Token* outer = nullptr;
  Token marker;
};

}  // namespace aqueduct::core
