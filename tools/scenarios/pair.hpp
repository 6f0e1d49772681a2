// Two simulated ranks that measure between them, in virtual time: the benchmarks of the Portals conduit's
// authors, written to gasnetex.h, and two for comparison, written to the minimal MPI.
//
//   put             rank 0 puts from its segment into that of rank 1, and waits for each
//   outside put     the same from one place outside its segment
//   put flood       rank 0 starts all puts, then waits for all
//   round trip      rank 0 sends medium requests without arguments and waits for the reply to each, which
//                   brings as much payload back
//   long round trip rank 0 sends long requests without arguments and waits for the long reply to each, which
//                   brings as much payload back
//   long injection  rank 0 starts long requests, as many as are counted, whose local completion is implicit;
//                   what is measured ends when the last is started, and then all come to their end
//   ping-ack        rank 0 sends a message by MPI; rank 1 answers without payload
//   message flood   rank 0 sends 64 messages by MPI, for which receives are posted; rank 1 answers when it
//                   has them all
//
//   Pair pair(largest);                                     // in both ranks
//   double ns = pair.measure(Pattern::kPut, 8, 100);        // likewise; the answer of rank 0 counts
//
// A simulation is the same every time, so few operations are enough; some operations before them warm up
// caches and queues. Arrivals are checked: a wrong byte ends the simulation.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "member.hpp"
#include "papers/parts/message_passing/portals_mpi.hpp"

namespace aqueduct::scenarios {

enum class Pattern : std::uint8_t {
  kPut,
  kOutsidePut,
  kPutFlood,
  kRoundTrip,
  kLongRoundTrip,
  kLongInjection,
  kPingAck,
  kMessageFlood,
};

class Pair {
 public:
  /// Collective, of two ranks. No message is longer than `largest`.
  explicit Pair(std::size_t largest);
  ~Pair();
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  /// Collective. Repeats the operation `count` times; rank 0 gets the nanoseconds per operation.
  double measure(Pattern pattern, std::size_t bytes, unsigned count);

  bool leads() const { return me_.rank() == 0; }
  /// The largest payload of a round trip.
  std::size_t max_medium() const;

 private:
  void repeat(Pattern pattern, std::size_t bytes, unsigned count);
  void puts(const std::byte* source, std::size_t bytes, unsigned count);
  void flood(std::size_t bytes, unsigned count);
  void round_trips(std::size_t bytes, unsigned count);
  void long_round_trips(std::size_t bytes, unsigned count);
  double injection(std::size_t bytes, unsigned depth);
  void ping_acks(std::size_t bytes, unsigned count);
  void messages(std::size_t bytes, unsigned count);
  void finish(parts::Operation operation);

  /// What the handlers of a rank work on.
  struct State {
    std::uint64_t replies = 0;
    std::uint64_t arrivals = 0;     // of long requests that are not answered
    std::byte* reply_to = nullptr;  // where long replies go in rank 0
  };
  static void on_request(gex_Token_t token, void* payload, std::size_t bytes);
  static void on_reply(gex_Token_t token, void* payload, std::size_t bytes);
  static void on_long_request(gex_Token_t token, void* payload, std::size_t bytes);
  static void on_long_reply(gex_Token_t token, void* payload, std::size_t bytes);
  static void on_arrival(gex_Token_t token, void* payload, std::size_t bytes);
  static std::vector<gex_AM_Entry_t> handlers();

  State state_;
  std::vector<gex_AM_Entry_t> handlers_ = handlers();
  Member me_;
  std::unique_ptr<std::byte[]> outside_memory_;
  std::byte* outside_;                    // where a page begins in it
  std::optional<parts::PortalsMpi> mpi_;  // empty if ranks have another interface than Portals
  std::size_t largest_;
};

}  // namespace aqueduct::scenarios
