#include "trace/statistics.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace aqueduct::trace {
namespace {

// What the amounts of a category are; null where they say nothing.
const char* unit_of(char category) {
  switch (static_cast<Category>(category)) {
    case Category::kGet:
    case Category::kPut:
    case Category::kMessage:
    case Category::kCollective:
      return "bytes";
    case Category::kSync:
    case Category::kBarrier:
      return "ns";
    default:
      return nullptr;
  }
}

template <class Better>
void keep(std::atomic<std::uint64_t>& best, std::uint64_t amount, Better better) {
  std::uint64_t seen = best.load(std::memory_order_relaxed);
  while (better(amount, seen) && !best.compare_exchange_weak(seen, amount, std::memory_order_relaxed)) {
  }
}

}  // namespace

Statistics::Counter* Statistics::find(Category category, const char* name) {
  // By content: the same literal may have an address in each source file.
  std::size_t hash = 5381;
  for (const char* c = name; *c != '\0'; ++c) hash = hash * 33 + static_cast<unsigned char>(*c);
  for (std::size_t i = 0; i < kCounters; ++i) {
    Counter& counter = counters_[(hash + i) % kCounters];
    const char* there = counter.name.load(std::memory_order_acquire);
    if (there == nullptr) {
      // The same name has the same category everywhere, so whoever is first writes what the others would.
      if (counter.name.compare_exchange_strong(there, name)) {
        counter.category = static_cast<char>(category);
        return &counter;
      }
    }
    if (std::strcmp(there, name) == 0) return &counter;
  }
  return nullptr;
}

void Statistics::count(Category category, const char* name, std::uint64_t amount) {
  Counter* counter = find(category, name);
  if (counter == nullptr) {
    left_out_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  counter->times.fetch_add(1, std::memory_order_relaxed);
  counter->total.fetch_add(amount, std::memory_order_relaxed);
  keep(counter->least, amount, [](auto a, auto b) { return a < b; });
  keep(counter->most, amount, [](auto a, auto b) { return a > b; });
}

bool Statistics::describe(Counter& counter, bool reset, char (&line)[256]) {
  const auto take = [reset](std::atomic<std::uint64_t>& value, std::uint64_t fresh) {
    return reset ? value.exchange(fresh) : value.load();
  };
  const std::uint64_t times = take(counter.times, 0);
  const std::uint64_t total = take(counter.total, 0);
  const std::uint64_t least = take(counter.least, ~std::uint64_t{0});
  const std::uint64_t most = take(counter.most, 0);
  if (times == 0) return false;
  const char* const name = counter.name.load();
  if (const char* unit = unit_of(counter.category)) {
    std::snprintf(line, sizeof line,
                  "(%c) %s: %" PRIu64 " times, %s: total %" PRIu64 ", least %" PRIu64
                  ", mean %.1f, most %" PRIu64,
                  counter.category, name, times, unit, total, least,
                  static_cast<double>(total) / static_cast<double>(times), most);
  } else {
    std::snprintf(line, sizeof line, "(%c) %s: %" PRIu64 " times", counter.category, name, times);
  }
  return true;
}

}  // namespace aqueduct::trace
