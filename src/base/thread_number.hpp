// A number for the calling thread: the first thread of the process that asks has 0, the next one 1, and so
// on. What threads share can be split by it, so that threads which begin one after the other have parts of
// their own. In a simulation, where one thread runs all ranks, it is 0.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/context.hpp"

namespace aqueduct {

inline unsigned thread_number() {
  static constinit std::atomic<std::uint32_t> numbers{0};
  Context& context = current_context;
  if (context.world != nullptr) return 0;
  if (context.number_and_one == 0)
    context.number_and_one = numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  return context.number_and_one - 1;
}

}  // namespace aqueduct
