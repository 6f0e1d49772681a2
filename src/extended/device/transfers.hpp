// Copies under way on this rank's devices, and the staging of what this process cannot copy in one go.
//
// Staging is one part for all networks, and none of them knows of devices: it uses messages and the put and
// get of host memory that every conduit has (extended/rma.hpp).
//
//   put to a device elsewhere    initiator: [device to chunk,] messages "device put" (Medium), each with a piece
//                                owner: piece to a chunk, chunk to device; then "device put done" (Short), which
//                                says how many pieces of a put are in place
//   get from a device elsewhere  initiator: "device get" (Short)
//                                owner: device to chunk, messages "device data" (Medium)
//                                initiator: piece to its place, or by a chunk to the device
//   put to, get from a host elsewhere, device here: chunks, each put or got as host memory
//
// A flow is one of these transfers as far as chunks are concerned. Its chunks are under way at the same time,
// up to as many as the card has; copies on the device and messages overlap in both directions. What comes in
// messages while no chunk is free is copied at once, and the handler waits for the device: so nobody ever
// waits for a peer to free a chunk, and flows of two ranks cannot wait for each other.
//
// Where a message carries the address of a counter (Pending) or a card, it is one of the rank that it comes
// back to, as in the reference put and get. Each piece is counted there before the first is sent.
//
// Threads: flows are started by any. Everything else is done by whoever runs the deferred tasks, one thread
// at a time, and in handlers.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "base/spin_lock.hpp"
#include "core/device_memory.hpp"
#include "extended/rma.hpp"

namespace aqueduct::extended::device_memory {

using device::Card;
using device::Direction;
using device::HostRange;
using device::WhenDone;

/// One staged transfer, from or to memory of a device here.
struct Flow {
  enum class Kind : std::uint8_t { kPutMessages, kGetData, kPutHost, kGetHost } kind = Kind::kPutMessages;
  const char* where = nullptr;
  core::Peer peer;
  Card* card = nullptr;       ///< of the memory here
  std::byte* here = nullptr;  ///< on the device
  std::uint64_t there = 0;    ///< at the peer
  std::size_t bytes = 0;
  std::size_t begun = 0;  ///< in chunks
  std::size_t read = 0;   ///< from the device
  std::size_t finished = 0;
  std::size_t chunk_bytes = 0;
  std::size_t piece_bytes = 0;   ///< of a message
  std::uint64_t pending = 0;     ///< the Pending of whoever waits, here or at the peer
  std::uint64_t peers_card = 0;  ///< kGetData: where the data goes at the peer; 0: to its host's memory
  am::Unreleased* unreleased = nullptr;  ///< counts the source of a put
};

class Transfers final : public core::RankExtension, public DeferredTask {
 public:
  explicit Transfers(Rank& rank);
  ~Transfers() override;

  /// A copy on a card, of which `when_done` is told.
  void copy(Card& card, void* to, const void* from, std::size_t bytes, Direction direction,
            const HostRange& host, WhenDone when_done);
  void start(const Flow& flow);

  /// A piece has come for memory on a device here. What is to be counted down when it is in place: `own`, a
  /// counter here, or that of the sender, by a message.
  void land(Thread& thread, RankId source, Card& card, void* to, const void* payload, std::size_t bytes,
            Pending* own, std::uint64_t senders);

  Advance advance(Thread& thread) override;

  /// Where messages carry so many bytes at a time.
  static std::size_t piece_bytes(const Rank& rank);

 private:
  struct Chunk {
    enum class State : std::uint8_t { kCopying, kReady, kTransferring, kFinished } state = State::kCopying;
    Flow* flow = nullptr;
    std::byte* memory = nullptr;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    std::size_t sent = 0;
    Pending pending{0};  ///< of its put or get as host memory
  };
  struct Landing {
    Transfers* home = nullptr;
    Card* card = nullptr;
    std::byte* chunk = nullptr;
    RankId source = 0;
    Pending* own = nullptr;
    std::uint64_t senders = 0;
  };
  struct Acknowledgement {
    RankId peer;
    std::uint64_t pending;
    std::int32_t pieces;
  };

  static void is_copied(void* chunk, std::uint64_t);
  static void has_landed(void* landing, std::uint64_t);
  bool begin_chunks(Thread& thread, Flow& flow);
  bool move(Thread& thread, Chunk& chunk);
  bool send_pieces(Thread& thread, Chunk& chunk);
  bool put_chunk(Thread& thread, Chunk& chunk);
  void finish(Flow& flow);
  void acknowledge(RankId peer, std::uint64_t pending);
  bool send_acknowledgements(Thread& thread);
  void began() { rank_.beyond_neighbours.unannounced.fetch_add(1, std::memory_order_relaxed); }
  void ended() { rank_.beyond_neighbours.unannounced.fetch_sub(1, std::memory_order_relaxed); }
  bool is_idle() const { return rank_.beyond_neighbours.unannounced.load(std::memory_order_relaxed) == 0; }
  Landing* take_landing();

  Rank& rank_;
  SpinLock lock_;  // of what handlers and callers add to
  std::vector<std::unique_ptr<Flow>> added_, free_flows_;
  std::vector<Acknowledgement> acknowledgements_;
  std::vector<std::unique_ptr<Landing>> landings_;
  std::vector<Landing*> free_landings_;
  // By whoever runs the tasks:
  std::vector<std::unique_ptr<Flow>> flows_;
  std::vector<std::unique_ptr<Chunk>> chunks_, free_chunks_;
  std::vector<WhenDone> done_;
  std::vector<Acknowledgement> leaving_;
  std::size_t first_ = 0;
};

/// This rank's, made on first use.
Transfers& transfers(Rank& rank);

}  // namespace aqueduct::extended::device_memory
