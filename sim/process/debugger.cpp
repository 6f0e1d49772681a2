#include "sim/process/debugger.hpp"

#include <cstdint>
#include <cstdio>
#include <string>

#include "sim/process/process.hpp"

extern "C" const char __executable_start, etext;

namespace aqueduct::sim::process {
namespace {

const Processes* shown = nullptr;
std::string text;

// Boost.Context saves r12 to r15, rbx, rbp and the address at which the fiber goes on, in this order, behind
// one or two words of other things.
std::string registers_of(const Fiber& fiber) {
  const auto* const words = static_cast<const std::uintptr_t*>(fiber.saved_registers());
  if (&fiber == Fiber::current() || !words) return "0";
  constexpr unsigned kFirst = 7, kLast = 8;
  for (unsigned at = kFirst; at <= kLast; ++at) {
    const std::uintptr_t goes_on = words[at];
    if (goes_on < reinterpret_cast<std::uintptr_t>(&__executable_start) ||
        goes_on >= reinterpret_cast<std::uintptr_t>(&etext))
      continue;
    std::string registers;
    for (const std::uintptr_t value :
         {goes_on, reinterpret_cast<std::uintptr_t>(words + at + 1), words[at - 1], words[at - 2],
          words[at - 6], words[at - 5], words[at - 4], words[at - 3]}) {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%s0x%zx", registers.empty() ? "" : " ", value);
      registers += digits;
    }
    return registers;
  }
  return "0";
}

}  // namespace

void show_to_debuggers(const Processes* processes) { shown = processes; }

}  // namespace aqueduct::sim::process

using namespace aqueduct::sim;
using namespace aqueduct::sim::process;

extern "C" {

__attribute__((visibility("default"), used)) const char* aqueduct_debug_threads(void) {
  text.clear();
  if (!shown) return text.c_str();
  shown->for_each_thread([](const Thread& thread, const Fiber& fiber) {
    if (fiber.ended()) return;
    const bool runs = &fiber == Fiber::current();
    text += std::to_string(thread.process().rank()) + " " + std::to_string(thread.number) +
            (runs ? " 1 " : " 0 ") + registers_of(fiber) + " " +
            (runs                ? "nothing: it runs"
             : fiber.waits_for() ? fiber.waits_for()
                                 : "its turn") +
            "\n";
  });
  return text.c_str();
}

__attribute__((visibility("default"), used)) const char* aqueduct_debug_objects(unsigned rank) {
  text.clear();
  if (!shown) return text.c_str();
  shown->for_each_thread([rank](const Thread& thread, const Fiber&) {
    const Process& process = thread.process();
    if (process.rank() != rank || thread.number != 1) return;
    for (const Program::Object& object : process.image().program().objects()) {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%p ", static_cast<void*>(process.image().base() + object.place));
      text += digits + object.file->path() + "\n";
    }
  });
  return text.c_str();
}

__attribute__((visibility("default"), noinline, used)) void aqueduct_debug_stop(void) { asm volatile(""); }
}
