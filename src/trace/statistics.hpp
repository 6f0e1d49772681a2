// How often each named event happened, and how large its amounts were.
//
// A table of counters that are found by their name and are never removed; any thread may count. An
// event whose name finds no room any more is left out, and the report says so.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>

#include "trace/category.hpp"

namespace aqueduct::trace {

class Statistics {
 public:
  void count(Category category, const char* name, std::uint64_t amount);

  /// Calls `print(line)` for each event of the mask that has happened, in the order of their categories and
  /// first occurrences. With `reset`, counting starts anew.
  template <class Print>
  void report(Mask mask, bool reset, Print&& print) {
    char line[256];
    for (const char* letter = kLetters; *letter != '\0'; ++letter) {
      if (!(mask & bit(static_cast<Category>(*letter)))) continue;
      for (Counter& counter : counters_) {
        if (counter.name.load(std::memory_order_acquire) == nullptr || counter.category != *letter) continue;
        if (describe(counter, reset, line)) print(line);
      }
    }
    if (left_out_.load() != 0) print("(U) some events had no room in the table and are not counted");
  }

 private:
  static constexpr std::size_t kCounters = 512;
  struct Counter {
    std::atomic<const char*> name{nullptr};
    char category = 0;
    std::atomic<std::uint64_t> times{0};
    std::atomic<std::uint64_t> total{0};
    std::atomic<std::uint64_t> least{~std::uint64_t{0}};
    std::atomic<std::uint64_t> most{0};
  };
  Counter* find(Category category, const char* name);
  static bool describe(Counter& counter, bool reset, char (&line)[256]);

  std::array<Counter, kCounters> counters_;
  std::atomic<std::uint64_t> left_out_{0};
};

}  // namespace aqueduct::trace
