// Tests of the C++ interface: functions of a job, which every rank runs, live or simulated. What a rank knows
// is in local variables and distributed objects: simulated ranks share all others.
#pragma once

#include <aqueduct.hpp>
#include <cstdio>

namespace aqueduct::test {

struct Test {
  using Run = task<> (*)(job&);
  Test(const char* named, Run run_by_all) : name(named), run(run_by_all), next(first) { first = this; }
  const char* name;
  Run run;
  Test* next;
  static inline constinit Test* first = nullptr;
};

// Where a check stands; Clang 14 has not got std::source_location.
struct Place {
  static constexpr Place current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
  const char* file;
  int line;
};

inline void expect(bool holds, Place at = Place::current()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: rank %u: what is expected here does not hold\n", at.file, at.line, my_rank());
  gasnet_exit(1);
}

template <class A, class B>
void expect_equal(const A& is, const B& should_be, Place at = Place::current()) {
  expect(is == should_be, at);
}

// What an operation throws, as an E; nothing else.
template <class E, class A>
task<E> expect_throw(A operation, Place at = Place::current()) {
  std::optional<E> thrown;
  try {
    co_await operation;
  } catch (const E& error) {
    thrown = error;
  }
  expect(thrown.has_value(), at);
  co_return *thrown;
}

inline rank_t next_of(const team& members) { return (members.rank() + 1) % members.size(); }

}  // namespace aqueduct::test
