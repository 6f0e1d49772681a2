// What collectives should do, computed by each rank alone, and the small helpers of their tests.
#pragma once
#include <gasnet_coll.h>
#include <sched.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {

using Bytes = std::vector<std::byte>;

/// Polls without waiting, but lets others have the core.
template <class Condition>
void poll_until(Condition&& condition) {
  while (!condition()) {
    gasnet_AMPoll();
    sched_yield();
  }
}

/// The bytes that `rank` brings to the collective named by `key`: everybody can compute everybody's.
Bytes contribution(std::uint64_t key, gex_Rank_t rank, std::size_t bytes);

/// right[i] = left[i] op right[i] on vectors of `count` elements.
using Combine = std::function<void(const std::byte* left, std::byte* right, std::size_t count)>;

/// src[0] op src[1] op ... op src[size-1], from the left.
Bytes reduced(const std::vector<Bytes>& sources, std::size_t count, const Combine& combine);

/// A type of elements and an operation on it, as a reduction takes them.
struct Flavour {
  std::string name;
  gex_DT_t type;
  std::size_t element_bytes;
  gex_OP_t operation;
  gex_Coll_ReduceFn_t function;  // of the client
  void* cdata;
  /// Vectors of which every order that the operation allows makes the same result, to the bit.
  std::function<Bytes(std::uint64_t key, gex_Rank_t rank, std::size_t count)> source;
  Combine combine;
};

/// All built-in operations on all types, and operations of our own, that commute and that do not.
const std::vector<Flavour>& flavours();

/// Non-commutative: an element is an interval of ranks, and joins only with one that begins where it ends.
/// A wrong order leaves a mark that stays.
struct Interval {
  std::uint32_t first, end;
};
inline constexpr std::uint32_t kBroken = ~0u;

}  // namespace aqueduct::test
