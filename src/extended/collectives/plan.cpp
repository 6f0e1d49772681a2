#include "extended/collectives/plan.hpp"

#include <algorithm>
#include <bit>

#include "extended/collectives/movement.hpp"
#include "extended/collectives/reduction.hpp"

namespace aqueduct::extended::collectives {
namespace {

// The phases of a collective have their own tags.
constexpr Tag kEnter = 1u << 28;
constexpr Tag kInside = 2u << 28;
constexpr Tag kAcross = 3u << 28;
constexpr Tag kBack = 4u << 28;
constexpr Tag kLeave = 5u << 28;

constexpr std::size_t kOnePiece = std::size_t{32} * 1024;  // up to this a broadcast travels in one piece
constexpr std::size_t kMostPieces = 64;
constexpr gex_Rank_t kLongestChain = 8;  // members of a chain; more make a tree of two children each
constexpr std::size_t kDoublingMost = std::size_t{16} * 1024;  // up to this reductions exchange whole vectors

std::size_t piece_bytes(std::size_t bytes) {
  return bytes <= kOnePiece ? kOnePiece : round_up(std::max(kOnePiece, bytes / kMostPieces), kPage);
}

void add_edges(Edges& edges, const Ranks& ranks, gex_Rank_t root, std::size_t bytes) {
  if (bytes <= kOnePiece) return add_binomial_edges(edges, ranks, root);
  add_narrow_edges(edges, ranks, root, ranks.size() <= kLongestChain ? 1 : 2);
}

// The tree of a broadcast: over the leaders of the hosts, then inside each host.
void add_edges_from_root(Edges& edges, Layout& layout, gex_Rank_t root, std::size_t bytes) {
  if (!layout.grouped()) return add_edges(edges, layout.all(), root, bytes);
  const Ranks leaders = layout.leaders(root);
  const gex_Rank_t leader = leaders[leaders.me()];
  if (layout.all().me() == leader) add_edges(edges, leaders, layout.group_of(root), bytes);
  Edges inside;
  add_edges(inside, layout.group(), layout.place_in_group(leader), bytes);
  if (inside.parent != GEX_RANK_INVALID) edges.parent = inside.parent;
  edges.children.insert(edges.children.end(), inside.children.begin(), inside.children.end());
}

void plan_broadcast(Program& program, Layout& layout, Edges& edges, const Request& request) {
  edges.clear();
  add_edges_from_root(edges, layout, request.root, request.bytes);
  spread(program, edges, kAcross, request.src, request.dst, request.bytes, piece_bytes(request.bytes));
  if (layout.all().me() == request.root) program.copy(request.dst, request.src, request.bytes);
}

bool by_halving(const Ranks& ranks, const Vectors& vectors) {
  return vectors.bytes() > kDoublingMost && vectors.count >= std::bit_floor(ranks.size()) && ranks.size() > 2;
}

void reduce_to_all(Program& program, const Ranks& ranks, const Vectors& vectors, Partial partial,
                   void* result) {
  if (by_halving(ranks, vectors)) {
    return reduce_by_halving_to_all(program, ranks, kAcross, vectors, partial, result);
  }
  reduce_by_doubling(program, ranks, kAcross, vectors, partial);
  program.copy(result, partial.at, vectors.bytes());
}

void reduce_to_one(Program& program, const Ranks& ranks, gex_Rank_t root, const Vectors& vectors,
                   Partial partial, void* result) {
  if (by_halving(ranks, vectors)) {
    return reduce_by_halving_to_one(program, ranks, root, kAcross, vectors, partial, result);
  }
  reduce_along_tree(program, ranks, root, kAcross, vectors, partial);
  if (ranks.me() == root) program.copy(result, partial.at, vectors.bytes());
}

void plan_reduction(Program& program, Layout& layout, Edges& edges, const Request& request) {
  const bool to_all = request.kind == Kind::kReduceToAll;
  const gex_Rank_t me = layout.all().me();
  const bool gets_result = to_all || me == request.root;
  const Vectors vectors{request.combiner, request.count};
  Partial partial{static_cast<std::byte*>(const_cast<void*>(request.src)),
                  gets_result && request.src == request.dst};
  if (!layout.grouped() || !(request.combiner.commutes || layout.in_order())) {
    if (to_all) return reduce_to_all(program, layout.all(), vectors, partial, request.dst);
    return reduce_to_one(program, layout.all(), request.root, vectors, partial, request.dst);
  }
  // Inside each host to its first member, across hosts, and back inside.
  const Ranks group = layout.group();
  reduce_along_tree(program, group, 0, kInside, vectors, partial);
  const bool leads = group.me() == 0;
  if (to_all) {
    if (leads) reduce_to_all(program, layout.leaders(), vectors, partial, request.dst);
    edges.clear();
    add_edges(edges, group, 0, request.bytes);
    return spread(program, edges, kBack, request.dst, request.dst, request.bytes, piece_bytes(request.bytes));
  }
  const gex_Rank_t root_host = layout.group_of(request.root);
  const gex_Rank_t root_leader = layout.leaders()[root_host];
  const bool handed_on = root_leader != request.root;
  if (leads) {
    void* result = request.dst;
    if (me == root_leader && handed_on) result = program.temporary(vectors.bytes());
    reduce_to_one(program, layout.leaders(), root_host, vectors, partial, result);
    if (me == root_leader && handed_on) program.send(request.root, kBack, result, vectors.bytes());
  }
  if (me == request.root && handed_on) program.receive(root_leader, kBack, request.dst, vectors.bytes());
}

}  // namespace

void plan(Program& program, Layout& layout, Edges& edges, const Request& request) {
  const Ranks all = layout.all();
  if (request.enter_together) meet(program, all, kEnter);
  switch (request.kind) {
    case Kind::kBroadcast:
      plan_broadcast(program, layout, edges, request);
      break;
    case Kind::kReduceToOne:
    case Kind::kReduceToAll:
      plan_reduction(program, layout, edges, request);
      break;
    case Kind::kScatter:
      scatter(program, all, request.root, kAcross, request.src, request.dst, request.bytes);
      break;
    case Kind::kGather:
      gather(program, all, request.root, kAcross, request.dst, request.src, request.bytes);
      break;
    case Kind::kGatherAll:
      gather_to_all(program, all, kAcross, request.dst, request.src, request.bytes);
      break;
    case Kind::kExchange:
      exchange(program, all, kAcross, request.dst, request.src, request.bytes);
      break;
    case Kind::kBarrier:
    case Kind::kSplit:
    case Kind::kCreate:
    case Kind::kDestroy:
      break;
  }
  if (request.leave_together) meet(program, all, kLeave);
}

}  // namespace aqueduct::extended::collectives
