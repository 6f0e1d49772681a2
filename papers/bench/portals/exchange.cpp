#include "exchange.hpp"

#include <algorithm>
#include <cstring>

namespace aqueduct::bench::portals {
namespace {

constexpr ptl_pt_index_t kPortal = 4;
constexpr ptl_ac_index_t kAccess = 0;
constexpr ptl_match_bits_t kBits = 0x5ea57a5;
/// Operations at the start of a run that are not timed; fewer where each takes long.
constexpr std::uint64_t kWarmUp = 4;
constexpr std::uint64_t kLongWarmUp = 1;
constexpr std::size_t kLong = 64 << 10;
/// Most operations of a stream between two rounds of waiting, which bounds the events that can be queued up.
constexpr std::uint64_t kStreamRound = 512;
constexpr ptl_size_t kEvents = 4 * kStreamRound;

bool is_get(Pattern pattern) {
  return pattern == Pattern::kGet || pattern == Pattern::kBidirectionalGet || pattern == Pattern::kGetStream;
}

/// Fills with bytes that differ between places and sides.
void fill(std::vector<std::byte>& bytes, bool leads) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>((i * 131 >> 3) + (leads ? 17 : 91));
  }
}

}  // namespace

const char* name_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::kPut:
      return "put";
    case Pattern::kAcknowledgedPut:
      return "acknowledged put";
    case Pattern::kGet:
      return "get";
    case Pattern::kBidirectionalPut:
      return "bidirectional put";
    case Pattern::kBidirectionalGet:
      return "bidirectional get";
    case Pattern::kPutStream:
      return "stream of puts";
    case Pattern::kGetStream:
      return "stream of gets";
  }
  return "";
}

bool is_stream(Pattern pattern) { return pattern == Pattern::kPutStream || pattern == Pattern::kGetStream; }

std::size_t counted_bytes(Pattern pattern, std::size_t bytes) {
  const bool both = pattern == Pattern::kBidirectionalPut || pattern == Pattern::kBidirectionalGet;
  return both ? 2 * bytes : bytes;
}

Exchange::Exchange(const Side& side, Pattern pattern, std::size_t bytes)
    : side_(side), pattern_(pattern), bytes_(bytes), outgoing_(bytes), incoming_(bytes) {
  fill(outgoing_, side.leads);
  must(PtlEQAlloc(side.interface, kEvents, PTL_EQ_HANDLER_NONE, &queue_), "PtlEQAlloc");
  attach();
  // The source of puts, or what gets fill.
  std::vector<std::byte>& mine = is_get(pattern) ? incoming_ : outgoing_;
  const ptl_md_t source{.start = mine.data(),
                        .length = bytes,
                        .threshold = PTL_MD_THRESH_INF,
                        .max_size = 0,
                        .options = 0,
                        .user_ptr = nullptr,
                        .eq_handle = queue_};
  must(PtlMDBind(side.interface, source, PTL_RETAIN, &source_), "PtlMDBind");
  ptl_md_t note = source;
  note.start = nullptr;
  note.length = 0;
  note.eq_handle = PTL_EQ_NONE;
  must(PtlMDBind(side.interface, note, PTL_RETAIN, &note_), "PtlMDBind");
  side_.meet();
}

Exchange::~Exchange() {
  // Nothing is under way on either side: nothing that is closed here can be missed.
  side_.meet();
  PtlMDUnlink(source_);
  PtlMDUnlink(note_);
  PtlMEUnlink(entry_);
  PtlEQFree(queue_);
}

void Exchange::attach() {
  const ptl_process_id_t anybody{PTL_NID_ANY, PTL_PID_ANY};
  must(PtlMEAttach(side_.interface, kPortal, anybody, kBits, 0, PTL_RETAIN, PTL_INS_AFTER, &entry_),
       "PtlMEAttach");
  std::vector<std::byte>& mine = is_get(pattern_) ? outgoing_ : incoming_;
  // Nobody at the target of a get waits for its events, except for the put that says that all is over.
  const unsigned quiet = is_get(pattern_) ? PTL_MD_EVENT_START_DISABLE : 0;
  const ptl_md_t target{.start = mine.data(),
                        .length = bytes_,
                        .threshold = PTL_MD_THRESH_INF,
                        .max_size = 0,
                        .options = PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE | quiet,
                        .user_ptr = nullptr,
                        .eq_handle = queue_};
  must(PtlMDAttach(entry_, target, PTL_RETAIN, &target_), "PtlMDAttach");
}

void Exchange::put(ptl_ack_req_t acknowledge) {
  must(PtlPut(source_, acknowledge, side_.peer, kPortal, kAccess, kBits, 0, 0), "PtlPut");
  ++sends_;
}

void Exchange::get() {
  must(PtlGet(source_, side_.peer, kPortal, kAccess, kBits, 0), "PtlGet");
  ++replies_;
}

void Exchange::await(ptl_event_kind_t kind, std::uint64_t times) {
  while (seen_[kind] < times) {
    ptl_event_t event;
    const int code = PtlEQWait(queue_, &event);
    // Events of gets that nobody waits for may be lost where they come faster than they are looked at.
    if (code != PTL_EQ_DROPPED || side_.leads || !is_get(pattern_)) must(code, "PtlEQWait");
    if (event.ni_fail_type != PTL_NI_OK) {
      throw Failed(std::string(PtlEventKindStr(event.type)) + ": " +
                   PtlNIFailStr(side_.interface, event.ni_fail_type));
    }
    ++seen_[event.type];
  }
}

void Exchange::ping_pong(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    if (side_.leads) put();
    await(PTL_EVENT_PUT_END, ++arrivals_);
    if (!side_.leads) put();
  }
  // Waits until the last put has left, because nobody polls later.
  await(PTL_EVENT_SEND_END, sends_);
}

void Exchange::acknowledged_puts(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    if (side_.leads) {
      put(PTL_ACK_REQ);
      await(PTL_EVENT_ACK, sends_);
    } else {
      await(PTL_EVENT_PUT_END, ++arrivals_);
    }
  }
}

void Exchange::both_put(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    put();
    await(PTL_EVENT_SEND_END, sends_);
    await(PTL_EVENT_PUT_END, ++arrivals_);
  }
}

void Exchange::gets(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    get();
    await(PTL_EVENT_REPLY_END, replies_);
  }
}

void Exchange::put_stream(std::uint64_t count) {
  while (count != 0) {
    const std::uint64_t round = std::min(count, kStreamRound);
    count -= round;
    if (side_.leads) {
      for (std::uint64_t i = 0; i < round; ++i) put();
      await(PTL_EVENT_SEND_END, sends_);
      await(PTL_EVENT_PUT_END, ++arrivals_);
    } else {
      await(PTL_EVENT_PUT_END, arrivals_ += round);
      put();
      await(PTL_EVENT_SEND_END, sends_);
    }
  }
}

void Exchange::get_stream(std::uint64_t count) {
  while (count != 0) {
    const std::uint64_t round = std::min(count, kStreamRound);
    count -= round;
    for (std::uint64_t i = 0; i < round; ++i) get();
    await(PTL_EVENT_REPLY_END, replies_);
  }
}

/// The passive side of gets waits for the message that they are over.
void Exchange::end_of_gets() {
  if (side_.leads) {
    must(PtlPut(note_, PTL_NO_ACK_REQ, side_.peer, kPortal, kAccess, kBits, 0, 0), "PtlPut");
  } else {
    await(PTL_EVENT_PUT_END, ++arrivals_);
  }
}

void Exchange::repeat(std::uint64_t count) {
  const bool acts = side_.leads || pattern_ == Pattern::kBidirectionalGet;
  switch (pattern_) {
    case Pattern::kPut:
      ping_pong(count);
      break;
    case Pattern::kAcknowledgedPut:
      acknowledged_puts(count);
      break;
    case Pattern::kBidirectionalPut:
      both_put(count);
      break;
    case Pattern::kPutStream:
      put_stream(count);
      break;
    case Pattern::kGet:
    case Pattern::kBidirectionalGet:
      if (acts) gets(count);
      break;
    case Pattern::kGetStream:
      if (acts) get_stream(count);
      break;
  }
}

double Exchange::run(std::uint64_t count) {
  std::ranges::fill(incoming_, std::byte{0});
  const std::uint64_t warm_up = bytes_ > kLong ? kLongWarmUp : kWarmUp;
  operations_ += warm_up + count;
  repeat(warm_up);
  side_.meet();
  const double start = side_.now_ns();
  repeat(count);
  const double took = side_.now_ns() - start;
  if (pattern_ == Pattern::kGet || pattern_ == Pattern::kGetStream) end_of_gets();
  side_.meet();
  const double operations = static_cast<double>(count) * (pattern_ == Pattern::kPut ? 2 : 1);
  return took / operations;
}

bool Exchange::intact() const {
  // One side alone receives what is got, acknowledged or streamed.
  const bool one_way = pattern_ == Pattern::kAcknowledgedPut;
  const bool gets_alone = pattern_ == Pattern::kGet || pattern_ == Pattern::kGetStream;
  if ((one_way && side_.leads) || (gets_alone && !side_.leads)) return true;
  std::vector<std::byte> expected(bytes_);
  fill(expected, !side_.leads);
  return incoming_ == expected;
}

}  // namespace aqueduct::bench::portals
