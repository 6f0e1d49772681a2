// The part of message passing that active messages need: non-blocking send and receive between ranks, with
// tags, matched in order. portals_mpi.hpp implements it.
//
// Memory: a buffer belongs to the operation from isend() or irecv() until test() has said that it is over.
// Order: messages from one rank with one tag are received in the order in which they were sent. Threads: any,
// but an operation is tested by one at a time. Nothing waits; test() makes progress. A message longer than
// its buffer ends the job.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace aqueduct::parts {

/// Any source.
inline constexpr RankId kAnySource = ~RankId{0};

using Tag = std::uint32_t;
/// An operation that has begun; 0 is none.
using Operation = std::uint32_t;

struct Status {
  RankId source = 0;
  std::size_t bytes = 0;
};

class MessagePassing {
 public:
  virtual ~MessagePassing() = default;

  virtual RankId rank() const = 0;
  virtual RankId size() const = 0;

  virtual Operation isend(const void* data, std::size_t bytes, RankId to, Tag tag) = 0;
  virtual Operation irecv(void* buffer, std::size_t room, RankId from, Tag tag) = 0;
  /// True, once, when the operation is over, which ends its name. Fills `status` for a receive.
  virtual bool test(Operation operation, Status* status) = 0;
};

}  // namespace aqueduct::parts
