// How the chunks of flows begin and go on (transfers.hpp).
#include <algorithm>

#include "extended/device/transfers.hpp"
#include "extended/messages.hpp"

namespace aqueduct::extended::device_memory {
namespace {

using am::Category;
using am::Message;
using core::Internal;

// Of a message that may be refused.
bool try_to_send(const char* where, Thread& thread, RankId target, Message& message, Internal handler) {
  message.handler = static_cast<std::uint8_t>(handler);
  return core::send_request(where, thread, target, message, GEX_FLAG_IMMEDIATE) == GASNET_OK;
}

void source_was_read(Flow& flow, std::size_t bytes) {
  flow.read += bytes;
  if (flow.read != flow.bytes || !flow.unreleased) return;
  flow.unreleased->fetch_sub(1, std::memory_order_release);
  flow.unreleased = nullptr;
}

}  // namespace

int ask_for_pieces(const char* where, Thread& thread, const Flow& get, gex_Flags_t flags) {
  const Halves source = split(get.there + get.begun), place = split(get.here + get.begun),
               counter = split(get.pending), card = split(get.card),
               size = split(static_cast<std::uint64_t>(get.bytes - get.begun));
  const std::int32_t args[] = {source.low,
                               source.high,
                               place.low,
                               place.high,
                               counter.low,
                               counter.high,
                               card.low,
                               card.high,
                               size.low,
                               size.high,
                               static_cast<std::int32_t>(get.piece_bytes)};
  Message message;
  message.handler = static_cast<std::uint8_t>(Internal::kDeviceGet);
  message.nargs = 11;
  message.args = args;
  return core::send_request(where, thread, get.peer.rank, message, flags);
}

int fetch(const char* where, Thread& thread, const Flow& get, std::size_t offset, std::size_t bytes,
          std::byte* to, Pending* pending, gex_Flags_t flags) {
  const Halves from = split(get.there + offset), place = split(to), counter = split(pending),
               size = split(static_cast<std::uint64_t>(bytes));
  const std::int32_t args[] = {from.low,    from.high,    place.low,
                               place.high,  size.low,     size.high,
                               counter.low, counter.high, static_cast<std::int32_t>(get.piece_bytes)};
  Message message;
  message.handler = static_cast<std::uint8_t>(Internal::kDeviceFetch);
  message.nargs = 9;
  message.args = args;
  return core::send_request(where, thread, get.peer.rank, message, flags);
}

void Transfers::is_copied(void* subject, std::uint64_t) {
  auto& chunk = *static_cast<Chunk*>(subject);
  if (chunk.flow->kind == Flow::Kind::kGetHost) {
    chunk.state = Chunk::State::kFinished;
    return;
  }
  chunk.state = Chunk::State::kReady;
  source_was_read(*chunk.flow, chunk.bytes);
}

// What has not begun never will.
void Transfers::lose(Flow& flow) {
  const std::size_t left = flow.bytes - flow.begun;
  flow.begun = flow.bytes;
  flow.finished += left;
  source_was_read(flow, left);
}

bool Transfers::begin(Thread& thread, Flow& flow) {
  if (flow.begun == flow.bytes) return false;
  const bool is_for_host = flow.kind == Flow::Kind::kPutHost || flow.kind == Flow::Kind::kGetHost;
  if (!is_for_host && is_lost(flow.peer.rank)) {
    lose(flow);
    return true;
  }
  if (flow.kind == Flow::Kind::kGet) return begin_get(thread, flow);
  bool moved = false;
  if (flow.kind == Flow::Kind::kPut && !flow.by_messages && !flow.has_asked) {
    if (!ask_for_slots(thread, flow)) return false;
    moved = true;
  }
  while (flow.begun != flow.bytes) {
    Chunk* const chunk = begin_chunk(flow);
    if (!chunk) break;
    if (flow.kind == Flow::Kind::kGetHost) {
      const auto* const from = reinterpret_cast<const void*>(flow.there + chunk->offset);
      if (extended::start_get(flow.where, thread, flow.peer.rank, chunk->memory, from, chunk->bytes,
                              chunk->pending, GEX_FLAG_IMMEDIATE, flow.peer.remote) == Started::kNotNow) {
        out_.give_back(chunk->memory);
        free_chunks_.push_back(std::move(chunks_.back()));
        chunks_.pop_back();
        break;
      }
      chunk->state = Chunk::State::kTransferring;
    } else if (flow.card) {
      chunk->state = Chunk::State::kCopying;
      copy(*flow.card, chunk->memory, flow.here + chunk->offset, chunk->bytes, Direction::kFromDevice,
           out_.range(), {&is_copied, chunk, 0});
    } else {
      chunk->state = Chunk::State::kReady;
    }
    flow.begun += chunk->bytes;
    moved = true;
  }
  return moved;
}

bool Transfers::ask_for_slots(Thread& thread, Flow& flow) {
  const Halves number = split(flow.number);
  const std::int32_t args[] = {
      number.low, number.high,
      static_cast<std::int32_t>((flow.bytes + flow.chunk_bytes - 1) / flow.chunk_bytes)};
  Message message;
  message.nargs = 3;
  message.args = args;
  flow.has_asked = try_to_send(flow.where, thread, flow.peer.rank, message, Internal::kDeviceAsk);
  return flow.has_asked;
}

// The slots are known to those who take in what comes there; nothing else is left to do for the flow.
bool Transfers::begin_get(Thread& thread, Flow& flow) {
  if (!slots_.has_any(Slot::Use::kGet)) {
    if (ask_for_pieces(flow.where, thread, flow, GEX_FLAG_IMMEDIATE) != GASNET_OK) return false;
    flow.finished += flow.bytes - flow.begun;
    flow.begun = flow.bytes;
    return true;
  }
  bool moved = false;
  while (flow.begun != flow.bytes) {
    Slot* const slot = slots_.take(Slot::Use::kGet, flow.peer.rank);
    if (!slot) break;
    const std::size_t bytes = std::min(flow.chunk_bytes, flow.bytes - flow.begun);
    slot->to = flow.here + flow.begun;
    slot->card = flow.card;
    slot->pending = reinterpret_cast<Pending*>(flow.pending);
    slot->pieces = flow.pieces_of(bytes);
    if (fetch(flow.where, thread, flow, flow.begun, bytes, slot->memory, nullptr, GEX_FLAG_IMMEDIATE) !=
        GASNET_OK) {
      slots_.give_back(*slot);
      break;
    }
    flow.begun += bytes;
    flow.finished += bytes;
    moved = true;
  }
  return moved;
}

// Null if there is no memory for it now, or it has to wait for a slot first.
Chunk* Transfers::begin_chunk(Flow& flow) {
  const bool needs_slot = flow.kind == Flow::Kind::kPut && !flow.by_messages;
  std::byte* memory = flow.here + flow.begun;
  if (needs_slot && flow.granted.empty() && (!flow.card || 2 * (without_slots_ + 1) > out_.count()))
    return nullptr;
  if (flow.card && !(memory = out_.take())) return nullptr;
  std::unique_ptr<Chunk> chunk;
  if (free_chunks_.empty()) {
    chunk = std::make_unique<Chunk>();
  } else {
    chunk = std::move(free_chunks_.back());
    free_chunks_.pop_back();
  }
  chunk->flow = &flow;
  chunk->memory = memory;
  chunk->offset = flow.begun;
  chunk->bytes = std::min(flow.chunk_bytes, flow.bytes - flow.begun);
  chunk->sent = 0;
  chunk->slot = flow.kind == Flow::Kind::kAnswer && !flow.by_messages ? flow.there + flow.begun : 0;
  chunk->needs_slot = needs_slot;
  if (needs_slot) ++without_slots_;
  chunks_.push_back(std::move(chunk));
  return chunks_.back().get();
}

bool Transfers::send_chunk(Thread& thread, Chunk& chunk) {
  Flow& flow = *chunk.flow;
  if (flow.kind == Flow::Kind::kPutHost) return put_chunk(thread, chunk);
  if (chunk.needs_slot) {
    const bool goes_nowhere = is_lost(flow.peer.rank);
    if (flow.granted.empty() && !flow.by_messages && !goes_nowhere) return false;
    chunk.needs_slot = false;
    --without_slots_;
    if (!flow.granted.empty()) {
      chunk.slot = flow.granted.back();
      flow.granted.pop_back();
    }
  }
  return chunk.slot != 0 ? send_long(thread, chunk) : send_pieces(thread, chunk);
}

// Without the checks of core::send_request(): a slot is in no segment that clients know.
bool Transfers::send_long(Thread& thread, Chunk& chunk) {
  const Flow& flow = *chunk.flow;
  const bool is_put = flow.kind == Flow::Kind::kPut;
  const Halves to = split(flow.there + chunk.offset), counter = split(flow.pending);
  const auto pieces = static_cast<std::int32_t>(flow.pieces_of(chunk.bytes));
  const std::int32_t put_args[] = {counter.low, counter.high, pieces, to.low, to.high};
  Message message;
  message.category = Category::kLong;
  message.handler = static_cast<std::uint8_t>(is_put ? Internal::kDeviceChunk : Internal::kDeviceFetched);
  message.nargs = is_put ? 5 : 3;
  message.args = put_args;
  message.payload = chunk.memory;
  message.payload_bytes = chunk.bytes;
  message.destination = reinterpret_cast<void*>(chunk.slot);
  message.unreleased = &chunk.unreleased;
  message.is_lent = true;
  if (core::post_request(thread, flow.peer.rank, message, 0, GEX_FLAG_IMMEDIATE) != GASNET_OK) return false;
  chunk.state = Chunk::State::kTransferring;
  return true;
}

// What is ready of a chunk, as far as the network takes it.
bool Transfers::send_pieces(Thread& thread, Chunk& chunk) {
  const Flow& flow = *chunk.flow;
  const bool is_put = flow.kind == Flow::Kind::kPut;
  bool moved = false;
  while (chunk.sent != chunk.bytes) {
    const Halves to = split(flow.there + chunk.offset + chunk.sent);
    const Halves counter = split(flow.pending), card = split(flow.peers_card);
    const std::int32_t args[] = {to.low, to.high, counter.low, counter.high, card.low, card.high};
    Message message;
    message.category = Category::kMedium;
    message.nargs = is_put ? 4 : 6;
    message.args = args;
    message.payload = chunk.memory + chunk.sent;
    message.payload_bytes = std::min(flow.piece_bytes, chunk.bytes - chunk.sent);
    if (!try_to_send(flow.where, thread, flow.peer.rank, message,
                     is_put ? Internal::kDevicePut : Internal::kDeviceData))
      return moved;
    chunk.sent += message.payload_bytes;
    moved = true;
  }
  chunk.state = Chunk::State::kFinished;
  return true;
}

bool Transfers::put_chunk(Thread& thread, Chunk& chunk) {
  const Flow& flow = *chunk.flow;
  auto* const to = reinterpret_cast<void*>(flow.there + chunk.offset);
  if (extended::start_lent_put(flow.where, thread, flow.peer.rank, to, chunk.memory, chunk.bytes,
                               chunk.pending, GEX_FLAG_IMMEDIATE, flow.peer.remote,
                               conduit::Reuse::kWhenDone) == Started::kNotNow)
    return false;
  chunk.state = Chunk::State::kTransferring;
  return true;
}

// The next step of a chunk, if it can be done.
bool Transfers::move(Thread& thread, Chunk& chunk) {
  if (chunk.state == Chunk::State::kReady) return send_chunk(thread, chunk);
  if (chunk.state != Chunk::State::kTransferring || chunk.pending.load(std::memory_order_acquire) != 0 ||
      chunk.unreleased.load(std::memory_order_acquire) != 0)
    return false;
  const Flow& flow = *chunk.flow;
  if (flow.kind != Flow::Kind::kGetHost) {
    chunk.state = Chunk::State::kFinished;
    return true;
  }
  chunk.state = Chunk::State::kCopying;
  copy(*flow.card, flow.here + chunk.offset, chunk.memory, chunk.bytes, Direction::kToDevice, out_.range(),
       {&is_copied, &chunk, 0});
  return true;
}

// A Long to a rank that has died: not every network says that it will not read the payload any more.
bool Transfers::is_held_for_the_dead(const Chunk& chunk) const {
  return chunk.state == Chunk::State::kTransferring && chunk.slot != 0 && is_lost(chunk.flow->peer.rank) &&
         chunk.unreleased.load(std::memory_order_acquire) != 0;
}

bool Transfers::move_chunks(Thread& thread) {
  bool moved = false;
  for (std::size_t i = 0; i < chunks_.size();) {
    Chunk& chunk = *chunks_[i];
    moved |= move(thread, chunk);
    const bool is_abandoned = is_held_for_the_dead(chunk);
    if (chunk.state != Chunk::State::kFinished && !is_abandoned) {
      ++i;
      continue;
    }
    Flow& flow = *chunk.flow;
    flow.finished += chunk.bytes;
    if (!flow.card) {
      source_was_read(flow, chunk.bytes);
    } else if (is_abandoned) {
      out_.replace_one();
    } else {
      out_.give_back(chunk.memory);
    }
    (is_abandoned ? abandoned_ : free_chunks_).push_back(std::move(chunks_[i]));
    chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(i));
    moved = true;
  }
  return moved;
}

}  // namespace aqueduct::extended::device_memory
