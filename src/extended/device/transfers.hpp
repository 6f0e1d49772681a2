// Copies under way on this rank's devices, and the staging of what this process cannot copy in one go.
//
// Staging is one part for all networks, and none of them knows of devices: it uses messages, and the put and
// get of host memory that every conduit has (extended/rma.hpp).
//
//   put to a device elsewhere    initiator: "device ask" (Short): so many chunks. [device to chunk]
//                                owner: "device grant" (Short): slots (slots.hpp)
//                                initiator: "device chunk" (Long), each to a slot
//                                owner: slot to device; then "device put done" (Short), which says how much of
//                                the put is in place
//   get from a device elsewhere  initiator: "device fetch" (Short), with a slot of its own for each chunk, or
//                                once if the destination is in its segment
//                                owner: device to chunk; "device fetched" (Long)
//                                initiator: slot to its place
//   put to, get from a host elsewhere, device here: chunks, each put or got as host memory
//
// What is as small as one message, goes to a neighbour (whose memory could not be mapped), or meets a rank
// without slots, goes in pieces by Medium messages:
//
//   put   "device put", each with a piece; owner: piece to a chunk, chunk to device; "device put done"
//   get   "device get" (Short); owner: device to chunk, "device data", each with a piece
//
// Chunks of a flow are under way at the same time, up to as many as there are; copies on devices, sending and
// receiving overlap in both directions. Nobody waits for a peer in a circle: a slot waits only for a chunk of
// its peer, and a chunk that has a slot, or needs none, waits only for the network; those that wait for slots
// have half of the chunks at most. A piece that comes while there is no memory for it is copied at once, and
// its handler waits for the device.
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
#include "extended/device/chunk_memory.hpp"
#include "extended/device/flow.hpp"
#include "extended/device/grants.hpp"
#include "extended/device/slots.hpp"

namespace aqueduct::extended::device_memory {

using device::Card;
using device::Direction;
using device::HostRange;
using device::WhenDone;

/// What has come for memory on a device here, and what is to be counted down when it is in place: a counter
/// here, or that of the sender, by a message.
struct Landing {
  RankId source = 0;
  Card* card = nullptr;
  void* to = nullptr;
  std::size_t bytes = 0;
  Pending* own = nullptr;     ///< null: the sender's
  std::uint64_t senders = 0;  ///< a Pending there
  std::uint32_t pieces = 1;
};

class Transfers final : public core::RankExtension, public DeferredTask {
 public:
  explicit Transfers(Rank& rank);
  ~Transfers() override;

  /// A copy on a card, of which `when_done` is told.
  void copy(Card& card, void* to, const void* from, std::size_t bytes, Direction direction,
            const HostRange& host, WhenDone when_done);
  void start(Flow flow);

  /// A piece has come in a message.
  void land(const Landing& landing, const void* payload);
  /// A Long has come to a slot.
  void land(const Landing& landing, Slot& slot);
  /// The slot that was lent to `source` and is at that address. Null if it is dead and the slot is not used
  /// any more; any other address ends the job.
  Slot* slot_at(RankId source, const void* address);
  /// The slot's own destination is the host's memory, or it was for nothing.
  void give_back(Slot& slot) { slots_.give_back(slot); }
  void ask(RankId peer, std::uint64_t flow, std::uint32_t chunks);
  /// Slots for a flow of this rank's; 0: there are none.
  void granted(RankId peer, std::uint64_t flow, std::uint64_t slot);

  Advance advance(Thread& thread) override;

  /// Where messages carry so many bytes at a time.
  static std::size_t piece_bytes(const Rank& rank);
  /// And Longs.
  static std::size_t chunk_bytes(const Rank& rank);

 private:
  /// A landing under way.
  struct Landed : Landing {
    Transfers* home = nullptr;
    std::byte* chunk = nullptr;  // of the card's
    Slot* slot = nullptr;
  };
  struct Acknowledgement {
    RankId peer;
    std::uint64_t pending;
    std::uint32_t pieces;
  };
  struct Granted {
    RankId peer;
    std::uint64_t flow;
    std::uint64_t slot;
  };

  static void is_copied(void* chunk, std::uint64_t);
  static void has_landed(void* landing, std::uint64_t);
  void in_place(const Landing& landing);
  void take_in();
  bool collect();
  void lose(Flow& flow);
  bool begin(Thread& thread, Flow& flow);
  bool ask_for_slots(Thread& thread, Flow& flow);
  bool begin_get(Thread& thread, Flow& flow);
  Chunk* begin_chunk(Flow& flow);
  bool move(Thread& thread, Chunk& chunk);
  bool send_chunk(Thread& thread, Chunk& chunk);
  bool send_long(Thread& thread, Chunk& chunk);
  bool send_pieces(Thread& thread, Chunk& chunk);
  bool put_chunk(Thread& thread, Chunk& chunk);
  bool is_held_for_the_dead(const Chunk& chunk) const;
  bool move_chunks(Thread& thread);
  void finish(Flow& flow);
  void finish_flows();
  void acknowledge(const Landing& landing);
  bool send_acknowledgements(Thread& thread);
  bool send_grants(Thread& thread);
  void began() { rank_.beyond_neighbours.unannounced.fetch_add(1, std::memory_order_relaxed); }
  void ended() { rank_.beyond_neighbours.unannounced.fetch_sub(1, std::memory_order_relaxed); }
  bool is_idle() const { return rank_.beyond_neighbours.unannounced.load(std::memory_order_relaxed) == 0; }
  bool is_lost(RankId peer) const { return rank_.failures() && rank_.failures()->is_dead(peer); }
  Landed* take_landing();

  Rank& rank_;
  Slots slots_;
  Grants grants_;
  ChunkMemory out_;  // what is sent lies there
  SpinLock lock_;    // of what handlers and callers add to
  std::uint64_t last_number_ = 0;
  std::vector<std::unique_ptr<Flow>> added_;
  std::vector<Granted> granted_;
  std::vector<Acknowledgement> acknowledgements_;
  std::vector<std::unique_ptr<Landed>> landings_;
  std::vector<Landed*> free_landings_;
  // By whoever runs the tasks:
  std::vector<std::unique_ptr<Flow>> flows_;
  std::vector<std::unique_ptr<Chunk>> chunks_, free_chunks_;
  std::vector<std::unique_ptr<Chunk>> abandoned_;  // whose counters a network may still change
  std::vector<WhenDone> done_;
  std::vector<Acknowledgement> leaving_;
  std::size_t first_ = 0;
  std::size_t without_slots_ = 0;  // chunks that need one
  RankId known_deaths_ = 0;
};

/// This rank's, made on first use.
Transfers& transfers(Rank& rank);

/// Asks the owner of a device for what has not begun of a get, in pieces of Medium messages. Answers as
/// core::send_request().
int ask_for_pieces(const char* where, Thread& thread, const Flow& get, gex_Flags_t flags);
/// For a part of it in Longs, to a slot of this rank or, where `pending` is to be counted down by what comes,
/// to its place in this rank's segment.
int fetch(const char* where, Thread& thread, const Flow& get, std::size_t offset, std::size_t bytes,
          std::byte* to, Pending* pending, gex_Flags_t flags);

}  // namespace aqueduct::extended::device_memory
