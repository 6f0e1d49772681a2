#include "bare.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "aqueduct/sim.h"

namespace aqueduct::bench::random_access {

Bare::Bare(const Job& job, std::vector<std::uint64_t*> parts)
    : job_(job),
      parts_(std::move(parts)),
      is_shared_(std::ranges::none_of(parts_, [](const std::uint64_t* part) { return part == nullptr; })) {}

double Bare::run_pass() {
  job_.barrier();
  const std::uint64_t start = aqueduct_sim_time_ns();
  if (is_shared_) {
    update_all();
  } else {
    update_own();
  }
  job_.barrier();
  return static_cast<double>(aqueduct_sim_time_ns() - start);
}

void Bare::update_all() {
  constexpr unsigned kHeldBack = 32;
  struct Held {
    std::uint64_t* word;
    std::uint64_t value;
  };
  Held held_back[kHeldBack];
  std::ranges::fill(held_back, Held{parts_[job_.rank], 0});
  const auto apply = [](const Held& held) {
    const std::atomic_ref<std::uint64_t> word(*held.word);
    word.store(word.load(std::memory_order_relaxed) ^ held.value, std::memory_order_relaxed);
  };
  Stream stream = job_.stream_of(job_.rank);
  for (std::uint64_t i = 0; i < job_.updates; ++i) {
    const std::uint64_t value = stream.next();
    const gex_Rank_t owner = job_.partition.owner(value);
    std::uint64_t* const word = parts_[owner] + (job_.partition.index(value) - job_.partition.first(owner));
    __builtin_prefetch(word, 1);
    apply(std::exchange(held_back[i % kHeldBack], {word, value}));
  }
  std::ranges::for_each(held_back, apply);
}

void Bare::update_own() {
  Table& table = job_.share->table;
  Stream stream = job_.stream_of(job_.rank);
  const std::uint64_t first = job_.partition.first(job_.rank);
  for (std::uint64_t i = 0; i < job_.updates; ++i) {
    const std::uint64_t value = stream.next();
    table.update(first + value % table.count());
  }
  table.apply_held_back();
}

}  // namespace aqueduct::bench::random_access
