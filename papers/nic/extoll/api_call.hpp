// Shared by the calls of the C interfaces: finds the process that a call belongs to, charges the call, and
// waits.
#pragma once
#include <cstddef>

#include "papers/nic/extoll/process.hpp"

namespace aqueduct::extoll {

/// Runs one call. Returns `bad` if there is no process, or if `given` is false: a required pointer is null.
template <class Code, class Function>
Code call(Call kind, std::size_t amount, bool given, Code bad, Function function) {
  Process* const process = Process::current();
  if (process == nullptr || !given) return bad;
  process->device().enter(kind, amount);
  return function(*process);
}

/// Looks; if there is nothing, makes progress and looks again.
template <class Code, class Look>
Code look_twice(Process& process, Code nothing, Look look) {
  const Code code = look();
  if (code != nothing || process.device().progress() == 0) return code;
  return look();
}

/// Calls `look` until it returns something other than `nothing`. `what` returns a literal that says what it
/// waits for.
template <class Code, class Look, class What>
Code wait_for(Process& process, Code nothing, Look look, What what) {
  for (;;) {
    const std::uint64_t seen = process.activity().load(std::memory_order_acquire);
    process.device().enter(Call::kLook, 0);
    const Code code = look_twice(process, nothing, look);
    if (code != nothing) return code;
    process.device().waits_for(what());
    process.device().wait(process.activity(), seen, kForever);
  }
}

}  // namespace aqueduct::extoll
