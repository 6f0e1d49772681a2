// What the calls of the C interfaces have in common: finding the process that a call is of, paying for the
// call, and waiting.
#pragma once
#include <cstddef>

#include "papers/nic/extoll/process.hpp"

namespace aqueduct::extoll {

/// What all calls have in common. `bad` is the answer if there is no process, or `given` is false: a pointer
/// that must be given is null.
template <class Code, class Function>
Code call(Call kind, std::size_t amount, bool given, Code bad, Function function) {
  Process* const process = Process::current();
  if (process == nullptr || !given) return bad;
  process->device().enter(kind, amount);
  return function(*process);
}

/// A look that lets the network move if there is nothing.
template <class Code, class Look>
Code look_twice(Process& process, Code nothing, Look look) {
  const Code code = look();
  if (code != nothing || process.device().progress() == 0) return code;
  return look();
}

/// Calls `look` until it answers something other than `nothing`. `what` says what is waited for, a literal.
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
