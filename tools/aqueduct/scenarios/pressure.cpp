// A scenario that presses on flow control everywhere at once: each rank sends to those next to it.
#include <algorithm>
#include <array>
#include <vector>

#include "base/fatal.hpp"
#include "member.hpp"

namespace aqueduct::scenarios {
namespace {

constexpr gex_AM_Index_t kBlock = GEX_AM_INDEX_BASE;

struct Received {
  std::uint64_t blocks = 0;
};

void on_block(gex_Token_t token, void* block, std::size_t bytes, gex_AM_Arg_t source, gex_AM_Arg_t number) {
  auto& mine = *static_cast<Received*>(Member::state_of(token));
  check("a request's payload", static_cast<std::byte*>(block), bytes, static_cast<std::uint32_t>(source),
        static_cast<std::uint32_t>(number));
  ++mine.blocks;
}

// Sends `rounds` requests to each of `targets` and waits until `expected` have come. Requests without a
// reply: only flow control holds the sender back.
void send_and_receive(const Parameters& parameters, std::vector<gex_Rank_t> (*targets_of)(const Member&),
                      std::uint64_t (*expected_by)(const Member&)) {
  Received mine;
  std::array<gex_AM_Entry_t, 1> handlers{{{kBlock, reinterpret_cast<gex_AM_Fn_t>(on_block),
                                           GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 2, nullptr, "block"}}};
  const Member me(1, &mine, handlers);
  const unsigned rounds = parameters.rounds_or(32);
  const std::size_t most = parameters.bytes_or(1500);
  const std::vector<gex_Rank_t> targets = targets_of(me);
  Block block(most);
  for (unsigned round = 0; round < rounds; ++round) {
    const std::size_t bytes = parameters.bytes != 0 ? most : (round * 389 + me.rank() * 97) % most;
    fill(block.data(), bytes, me.rank(), round);
    for (const gex_Rank_t target : targets) {
      gex_AM_RequestMedium2(me.team(), target, kBlock, block.data(), bytes, GEX_EVENT_NOW, 0,
                            static_cast<gex_AM_Arg_t>(me.rank()), static_cast<gex_AM_Arg_t>(round));
    }
  }
  const std::uint64_t expected = expected_by(me) * rounds;
  GASNET_BLOCKUNTIL(mine.blocks >= expected);
  me.barrier();
  if (mine.blocks != expected) {
    fatal("pressure", "%llu requests came instead of %llu", static_cast<unsigned long long>(mine.blocks),
          static_cast<unsigned long long>(expected));
  }
}

// The ranks next to this one along three dimensions of a box as cube-like as the number of ranks allows.
std::vector<gex_Rank_t> nearest(const Member& me) {
  std::vector<gex_Rank_t> all;
  gex_Rank_t side = 1;
  while (side * side * side < me.size()) side *= 2;
  for (const gex_Rank_t stride : {gex_Rank_t{1}, side, side * side}) {
    for (const gex_Rank_t step : {stride % me.size(), (me.size() - stride % me.size()) % me.size()}) {
      const gex_Rank_t rank = (me.rank() + step) % me.size();
      if (rank != me.rank() && std::ranges::find(all, rank) == all.end()) all.push_back(rank);
    }
  }
  return all;
}

}  // namespace

// Being nearest is mutual, so as many send here as we send to.
int neighbours(const Parameters& parameters) {
  send_and_receive(parameters, nearest, [](const Member& me) { return std::uint64_t{nearest(me).size()}; });
  return 0;
}

}  // namespace aqueduct::scenarios
