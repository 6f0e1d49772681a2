// A rank of a scenario: a client of the library with a segment, like any program.
#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "scenarios.hpp"

#define GASNET_SEQ 1
#include <gasnet_coll.h>
#include <gasnetex.h>

namespace aqueduct::scenarios {

template <class Value>
struct PageAllocator {
  using value_type = Value;
  Value* allocate(std::size_t count) {
    return static_cast<Value*>(
        ::operator new (round_up(count * sizeof(Value), kPage), std::align_val_t{kPage}));
  }
  void deallocate(Value* memory, std::size_t) { ::operator delete (memory, std::align_val_t{kPage}); }
  bool operator==(const PageAllocator&) const = default;
};

class Member {
 public:
  /// Collective: starts the client, registers `handlers`, attaches a segment of at least `bytes`. Handlers
  /// find `state` with state_of().
  Member(std::size_t bytes, void* state = nullptr, std::span<gex_AM_Entry_t> handlers = {});

  gex_TM_t team() const { return team_; }
  gex_Rank_t rank() const { return rank_; }
  gex_Rank_t size() const { return size_; }
  /// Byte `offset` of a rank's segment, in that rank's addresses.
  std::byte* at(gex_Rank_t rank, std::size_t offset) const;
  std::byte* mine(std::size_t offset = 0) const { return base_ + offset; }
  void barrier() const;
  /// Reports that round `round` of `rounds` begins (progress.hpp).
  void begin_round(std::uint64_t round, std::uint64_t rounds) const;

  static void* state_of(gex_Token_t token);

 private:
  gex_TM_t team_{};
  gex_EP_t endpoint_{};
  gex_Rank_t rank_ = 0;
  gex_Rank_t size_ = 1;
  std::byte* base_ = nullptr;
};

/// Memory that a rank sends from or receives into, in whole pages: so the number of pages that a transfer
/// touches, and the cost to register them, is the same in every run.
using Block = std::vector<std::byte, PageAllocator<std::byte>>;

/// Fills a block with bytes that depend on `source` and `round`, for check().
void fill(std::byte* block, std::size_t bytes, std::uint64_t source, std::uint64_t round);
/// Ends the simulation with one line if the block has other bytes; `where` names the check.
void check(const char* where, const std::byte* block, std::size_t bytes, std::uint64_t source,
           std::uint64_t round);

}  // namespace aqueduct::scenarios
