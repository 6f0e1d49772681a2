// A stencil: each rank has a block of rows of one matrix, and each word becomes the sum of itself and its
// four neighbours. The rows at the edges go to the ranks above and below as Longs, whose handler counts them;
// nobody waits for anybody else.
//
// All is arithmetic modulo 2^64 on a torus, so the sum over all words is five times as large after every
// step, exactly.
#include <aqueduct/sim.h>

#include <algorithm>
#include <utility>

#include "base/fatal.hpp"
#include "random_access/rules.hpp"
#include "random_access/version.hpp"
#include "round_clock.hpp"
#include "world/work.hpp"

namespace aqueduct::scenarios {
namespace {

constexpr gex_AM_Index_t kRow = GEX_AM_INDEX_BASE;
constexpr std::size_t kRows = 32;  // of a rank
constexpr unsigned kSteps = 16;    // that are timed together
/// A step over a rank's rows; and for each byte of them.
const world::Work kStencilStep("stencil_step");

using Words = std::vector<std::uint64_t>;

struct State {
  std::uint64_t rows_from[2] = {0, 0};  // that have come from above, from below
};

void on_row(gex_Token_t token, void*, std::size_t, gex_AM_Arg_t from) {
  ++static_cast<State*>(Member::state_of(token))->rows_from[from];
}

/// What word `column` of row `row` of the whole matrix is at first.
std::uint64_t first_word(std::uint64_t row, std::uint64_t column) { return sim::mix(row << 32 | column); }

class Block2D {
 public:
  Block2D(const Member& me, State& state, std::size_t bytes)
      : me_(me),
        state_(state),
        columns_(bytes / sizeof(std::uint64_t)),
        now_(kRows * columns_),
        next_(now_.size()) {
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t column = 0; column < columns_; ++column)
        now_[row * columns_ + column] = first_word(me.rank() * kRows + row, column);
    }
  }

  std::uint64_t sum() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t word : now_) sum += word;
    return sum;
  }

  /// Step `step`, from 0 on. The rows of a step and those of the next have places of their own: a neighbour
  /// is at most one step ahead, since it has needed a row of ours.
  void advance(std::uint64_t step) {
    const std::size_t row_bytes = columns_ * sizeof(std::uint64_t);
    const gex_Rank_t above = (me_.rank() + me_.size() - 1) % me_.size(),
                     below = (me_.rank() + 1) % me_.size();
    send(above, place(step, kBelow), now_.data(), row_bytes, kBelow);
    send(below, place(step, kAbove), &now_[(kRows - 1) * columns_], row_bytes, kAbove);
    GASNET_BLOCKUNTIL(state_.rows_from[kAbove] > step && state_.rows_from[kBelow] > step);
    compute(reinterpret_cast<const std::uint64_t*>(me_.mine(place(step, kAbove))),
            reinterpret_cast<const std::uint64_t*>(me_.mine(place(step, kBelow))));
  }

  /// The work of a step. Compiled once, so that time_steps() times what advance() does.
  [[gnu::noinline]] void compute(const std::uint64_t* from_above, const std::uint64_t* from_below) {
    for (std::size_t row = 0; row < kRows; ++row) {
      const std::uint64_t* const here = &now_[row * columns_];
      const std::uint64_t* const up = row == 0 ? from_above : here - columns_;
      const std::uint64_t* const down = row == kRows - 1 ? from_below : here + columns_;
      std::uint64_t* const to = &next_[row * columns_];
      for (std::size_t column = 0; column < columns_; ++column) {
        const std::size_t left = column == 0 ? columns_ - 1 : column - 1;
        const std::size_t right = column == columns_ - 1 ? 0 : column + 1;
        to[column] = here[column] + here[left] + here[right] + up[column] + down[column];
      }
    }
    world::spend(kStencilStep, now_.size() * sizeof(std::uint64_t));
    std::swap(now_, next_);
  }

  static std::size_t segment_bytes(std::size_t row_bytes) { return 4 * row_bytes; }

 private:
  static constexpr gex_AM_Arg_t kAbove = 0, kBelow = 1;

  std::size_t place(std::uint64_t step, gex_AM_Arg_t from) const {
    return (step % 2 * 2 + static_cast<std::size_t>(from)) * columns_ * sizeof(std::uint64_t);
  }
  void send(gex_Rank_t to, std::size_t where, void* row, std::size_t bytes, gex_AM_Arg_t from) {
    gex_AM_RequestLong1(me_.team(), to, kRow, row, bytes, me_.at(to, where), GEX_EVENT_NOW, 0, from);
  }

  const Member& me_;
  State& state_;
  std::size_t columns_;
  Words now_, next_;
};

std::uint64_t sum_over_ranks(const Member& me, std::uint64_t mine) {
  std::uint64_t sum = 0;
  gex_Event_Wait(gex_Coll_ReduceToAllNB(me.team(), &sum, &mine, GEX_DT_U64, sizeof mine, 1, GEX_OP_ADD,
                                        nullptr, nullptr, 0));
  return sum;
}

/// Rank 0 alone computes steps of blocks of 8 and 32 KiB.
void time_steps(const Member& me, unsigned rounds) {
  State state;
  for (const std::size_t row_bytes : {std::size_t{256}, std::size_t{1024}}) {
    Block2D block(me, state, row_bytes);
    const Words edge(row_bytes / sizeof(std::uint64_t), 1);
    for (unsigned round = 0; round < rounds; ++round) {
      const auto start = static_cast<double>(aqueduct_sim_time_ns());
      for (unsigned i = 0; i < kSteps; ++i) block.compute(edge.data(), edge.data());
      record("stencil_step", kRows * row_bytes,
             (static_cast<double>(aqueduct_sim_time_ns()) - start) / kSteps);
    }
    if (block.sum() == 0) record("stencil_step", 0, 0);  // so that the compiler computes it
  }
}

/// Rank 0 alone makes updates of a table and applies them.
void time_updates(const Member& me, unsigned rounds) {
  using namespace bench::random_access;
  constexpr std::uint64_t kWords = 8192, kUpdates = 4096;
  Table table;
  table.attach(reinterpret_cast<std::uint64_t*>(me.mine()), {kWords, 1}, 0, kMostLookAhead);
  table.reset();
  Stream stream(0x1e3779b97f4a7c15);
  for (unsigned round = 0; round < rounds; ++round) {
    const auto start = static_cast<double>(aqueduct_sim_time_ns());
    for (std::uint64_t i = 0; i < kUpdates; ++i) table.update(stream.next());
    record("update", 1, (static_cast<double>(aqueduct_sim_time_ns()) - start) / kUpdates);
  }
}

}  // namespace

int kernels(const Parameters& parameters) {
  const Member me(std::size_t{64} << 10);
  me.barrier();
  if (me.rank() == 0) {
    time_steps(me, parameters.rounds_or(20));
    time_updates(me, parameters.rounds_or(20));
  }
  me.barrier();
  return 0;
}

int stencil(const Parameters& parameters) {
  const unsigned rounds = parameters.rounds_or(20);
  const std::size_t row_bytes = round_up(parameters.bytes_or(1024), sizeof(std::uint64_t));
  State state;
  std::vector<gex_AM_Entry_t> entries{{kRow, reinterpret_cast<gex_AM_Fn_t>(on_row),
                                       GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 1, nullptr, "row"}};
  const Member me(Block2D::segment_bytes(row_bytes), &state, entries);
  Block2D block(me, state, row_bytes);
  std::uint64_t expected = sum_over_ranks(me, block.sum());
  me.barrier();
  {
    RoundClock clock(me, rounds);
    for (unsigned round = 0; round < rounds; ++round) {
      me.begin_round(round, rounds);
      clock.start();
      block.advance(round);
      clock.stop();
      expected *= 5;
    }
  }
  me.barrier();
  const std::uint64_t sum = sum_over_ranks(me, block.sum());
  if (sum != expected)
    fatal("stencil", "the sum of all words is %llx, not %llx", static_cast<unsigned long long>(sum),
          static_cast<unsigned long long>(expected));
  return 0;
}

}  // namespace aqueduct::scenarios
