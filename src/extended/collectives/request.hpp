// What the client asked for: one collective call, with arguments that have been checked.
#pragma once
#include <cstdint>

#include "base/fatal.hpp"
#include "extended/collectives/combiner.hpp"

namespace aqueduct::extended::collectives {

enum class Kind : std::uint8_t {
  kBroadcast,
  kReduceToOne,
  kReduceToAll,
  kScatter,
  kGather,
  kGatherAll,
  kExchange,
  // Calls that others carry out, and that are only checked here.
  kBarrier,
  kSplit,
  kCreate,
  kDestroy,
};

struct Request {
  const char* where = "";  ///< the API function, for messages
  CallSite site = {};      ///< where a debug client called it
  Kind kind = Kind::kBroadcast;
  gex_Rank_t root = 0;
  void* dst = nullptr;
  const void* src = nullptr;
  /// Of the data of one rank: the block that is moved, or the whole vector of a reduction.
  std::size_t bytes = 0;
  std::size_t count = 0;  ///< elements of a reduction's vector
  gex_DT_t type = 0;
  gex_OP_t operation = 0;
  Combiner combiner;
  bool enter_together = false;  ///< no data moves before every rank has made the call
  bool leave_together = false;  ///< nobody is done before everybody's data is in place

  /// Whether the member uses its src, its dst.
  bool reads(gex_Rank_t member) const {
    const bool only_root = kind == Kind::kBroadcast || kind == Kind::kScatter;
    return bytes != 0 && (!only_root || member == root);
  }
  bool writes(gex_Rank_t member) const {
    const bool only_root = kind == Kind::kReduceToOne || kind == Kind::kGather;
    return bytes != 0 && (!only_root || member == root);
  }
  bool is_reduction() const { return kind == Kind::kReduceToOne || kind == Kind::kReduceToAll; }
  bool has_root() const {
    return kind == Kind::kBroadcast || kind == Kind::kReduceToOne || kind == Kind::kScatter ||
           kind == Kind::kGather;
  }
};

}  // namespace aqueduct::extended::collectives
