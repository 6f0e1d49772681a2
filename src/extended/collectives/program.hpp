// A collective as one member runs it: a list of steps, executed in order as far as messages allow.
//
// An algorithm (plan.hpp) writes the steps; TeamCollectives executes them. Steps name other members by
// their rank in the team. A message is known by its tag, which the two sides choose alike; within one
// collective a member receives each tag once.
//
// All receptions are open from the start, whatever step the member is at: each has a place of its own where
// nothing else is kept until its step has been passed. A step that sends is over when its data has been
// copied or delivered, so that later steps may overwrite it.
//
// Ownership: the program owns its temporary memory; buffers of the client belong to the client, who leaves
// them alone until the collective is complete.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "extended/collectives/arena.hpp"
#include "gasnetex.h"

namespace aqueduct::extended::collectives {

using Tag = std::uint32_t;

/// Messages up to this size are sent at once, and kept if the receiver is not there yet; larger ones wait
/// until the receiver has said where they go.
inline constexpr std::size_t kEagerBytes = 4096;

struct Reception {
  Tag tag;
  gex_Rank_t from;
  std::byte* to;
  std::size_t bytes;
  std::size_t missing;  // bytes, or 1 for an empty message; counted down by handlers on any thread

  bool is_large() const { return bytes > kEagerBytes; }
  bool complete() { return std::atomic_ref(missing).load(std::memory_order_acquire) == 0; }
  void arrived(std::size_t count) {
    std::atomic_ref(missing).fetch_sub(bytes == 0 ? 1 : count, std::memory_order_release);
  }
};

struct Sending {
  Tag tag;
  gex_Rank_t to;
  const std::byte* from;
  std::size_t bytes;
  // Of a large one, written by the handler of the receiver's grant: where it goes, if that is in the
  // receiver's segment.
  std::byte* place;
  bool granted;

  bool is_large() const { return bytes > kEagerBytes; }
  bool may_go() { return !is_large() || std::atomic_ref(granted).load(std::memory_order_acquire); }
};

struct Step {
  enum Action : std::uint8_t { kSend, kReceive, kCombine, kCopy };
  Action action;
  std::uint32_t index;  // of the sending or reception
  std::byte* to;        // kCombine: right operands and result
  const std::byte* from;
  std::size_t amount;  // bytes, or elements to combine
};

class Program {
 public:
  std::byte* temporary(std::size_t bytes) { return arena_.take(bytes); }

  void send(gex_Rank_t to, Tag tag, const void* from, std::size_t bytes) {
    steps_.push_back({Step::kSend, static_cast<std::uint32_t>(sendings_.size()), nullptr, nullptr, 0});
    sendings_.push_back({tag, to, static_cast<const std::byte*>(from), bytes, nullptr, false});
  }
  /// Waits for the message, which is then at `to`.
  void receive(gex_Rank_t from, Tag tag, void* to, std::size_t bytes) { await(expect(from, tag, to, bytes)); }

  /// The two halves of receive().
  std::uint32_t expect(gex_Rank_t from, Tag tag, void* to, std::size_t bytes) {
    receptions_.push_back({tag, from, static_cast<std::byte*>(to), bytes, bytes == 0 ? 1 : bytes});
    return static_cast<std::uint32_t>(receptions_.size() - 1);
  }
  void await(std::uint32_t reception) { steps_.push_back({Step::kReceive, reception, nullptr, nullptr, 0}); }

  void combine(const void* left, void* right, std::size_t count) {
    steps_.push_back(
        {Step::kCombine, 0, static_cast<std::byte*>(right), static_cast<const std::byte*>(left), count});
  }
  /// Nothing if both are the same place.
  void copy(void* to, const void* from, std::size_t bytes) {
    if (to == from || bytes == 0) return;
    steps_.push_back(
        {Step::kCopy, 0, static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes});
  }

  void clear() {
    arena_.clear();
    steps_.clear();
    sendings_.clear();
    receptions_.clear();
  }

  std::vector<Step>& steps() { return steps_; }
  std::vector<Sending>& sendings() { return sendings_; }
  std::vector<Reception>& receptions() { return receptions_; }

 private:
  Arena arena_;
  std::vector<Step> steps_;
  std::vector<Sending> sendings_;
  std::vector<Reception> receptions_;
};

}  // namespace aqueduct::extended::collectives
