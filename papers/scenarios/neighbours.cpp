#include "neighbours.hpp"

#include <aqueduct/sim.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/fatal.hpp"
#include "papers/scenarios/credit_books.hpp"
#include "sim/topology.hpp"
#include "tools/scenarios/member.hpp"

namespace aqueduct::scenarios {
namespace {

using sim::Random;
using sim::Topology;

constexpr gex_AM_Index_t kPiece = GEX_AM_INDEX_BASE;
constexpr unsigned kPiecesOfFace = 8;
constexpr std::uint64_t kMostComputing_ns = 1'000'000;
constexpr std::uint64_t kComputing = 104;  // stream of random numbers

CreditBooks books;
NeighbourFigures figures;

struct Received {
  std::uint64_t pieces = 0;
};

void on_piece(gex_Token_t token, void* piece, std::size_t bytes, gex_AM_Arg_t source, gex_AM_Arg_t number) {
  check("neighbours: a piece", static_cast<std::byte*>(piece), bytes, static_cast<std::uint32_t>(source),
        static_cast<std::uint32_t>(number));
  ++static_cast<Received*>(Member::state_of(token))->pieces;
}

std::vector<gex_Rank_t> nearest(const Member& me) {
  const Topology::Dimensions box = Topology::box_for(me.size());
  std::vector<gex_Rank_t> all;
  gex_Rank_t stride = 1;
  for (const gex_Rank_t size : box) {
    const gex_Rank_t here = me.rank() / stride % size;
    for (const gex_Rank_t there : {(here + 1) % size, (here + size - 1) % size}) {
      const gex_Rank_t rank = me.rank() - here * stride + there * stride;
      if (rank != me.rank() && std::ranges::find(all, rank) == all.end()) all.push_back(rank);
    }
    stride *= size;
  }
  return all;
}

}  // namespace

const NeighbourFigures& neighbour_figures() { return figures; }

std::vector<Setting> before_neighbours(const Parameters& parameters) {
  books.open(parameters.ranks);
  figures = {};
  return {};
}

std::string neighbours_findings() {
  std::string text = fmt::format("throughput    {:.1f} MB/s into each rank, {:.1f} in the second half\n",
                                 figures.megabytes_per_second(), figures.later_megabytes_per_second());
  if (figures.receive_bytes != 0) {
    text += fmt::format("receive       {:.1f} MB of each rank for requests; {} stalls, {} credits granted\n",
                        static_cast<double>(figures.receive_bytes) / 1e6, figures.counts.stalls,
                        figures.counts.granted);
  }
  return text;
}

int neighbours(const Parameters& parameters) {
  Received mine;
  std::array<gex_AM_Entry_t, 1> handlers{{{kPiece, reinterpret_cast<gex_AM_Fn_t>(on_piece),
                                           GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 2, nullptr, "piece"}}};
  const Member me(1, &mine, handlers);
  books.join();
  const unsigned rounds = parameters.rounds_or(8);
  const std::size_t bytes = std::min(parameters.bytes_or(1024), gex_AM_LUBRequestMedium());
  const std::vector<gex_Rank_t> targets = nearest(me);
  Block piece(bytes);
  const std::uint64_t pieces_of_round = targets.size() * kPiecesOfFace;
  Random random(parameters.seed, kComputing, me.rank());
  me.barrier();
  const std::uint64_t start_ns = aqueduct_sim_time_ns();
  std::uint64_t half_ns = start_ns;
  for (unsigned round = 0; round < rounds; ++round) {
    me.begin_round(round, rounds);
    if (round == rounds / 2) half_ns = aqueduct_sim_time_ns();
    aqueduct_sim_compute_ns(random.below(kMostComputing_ns));
    for (const gex_Rank_t target : targets) {
      for (unsigned i = 0; i < kPiecesOfFace; ++i) {
        const auto number = static_cast<gex_AM_Arg_t>(round * kPiecesOfFace + i);
        fill(piece.data(), bytes, me.rank(), static_cast<std::uint32_t>(number));
        gex_AM_RequestMedium2(me.team(), target, kPiece, piece.data(), bytes, GEX_EVENT_NOW, 0,
                              static_cast<gex_AM_Arg_t>(me.rank()), number);
      }
    }
    // Neighbours are mutual, so as many pieces come as were sent.
    GASNET_BLOCKUNTIL(mine.pieces >= (round + 1) * pieces_of_round);
  }
  const std::uint64_t end_ns = aqueduct_sim_time_ns();
  const std::uint64_t expected = rounds * pieces_of_round;
  figures.payload_bytes += expected * bytes;
  figures.total_ns += end_ns - start_ns;
  figures.later_bytes += (rounds - rounds / 2) * pieces_of_round * bytes;
  figures.later_ns += end_ns - half_ns;
  me.barrier();
  if (mine.pieces != expected) {
    fatal("neighbours", "%llu pieces came instead of %llu", static_cast<unsigned long long>(mine.pieces),
          static_cast<unsigned long long>(expected));
  }
  books.meet();
  figures.receive_bytes = books.receive_bytes();
  figures.counts = books.counts_of_run();
  return 0;
}

}  // namespace aqueduct::scenarios
