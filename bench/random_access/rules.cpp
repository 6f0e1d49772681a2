#include "rules.hpp"

#include <fmt/format.h>

#include <bit>

namespace aqueduct::bench::random_access {

std::string complaint_about_table(std::size_t bytes, std::size_t ranks, std::size_t memory_bytes) {
  if (bytes < sizeof(std::uint64_t)) return "--sizes: a table needs at least 8 bytes in each rank";
  if (!std::has_single_bit(bytes)) {
    return fmt::format("--sizes: a table is a power of two, not {} bytes; the nearest are {} and {}", bytes,
                       std::bit_floor(bytes), std::bit_ceil(bytes));
  }
  if (bytes > memory_bytes / 2 / ranks) {
    return fmt::format(
        "--sizes: a table takes at most half of the memory, {} MiB here; {} MiB in each of {} ranks are more",
        memory_bytes / 2 >> 20, bytes >> 20, ranks);
  }
  return "";
}

std::uint64_t words_of(std::size_t bytes, std::size_t ranks) {
  return bytes / sizeof(std::uint64_t) * std::bit_floor(ranks);
}

}  // namespace aqueduct::bench::random_access
