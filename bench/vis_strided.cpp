// vis-strided: the time of one strided put or get of a block of a matrix, beside a hand-written loop between
// the same buffers.
#include <cstring>

#include "client_parts.hpp"
#include "registry.hpp"
#include "stopwatch.hpp"
#include "transfer.hpp"

namespace aqueduct::bench {
namespace {

constexpr std::size_t kBlock = 32;   // elements of a side of the block that is moved
constexpr std::size_t kMatrix = 64;  // of the matrix that it lies in

/// How the elements of the block lie in memory: bytes from one to the next along a row, and from row to row.
struct Layout {
  std::ptrdiff_t strides[2];
};
struct Pattern {
  const char* what;
  Layout (*remote)(std::ptrdiff_t element);
  Layout (*local)(std::ptrdiff_t element);
};

constexpr auto kSide = static_cast<std::ptrdiff_t>(kMatrix);
Layout by_rows(std::ptrdiff_t element) { return {{element, kSide * element}}; }
Layout by_columns(std::ptrdiff_t element) { return {{kSide * element, element}}; }
Layout every_second(std::ptrdiff_t element) { return {{2 * element, kSide * element}}; }
Layout packed(std::ptrdiff_t element) { return {{element, static_cast<std::ptrdiff_t>(kBlock) * element}}; }

const Pattern kPatterns[] = {{"a block by rows", by_rows, by_rows},
                             {"every second element, to a dense block", every_second, packed},
                             {"every second element on both sides", every_second, every_second},
                             {"a block, transposed", by_columns, by_rows}};

struct Move {
  std::byte* to;
  Layout to_layout;
  const std::byte* from;
  Layout from_layout;
  std::size_t element;
};

// Moves as a programmer would: whole rows if they are contiguous on both sides, words if elements are words.
[[gnu::noinline]] void move_by_hand(const Move& move) {
  const auto element = static_cast<std::ptrdiff_t>(move.element);
  const auto [to_x, to_y] = move.to_layout.strides;
  const auto [from_x, from_y] = move.from_layout.strides;
  const bool whole_rows = to_x == element && from_x == element;
  for (std::size_t y = 0; y < kBlock; ++y) {
    std::byte* to = move.to + static_cast<std::ptrdiff_t>(y) * to_y;
    const std::byte* from = move.from + static_cast<std::ptrdiff_t>(y) * from_y;
    if (whole_rows) {
      std::memcpy(to, from, kBlock * move.element);
    } else if (move.element == 8) {
      for (std::size_t x = 0; x < kBlock; ++x, to += to_x, from += from_x) std::memcpy(to, from, 8);
    } else if (move.element == 4) {
      for (std::size_t x = 0; x < kBlock; ++x, to += to_x, from += from_x) std::memcpy(to, from, 4);
    } else {
      for (std::size_t x = 0; x < kBlock; ++x, to += to_x, from += from_x) {
        std::memcpy(to, from, move.element);
      }
    }
  }
}

[[gnu::noinline]] double hand_loop(const Move& move, std::uint64_t count) {
  const Stopwatch watch;
  for (std::uint64_t i = 0; i < count; ++i) {
    move_by_hand(move);
    keep_memory();
  }
  return watch.ns();
}

[[gnu::noinline]] double call_loop(gex_TM_t team, gex_Rank_t partner, bool put, const Move& move,
                                   std::uint64_t count) {
  const std::size_t counts[] = {kBlock, kBlock};
  auto* from = const_cast<std::byte*>(move.from);
  const Stopwatch watch;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (put) {
      gex_VIS_StridedPutBlocking(team, partner, move.to, move.to_layout.strides, from,
                                 move.from_layout.strides, move.element, counts, 2, 0);
    } else {
      gex_VIS_StridedGetBlocking(team, move.to, move.to_layout.strides, partner, from,
                                 move.from_layout.strides, move.element, counts, 2, 0);
    }
    keep_memory();
  }
  return watch.ns();
}

}  // namespace

std::size_t vis_strided_data_bytes(const Parameters& parameters) {
  return kMatrix * kMatrix * std::ranges::max(parameters.sizes);
}

Result run_vis_strided(Session& session, const Parameters& parameters) {
  const gex_Rank_t partner = session.partner();
  const bool put = parameters.kind != "get";
  const PrivateMemory memory(vis_strided_data_bytes(parameters));
  const bool has_limit = session.pair_shares_memory();
  Result result{.title = put ? "blocking strided put of 32 by 32 elements of a matrix"
                             : "blocking strided get of 32 by 32 elements of a matrix",
                .unit = "ns",
                .limit_name = has_limit ? "a hand-written loop between the same buffers" : ""};
  for (const std::size_t size : parameters.sizes) {
    const auto element = static_cast<std::ptrdiff_t>(size);
    for (const Pattern& pattern : kPatterns) {
      const auto move_with = [&](std::byte* remote) {
        return put ? Move{remote, pattern.remote(element), memory.data(), pattern.local(element), size}
                   : Move{memory.data(), pattern.local(element), remote, pattern.remote(element), size};
      };
      std::vector<Batch> batches{[&, move = move_with(session.data_of(partner))](std::uint64_t count) {
        return session.measures() ? call_loop(session.team(), partner, put, move, count) : 0.0;
      }};
      if (has_limit) {
        batches.emplace_back([&, move = move_with(session.mapped_data_of(partner))](std::uint64_t count) {
          return session.measures() ? hand_loop(move, count) : 0.0;
        });
      }
      const auto times = interleave(session, parameters.repetitions, batches);
      result.rows.push_back({.size = size,
                             .value = times[0],
                             .limit = has_limit ? std::optional(times[1]) : std::nullopt,
                             .what = pattern.what});
    }
  }
  return result;
}

}  // namespace aqueduct::bench
