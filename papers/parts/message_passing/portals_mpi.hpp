// A minimal MPI point-to-point over Portals, with the protocols of MPIs for the Cray XT.
//
// Portals does the matching: a posted receive is a match entry over its buffer, before large buffers for
// unexpected messages. The match bits are
//
//   63 to 60   59 to 52   51 to 32      31 to 0
//   protocol   0          source rank   tag
//
// and the protocols
//
//   eager       the message itself, up to Settings::eager_bytes: straight into the posted buffer, or into an
//               unexpected one from which it is copied when its receive is posted.
//   rendezvous  longer: an announcement without bytes, whose header data say how long and under which number;
//               the receiver gets the message from the sender's memory under that number.
//
// Posting without a race: the entry is attached inactive and then activated by PtlMDUpdate on the condition
// that no event waits in the queue; if one does, it is taken first, since it may be the message that is
// wanted. That holds only if a message is in the queue from the moment at which it is matched, so the
// unexpected buffers report when a message begins to arrive (PUT_START), not only when it is whole: a receive
// that finds one still arriving becomes its taker and is over when the rest has come. Messages begin in the
// order in which they were sent; they become whole in any.
//
// All entries, unexpected buffers and operations use one event queue. A message without room in the
// unexpected buffers is lost, which ends the job, so the user of this class must limit what is under way.
//
// A context has a portal table entry of its own, so that messages of different contexts never meet, and so
// that it can share an interface with other clients of Portals. There is one of each in a process.
//
// Threads: any; one lock. The user of this class must notice peers that do not answer.
#pragma once
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "observe/resources.hpp"
#include "papers/nic/portals3/client.hpp"
#include "papers/parts/memory/chunk_pool.hpp"
#include "papers/parts/message_passing/message_passing.hpp"
#include "parts/operation_names.hpp"

namespace aqueduct::parts {

class PortalsMpi final : public MessagePassing {
 public:
  /// The owner of the messages; the number is the portal table entry.
  enum class Context : ptl_pt_index_t { kProgram = 10, kConduit = 11 };

  /// Match bits that no message has: another client of the same table entry may use them.
  static constexpr ptl_match_bits_t kNoMessage = ptl_match_bits_t{4} << 60;

  struct Settings {
    Context context = Context::kProgram;
    std::size_t eager_bytes = 128 << 10;
    std::uint32_t copied_bytes =
        1024;  ///< up to this size a message is sent from a copy, longer ones in place
    unsigned send_buffers = 64;
    unsigned unexpected_buffers = 3;
    std::size_t unexpected_bytes = 2 << 20;
    std::size_t queue_events = 8192;
  };

  /// Rank r is the process with the same pid on node r.
  PortalsMpi(RankId rank, RankId size, const Settings& settings);

  RankId rank() const override { return rank_; }
  RankId size() const override { return size_; }
  Operation isend(const void* data, std::size_t bytes, RankId to, Tag tag) override;
  Operation irecv(void* buffer, std::size_t room, RankId from, Tag tag) override;
  bool test(Operation operation, Status* status) override;

  void count_resources(observe::ResourceCounts& counts);

  /// The bell at which the threads of `rank` sleep; senders ring it. Null in a simulation.
  Doorbell* doorbell(RankId rank) const { return client_.doorbell(rank); }

 private:
  /// Receives the events of a descriptor, whose user_ptr it is.
  class EventHandler {
   public:
    virtual void happened(PortalsMpi& mpi, const ptl_event_t& event) = 0;

   protected:
    EventHandler() = default;
    EventHandler(const EventHandler&) = default;
    EventHandler& operator=(const EventHandler&) = default;
    ~EventHandler() = default;
  };

  /// An operation of the client's; the handler of the descriptor of its memory.
  struct Record final : EventHandler {
    void happened(PortalsMpi& mpi, const ptl_event_t& event) override { mpi.operation_event(*this, event); }

    Operation name = 0;
    bool done = false;
    Status status;
    void* buffer = nullptr;
    std::size_t room = 0;
    RankId from = 0;
    Tag tag = 0;
    ptl_handle_md_t md = PTL_INVALID_HANDLE;    // to unlink when it is over
    ptl_handle_me_t me = PTL_INVALID_HANDLE;    // of a receive that is posted
    ChunkPool::Offset copy = ChunkPool::kNone;  // of a short message
  };

  /// The envelope of a message.
  struct Envelope {
    RankId source;
    Tag tag;
    bool is_announcement;
    std::size_t bytes;     // of an announcement, the announced bytes
    std::uint32_t number;  // the number for fetching them
  };

  /// Memory for unexpected messages.
  struct Buffer final : EventHandler {
    void happened(PortalsMpi& mpi, const ptl_event_t& event) override { mpi.buffer_event(*this, event); }

    std::unique_ptr<std::byte[]> memory;
    unsigned messages = 0;  // messages in it or arriving, and not yet copied
    bool linked = false;
  };

  /// Short messages are copied before they are sent.
  struct Copies final : EventHandler {
    void happened(PortalsMpi& mpi, const ptl_event_t& event) override { mpi.sent(event); }
  };

  /// A message without a matching receive when it began to arrive.
  struct Unexpected {
    Envelope envelope;
    ptl_seq_t start;        // the sequence of its START event
    const std::byte* data;  // in an unexpected buffer
    Buffer* buffer;         // which one
    bool whole = false;
    Operation taker = 0;  // the receive that waits for the rest
  };

  ptl_pt_index_t table_entry() const { return static_cast<ptl_pt_index_t>(settings_.context); }

  ptl_md_t memory(void* start, std::size_t bytes, unsigned options, EventHandler& handler) const;
  void link(Buffer& buffer);
  void progress();
  void buffer_event(Buffer& buffer, const ptl_event_t& event);
  void operation_event(Record& record, const ptl_event_t& event);
  void sent(const ptl_event_t& event);
  static Envelope envelope_in(const ptl_event_t& event);
  void expected(Record& record, const ptl_event_t& event);
  void begun(Buffer& buffer, const ptl_event_t& event);
  void completed(const ptl_event_t& event);
  bool take_unexpected(Record& record);
  void hand_over(const Unexpected& message, Record& record);
  void fetch(Record& record, const Envelope& envelope);
  void finish(Record& record, const Envelope& envelope);
  void forget(std::deque<Unexpected>::iterator message);

  RankId rank_, size_;
  Settings settings_;
  std::mutex mutex_;
  ptl_handle_eq_t queue_ = PTL_EQ_NONE;
  ptl_handle_me_t end_ = PTL_INVALID_HANDLE;  // of the list; posted receives go in front of `fence_`
  ptl_handle_me_t fence_ = PTL_INVALID_HANDLE;
  ptl_handle_md_t copies_md_ = PTL_INVALID_HANDLE;
  ChunkPool copies_;
  Copies copies_handler_;
  std::vector<Buffer> buffers_;
  std::deque<Unexpected> unexpected_;
  parts::OperationNames<Record> records_;
  portals3::Client client_;  // last, so that it is destroyed first and frees what it uses of the above
};

}  // namespace aqueduct::parts
