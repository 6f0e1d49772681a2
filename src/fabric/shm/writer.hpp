// The writing end of a pair (pair.hpp): sends to one node.
//
// Payloads of up to kBesideBytes are copied when they are sent. Larger ones stay with the caller; they are
// remembered here until the reader has said `go`, then advance() moves them chunk by chunk.
//
// Any thread may call, under `lock`; advance() by one thread at a time.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/spin_lock.hpp"
#include "fabric/pieces.hpp"
#include "fabric/shm/pair.hpp"

namespace aqueduct::fabric::shm {

class Writer {
 public:
  void open(Pair* pair) { pair_ = pair; }

  /// Writes a message of `bytes` in all its pieces. False: there is no room now.
  bool send(std::span<const std::byte> header, std::span<const Piece> payload, std::size_t bytes,
            std::uint64_t cookie);

  bool has_sent_nothing() const { return tail_ == 0; }
  bool has_large() const { return large_count_.load(std::memory_order_relaxed) != 0; }

  /// Moves larger payloads on; appends to `sent` the cookies of those that are through. True if the reader
  /// has something new to see.
  bool advance(std::vector<std::uint64_t>& sent);

  /// The reader will take nothing more: appends to `sent` the cookies of all larger payloads that wait or
  /// move. Nothing may be sent from now on.
  void give_up(std::vector<std::uint64_t>& sent);
  bool is_given_up() const { return is_given_up_; }

  /// The reader has asked for what it cannot ask for. Its answer is not followed, and no later one.
  bool is_corrupted() const { return is_corrupted_; }

  SpinLock lock;

 private:
  /// At most so many larger payloads wait or move at once.
  static constexpr std::size_t kMostLarge = 16;

  struct Large {
    std::uint32_t position = 0;  // of its slot, while it waits for `go`
    bool goes = false;
    std::uint64_t landing = 0;
    std::uint64_t left = 0;
    std::uint64_t cookie = 0;
    std::vector<Piece> pieces;
    PieceWalk walk;
  };

  bool is_free(std::uint32_t position) const;
  void remember(std::span<const Piece> payload, std::uint64_t cookie);
  void finish(std::size_t index, std::vector<std::uint64_t>& sent);
  void look_for_go(std::vector<std::uint64_t>& sent);

  Pair* pair_ = nullptr;
  std::uint32_t tail_ = 0;
  std::uint32_t chunk_tail_ = 0;
  bool is_corrupted_ = false;
  bool is_given_up_ = false;
  std::uint64_t awaited_ = 0;  // slots whose answer tells a larger payload what to do, as a set
  std::atomic<std::uint32_t> large_count_{0};
  std::vector<Large> large_;  // the first large_count_ are in use, in the order of send()
};

}  // namespace aqueduct::fabric::shm
