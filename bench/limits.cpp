#include "limits.hpp"

#include <sched.h>

#include <cstring>

#include "stopwatch.hpp"

namespace aqueduct::bench {
namespace {

/// Waits for the partner's word. Yields the core now and then, because the partner may need it.
void await(const SharedLine& line, std::uint64_t word) {
  constexpr unsigned kSpinsBeforeYield = 1U << 14;
  unsigned spins = 0;
  while (line.word.load(std::memory_order_acquire) != word) {
    if (++spins % kSpinsBeforeYield == 0) sched_yield();
  }
}

/// `there` and `back` may be the same line. Each rank calls `before_word` before it writes its word. Words
/// grow by two per round, so no round takes another's answer.
template <class Before>
double bounce(SharedLine& there, SharedLine& back, bool first, std::uint64_t& turns, std::uint64_t count,
              const Before& before_word) {
  Stopwatch watch;
  for (std::uint64_t i = 0; i < kWarmUp + count; ++i, ++turns) {
    if (i == kWarmUp) watch = Stopwatch{};
    const std::uint64_t question = 2 * turns + 1;
    if (first) {
      before_word();
      there.word.store(question, std::memory_order_release);
      await(back, question + 1);
    } else {
      await(there, question);
      before_word();
      back.word.store(question + 1, std::memory_order_release);
    }
  }
  return watch.ns();
}

// The loops are separate functions, so that the compiler sees the same context for a bare copy as for a put.
// An 8-byte copy is a load and a store; other sizes use the C library's memcpy.
[[gnu::noinline]] double copy_words(CopyPlan plan, std::uint64_t count) {
  const Stopwatch watch;
  for (std::uint64_t i = plan.first; i != plan.first + count; ++i) {
    const std::size_t offset = (i & (plan.slots - 1)) * plan.stride;
    std::memcpy(plan.to + offset, plan.from + offset, 8);
    keep_memory();
  }
  return watch.ns();
}

[[gnu::noinline]] double copy_blocks(CopyPlan plan, std::uint64_t count) {
  const Stopwatch watch;
  for (std::uint64_t i = plan.first; i != plan.first + count; ++i) {
    const std::size_t offset = (i & (plan.slots - 1)) * plan.stride;
    std::memcpy(plan.to + offset, plan.from + offset, plan.bytes);
    keep_memory();
  }
  return watch.ns();
}

}  // namespace

Batch one_line_round_trip(Session& session) {
  return [&session](std::uint64_t count) {
    if (!session.measures() && !session.serves()) return 0.0;
    SharedLine& line = session.mapped_control_of(session.size() / 2)->ping;
    return bounce(line, line, session.measures(), session.one_line_turns, count, [] {});
  };
}

Batch two_line_round_trip(Session& session) {
  return [&session](std::uint64_t count) {
    if (!session.measures() && !session.serves()) return 0.0;
    SharedLine& there = session.mapped_control_of(session.size() / 2)->pong;
    SharedLine& back = session.mapped_control_of(0)->pong;
    return bounce(there, back, session.measures(), session.two_line_turns, count, [] {});
  };
}

Batch two_copies_round_trip(Session& session, std::size_t bytes, const std::byte* from) {
  return [&session, bytes, from](std::uint64_t count) {
    if (!session.measures() && !session.serves()) return 0.0;
    SharedLine& line = session.mapped_control_of(session.size() / 2)->ping;
    std::byte* const there = session.mapped_data_of(session.size() / 2);
    std::byte* const back = session.mapped_data_of(0);
    const bool first = session.measures();
    return bounce(line, line, first, session.one_line_turns, count, [&] {
      if (first) {
        std::memcpy(there, from, bytes);
      } else {
        std::memcpy(back, there, bytes);
      }
    });
  };
}

Batch plain_copy(Session& session, const CopyPlan& plan, bool goes_on) {
  return [&session, plan = CopyPlan(plan), goes_on](std::uint64_t count) mutable {
    if (!session.measures()) return 0.0;
    const double ns = plan.bytes == 8 ? copy_words(plan, count) : copy_blocks(plan, count);
    if (goes_on) plan.first += count;
    return ns;
  };
}

}  // namespace aqueduct::bench
