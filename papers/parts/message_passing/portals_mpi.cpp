#include "papers/parts/message_passing/portals_mpi.hpp"

#include <algorithm>
#include <cstring>

#include "base/fatal.hpp"
#include "world/work.hpp"

namespace aqueduct::parts {
namespace {

using world::spend;

/// The costs of a message in the software of an MPI (world/work.hpp).
const world::Work kMpiSend("mpi_send");              // checks, request, protocol
const world::Work kMpiReceive("mpi_receive");        // a receive posted
const world::Work kMpiArrival("mpi_arrival");        // an arrival at a posted receive
const world::Work kMpiUnexpected("mpi_unexpected");  // an arrival without a receive, found later

enum class Protocol : std::uint64_t { kEager = 1, kAnnounce = 2, kData = 3 };

constexpr unsigned kProtocolShift = 60;
constexpr unsigned kSourceShift = 32;
constexpr ptl_match_bits_t kProtocolMask = ptl_match_bits_t{0xf} << kProtocolShift;
constexpr ptl_match_bits_t kSourceMask = ptl_match_bits_t{0xfffff} << kSourceShift;

constexpr ptl_match_bits_t bits(Protocol protocol, RankId source, Tag tag) {
  return static_cast<std::uint64_t>(protocol) << kProtocolShift | std::uint64_t{source} << kSourceShift | tag;
}
constexpr Protocol protocol_in(ptl_match_bits_t bits) {
  return static_cast<Protocol>(bits >> kProtocolShift);
}
constexpr RankId source_in(ptl_match_bits_t bits) {
  return static_cast<RankId>((bits & kSourceMask) >> kSourceShift);
}

constexpr char kName[] = "message passing";
constexpr ptl_process_id_t kAnybody = portals3::Client::anybody();

void check(int code, const char* what) { portals3::check(kName, code, what); }

void check_room(std::size_t room, RankId source, std::size_t bytes) {
  if (bytes <= room) return;
  fatal(kName, "a message of %zu bytes from rank %u; its receive has room for %zu", bytes, source, room);
}

}  // namespace

PortalsMpi::PortalsMpi(RankId rank, RankId size, const Settings& settings)
    : rank_(rank),
      size_(size),
      settings_(settings),
      copies_(settings.send_buffers, settings.copied_bytes),
      buffers_(settings.unexpected_buffers),
      client_(kName) {
  check(PtlEQAlloc(client_.ni(), settings_.queue_events, PTL_EQ_HANDLER_NONE, &queue_), "PtlEQAlloc");

  // The list: posted receives, the fence, the unexpected buffers, the end. The last two entries match
  // nothing.
  const ptl_match_bits_t nothing = bits(Protocol{15}, 0, 0);
  for (ptl_handle_me_t* entry : {&fence_, &end_}) {
    check(PtlMEAttach(client_.ni(), table_entry(), kAnybody, nothing, 0, PTL_RETAIN, PTL_INS_AFTER, entry),
          "PtlMEAttach");
  }
  for (Buffer& buffer : buffers_) {
    buffer.memory = std::make_unique_for_overwrite<std::byte[]>(settings_.unexpected_bytes);
    link(buffer);
  }
  check(PtlMDBind(client_.ni(), memory(copies_.memory(), copies_.bytes(), 0, copies_handler_), PTL_RETAIN,
                  &copies_md_),
        "PtlMDBind");
}

ptl_md_t PortalsMpi::memory(void* start, std::size_t bytes, unsigned options, EventHandler& handler) const {
  return portals3::descriptor(start, bytes, options, &handler, queue_);
}

void PortalsMpi::link(Buffer& buffer) {
  ptl_handle_me_t entry;
  // Matches all messages except the data of a rendezvous, which are only fetched.
  check(PtlMEInsert(end_, kAnybody, 0, ~kProtocolMask | bits(Protocol::kData, 0, 0), PTL_UNLINK,
                    PTL_INS_BEFORE, &entry),
        "PtlMEInsert of an unexpected buffer");
  ptl_md_t md = memory(
      buffer.memory.get(), settings_.unexpected_bytes,
      PTL_MD_OP_PUT | PTL_MD_MAX_SIZE | PTL_MD_FLAG_AUTO_UNLINK | PTL_MD_EVENT_AUTO_UNLINK_ENABLE, buffer);
  md.options &= ~static_cast<unsigned>(PTL_MD_EVENT_START_DISABLE);
  md.max_size = settings_.eager_bytes;
  ptl_handle_md_t handle;
  check(PtlMDAttach(entry, md, PTL_UNLINK, &handle), "PtlMDAttach of an unexpected buffer");
  buffer.linked = true;
}

Operation PortalsMpi::isend(const void* data, std::size_t bytes, RankId to, Tag tag) {
  const std::lock_guard guard(mutex_);
  spend(kMpiSend, bytes);
  Operation operation;
  Record& record = records_.create(&operation);
  record.name = operation;
  if (bytes > settings_.eager_bytes) {
    // The receiver fetches it under the operation's own number.
    ptl_handle_me_t entry;
    check(PtlMEInsert(fence_, client_.process(to), bits(Protocol::kData, 0, operation), 0, PTL_UNLINK,
                      PTL_INS_BEFORE, &entry),
          "PtlMEInsert of a rendezvous");
    ptl_md_t md = memory(const_cast<void*>(data), bytes, PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE, record);
    md.threshold = 1;
    ptl_handle_md_t unlinks_itself;
    check(PtlMDAttach(entry, md, PTL_UNLINK, &unlinks_itself), "PtlMDAttach of a rendezvous");
    check(PtlPutRegion(copies_md_, 0, 0, PTL_NO_ACK_REQ, client_.process(to), table_entry(), 0,
                       bits(Protocol::kAnnounce, rank_, tag), 0, std::uint64_t{operation} << 32 | bytes),
          "PtlPutRegion of an announcement");
    return operation;
  }
  ptl_handle_md_t md = copies_md_;
  std::size_t offset = 0;
  if (bytes <= settings_.copied_bytes) record.copy = copies_.take();
  if (record.copy != ChunkPool::kNone) {
    offset = record.copy;
    if (bytes != 0) {
      spend(world::kCopy, bytes);
      std::memcpy(copies_.at(offset), data, bytes);
    }
  } else {
    check(PtlMDBind(client_.ni(), memory(const_cast<void*>(data), bytes, 0, record), PTL_RETAIN, &md),
          "PtlMDBind");
    record.md = md;
  }
  check(PtlPutRegion(md, offset, bytes, PTL_NO_ACK_REQ, client_.process(to), table_entry(), 0,
                     bits(Protocol::kEager, rank_, tag), 0, operation),
        "PtlPutRegion");
  return operation;
}

Operation PortalsMpi::irecv(void* buffer, std::size_t room, RankId from, Tag tag) {
  const std::lock_guard guard(mutex_);
  spend(kMpiReceive);
  Operation operation;
  Record& record = records_.create(&operation);
  record.name = operation;
  record.buffer = buffer;
  record.room = room;
  record.from = from;
  record.tag = tag;
  const ptl_match_bits_t ignored = (from == kAnySource ? kSourceMask : 0) |
                                   (bits(Protocol::kEager, 0, 0) ^ bits(Protocol::kAnnounce, 0, 0));
  const RankId source = from == kAnySource ? 0 : from;
  ptl_md_t wanted = memory(buffer, room, PTL_MD_OP_PUT | PTL_MD_TRUNCATE, record);
  wanted.threshold = 0;
  ptl_handle_md_t posted = PTL_INVALID_HANDLE;
  for (;;) {
    if (take_unexpected(record)) {
      if (record.me != PTL_INVALID_HANDLE) PtlMEUnlink(record.me);
      record.me = PTL_INVALID_HANDLE;
      return operation;
    }
    if (record.me == PTL_INVALID_HANDLE) {
      check(PtlMEInsert(fence_, kAnybody, bits(Protocol::kEager, source, tag), ignored, PTL_UNLINK,
                        PTL_INS_BEFORE, &record.me),
            "PtlMEInsert of a receive");
      check(PtlMDAttach(record.me, wanted, PTL_UNLINK, &posted), "PtlMDAttach of a receive");
      wanted.threshold = 1;
    }
    const int code = PtlMDUpdate(posted, nullptr, &wanted, queue_);
    if (code == PTL_OK) return operation;  // it unlinks itself when it has taken its message
    if (code != PTL_MD_NO_UPDATE) check(code, "PtlMDUpdate of a receive");
    progress();
  }
}

bool PortalsMpi::test(Operation operation, Status* status) {
  const std::lock_guard guard(mutex_);
  Record* record = records_.find(operation);
  if (!record) return false;
  if (!record->done) {
    progress();
    if (!record->done) return false;
  }
  if (status) *status = record->status;
  if (record->md != PTL_INVALID_HANDLE) check(PtlMDUnlink(record->md), "PtlMDUnlink");
  if (record->copy != ChunkPool::kNone) copies_.give_back(record->copy);
  records_.retire(operation);
  return true;
}

void PortalsMpi::count_resources(observe::ResourceCounts& counts) {
  const std::lock_guard guard(mutex_);
  counts.holds("messages that nobody has received", unexpected_.size());
  counts.holds("copies of messages", copies_.taken_chunks());
}

void PortalsMpi::progress() {
  ptl_event_t next;
  for (;;) {
    const int code = PtlEQGet(queue_, &next);
    if (code == PTL_EQ_EMPTY) return;
    if (code == PTL_EQ_DROPPED) fatal(kName, "the event queue overflowed");
    check(code, "PtlEQGet");
    client_.check_event(next);
    static_cast<EventHandler*>(next.md.user_ptr)->happened(*this, next);
  }
}

void PortalsMpi::buffer_event(Buffer& buffer, const ptl_event_t& event) {
  if (event.type == PTL_EVENT_PUT_START) begun(buffer, event);
  if (event.type == PTL_EVENT_PUT_END) completed(event);
  if (event.type != PTL_EVENT_UNLINK) return;
  buffer.linked = false;
  if (buffer.messages == 0) link(buffer);
}

void PortalsMpi::operation_event(Record& record, const ptl_event_t& event) {
  if (event.type == PTL_EVENT_SEND_END) return sent(event);
  if (records_.find(record.name) != &record) return;  // it is over
  if (event.type == PTL_EVENT_PUT_END) expected(record, event);
  // The peer has fetched this rank's rendezvous, or this rank has fetched the peer's.
  if (event.type == PTL_EVENT_GET_END || event.type == PTL_EVENT_REPLY_END) record.done = true;
}

// Handles the end of a send; an announcement has none.
void PortalsMpi::sent(const ptl_event_t& event) {
  if (event.type != PTL_EVENT_SEND_END || protocol_in(event.match_bits) != Protocol::kEager) return;
  if (Record* record = records_.find(static_cast<Operation>(event.hdr_data))) record->done = true;
}

PortalsMpi::Envelope PortalsMpi::envelope_in(const ptl_event_t& event) {
  const bool is_announcement = protocol_in(event.match_bits) == Protocol::kAnnounce;
  return {source_in(event.match_bits), static_cast<Tag>(event.match_bits), is_announcement,
          is_announcement ? event.hdr_data & 0xffffffff : event.rlength,
          static_cast<std::uint32_t>(event.hdr_data >> 32)};
}

// A message has come for a posted receive.
void PortalsMpi::expected(Record& record, const ptl_event_t& event) {
  spend(kMpiArrival);
  record.me = PTL_INVALID_HANDLE;
  const Envelope envelope = envelope_in(event);
  envelope.is_announcement ? fetch(record, envelope) : finish(record, envelope);
}

// An unexpected message begins to arrive.
void PortalsMpi::begun(Buffer& buffer, const ptl_event_t& event) {
  ++buffer.messages;
  unexpected_.push_back({envelope_in(event), event.sequence,
                         static_cast<const std::byte*>(event.md.start) + event.offset, &buffer});
}

// An unexpected message is complete; a receive may have taken it meanwhile.
void PortalsMpi::completed(const ptl_event_t& event) {
  const auto message = std::find_if(unexpected_.begin(), unexpected_.end(), [&](const Unexpected& each) {
    return each.start == event.link && !each.whole;
  });
  if (message == unexpected_.end()) fatal(kName, "a message ended that had not begun");
  message->whole = true;
  if (message->taker == 0) return;
  if (Record* record = records_.find(message->taker)) hand_over(*message, *record);
  forget(message);
}

// The oldest message that the receive would have matched, if there is one.
bool PortalsMpi::take_unexpected(Record& record) {
  for (auto message = unexpected_.begin(); message != unexpected_.end(); ++message) {
    const Envelope& envelope = message->envelope;
    if (message->taker != 0 || envelope.tag != record.tag ||
        (record.from != kAnySource && record.from != envelope.source))
      continue;
    if (message->whole) {
      hand_over(*message, record);
      forget(message);
    } else {
      message->taker = record.name;
    }
    return true;
  }
  return false;
}

void PortalsMpi::hand_over(const Unexpected& message, Record& record) {
  spend(kMpiUnexpected);
  const Envelope& envelope = message.envelope;
  if (envelope.is_announcement) return fetch(record, envelope);
  if (envelope.bytes <= record.room && envelope.bytes != 0) {
    spend(world::kCopy, envelope.bytes);
    std::memcpy(record.buffer, message.data, envelope.bytes);
  }
  finish(record, envelope);
}

void PortalsMpi::forget(std::deque<Unexpected>::iterator message) {
  Buffer& buffer = *message->buffer;
  unexpected_.erase(message);
  if (--buffer.messages == 0 && !buffer.linked) link(buffer);
}

void PortalsMpi::fetch(Record& record, const Envelope& envelope) {
  check_room(record.room, envelope.source, envelope.bytes);
  record.status = {envelope.source, envelope.bytes};
  check(PtlMDBind(client_.ni(), memory(record.buffer, envelope.bytes, 0, record), PTL_RETAIN, &record.md),
        "PtlMDBind");
  check(PtlGetRegion(record.md, 0, envelope.bytes, client_.process(envelope.source), table_entry(), 0,
                     bits(Protocol::kData, 0, envelope.number), 0),
        "PtlGetRegion of a rendezvous");
}

void PortalsMpi::finish(Record& record, const Envelope& envelope) {
  check_room(record.room, envelope.source, envelope.bytes);
  record.status = {envelope.source, envelope.bytes};
  record.done = true;
}

}  // namespace aqueduct::parts
