#include "extended/vis/packed.hpp"

#include "extended/messages.hpp"
#include "extended/vis/state.hpp"
#include "extended/vis/stretch.hpp"

namespace aqueduct::extended::vis {
namespace {

using am::Category;
using am::Message;
using core::Internal;

void on_put(gex_Token_t token, void* message_payload, std::size_t message_bytes, gex_AM_Arg_t pending_low,
            gex_AM_Arg_t pending_high, gex_AM_Arg_t levels, gex_AM_Arg_t header_bytes) {
  const auto* header = static_cast<const std::byte*>(message_payload);
  const auto header_size = static_cast<std::size_t>(header_bytes);
  const std::byte* payload = header + header_size;
  move_described({levels, header_size, message_bytes - header_size}, header, [&](const Piece& piece) {
    copy_piece(piece.address, payload, piece.bytes);
    payload += piece.bytes;
  });
  const std::int32_t args[] = {pending_low, pending_high};
  Message message;
  message.nargs = 2;
  message.args = args;
  count_served(token, observe::TransferKind::kPut);
  reply("vis", token, message, Internal::kPutDone);
}

// The six arguments after the first three come back unchanged with the data.
void on_get(gex_Token_t token, void* message_payload, std::size_t message_bytes, gex_AM_Arg_t levels,
            gex_AM_Arg_t payload_bytes, gex_AM_Arg_t record_low, gex_AM_Arg_t record_high,
            gex_AM_Arg_t index_low, gex_AM_Arg_t index_high, gex_AM_Arg_t skip_low, gex_AM_Arg_t skip_high) {
  std::byte* const buffer = state(core::this_thread("vis")).gather_buffer();
  std::byte* end = buffer;
  move_described({levels, message_bytes, static_cast<std::size_t>(payload_bytes)},
                 static_cast<const std::byte*>(message_payload), [&](const Piece& piece) {
                   copy_piece(end, piece.address, piece.bytes);
                   end += piece.bytes;
                 });
  const std::int32_t args[] = {record_low, record_high, index_low, index_high, skip_low, skip_high};
  Message message;
  message.category = Category::kMedium;
  message.nargs = 6;
  message.args = args;
  message.payload = buffer;
  message.payload_bytes = static_cast<std::size_t>(end - buffer);
  count_served(token, observe::TransferKind::kGet);
  reply("vis", token, message, Internal::kVisGetData);
}

void on_get_data(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t record_low,
                 gex_AM_Arg_t record_high, gex_AM_Arg_t index_low, gex_AM_Arg_t index_high,
                 gex_AM_Arg_t skip_low, gex_AM_Arg_t skip_high) {
  auto& record = *join<GetRecord>(record_low, record_high);
  const Position position{join_bits(index_low, index_high), join_bits(skip_low, skip_high)};
  std::visit(
      [&](const auto& local) {
        auto walk = local.walk(position);
        unpack(walk, static_cast<const std::byte*>(payload), bytes);
      },
      record.local);
  Pending& pending = *record.pending;
  record.release();
  count_down(token, observe::TransferKind::kGet, pending);
}

// Sends one request of a transfer. Only the first may be refused, and only with GEX_FLAG_IMMEDIATE.
bool send(const char* where, Thread& thread, RankId target, Message& message, Internal handler,
          Pending& pending, gex_Flags_t flags) {
  message.category = Category::kMedium;
  message.handler = static_cast<std::uint8_t>(handler);
  const auto what = handler == Internal::kVisPut ? observe::TransferKind::kPut : observe::TransferKind::kGet;
  count_up(thread, target, what, pending);
  if (core::send_request(where, thread, target, message, flags) == GASNET_OK) return true;
  return take_back(thread, target, what, pending) == GASNET_OK;
}

}  // namespace

void register_packed(core::HandlerTable& handlers) {
  handlers.add_internal(Internal::kVisPut, reinterpret_cast<gex_AM_Fn_t>(&on_put), 4, "packed put");
  handlers.add_internal(Internal::kVisGet, reinterpret_cast<gex_AM_Fn_t>(&on_get), 8, "packed get");
  handlers.add_internal(Internal::kVisGetData, reinterpret_cast<gex_AM_Fn_t>(&on_get_data), 6,
                        "packed get data");
}

template <class Description>
Started packed_put(const char* where, Thread& thread, RankId target, const Description& remote,
                   const Description& local, Pending& pending, gex_Flags_t flags) {
  const Room room{thread.rank.limits().max_medium, true};
  const Halves counter = split(&pending);
  auto remote_walk = remote.walk({});
  auto local_walk = local.walk({});
  while (local_walk.piece().bytes != 0) {
    std::byte* const buffer = state(thread).pack_buffer();
    const Stretch stretch = describe(remote_walk, buffer, room);
    pack(local_walk, buffer + stretch.header_bytes, stretch.payload_bytes);
    const std::int32_t args[] = {counter.low, counter.high, stretch.levels,
                                 static_cast<std::int32_t>(stretch.header_bytes)};
    Message message;
    message.nargs = 4;
    message.args = args;
    message.payload = buffer;
    message.payload_bytes = stretch.header_bytes + stretch.payload_bytes;
    if (!send(where, thread, target, message, Internal::kVisPut, pending, flags)) return Started::kNotNow;
    flags &= ~gex_Flags_t{GEX_FLAG_IMMEDIATE};
  }
  return Started::kStarted;
}

template <class Description>
Started packed_get(const char* where, Thread& thread, RankId target, const Description& local,
                   const Description& remote, Pending& pending, gex_Flags_t flags) {
  const Room room{thread.rank.limits().max_medium, false};
  GetRecord& record = *state(thread).records.take();
  record.local = local;
  record.pending = &pending;
  record.holders.store(1, std::memory_order_relaxed);
  const Halves name = split(&record);
  Started started = Started::kStarted;
  auto remote_walk = remote.walk({});
  // Goes over the copy: strides belong to the client again when the call returns, and so does `local`.
  auto local_walk = std::get<Description>(record.local).walk({});
  while (local_walk.piece().bytes != 0) {
    std::byte* const buffer = state(thread).pack_buffer();
    const Stretch stretch = describe(remote_walk, buffer, room);
    const Halves index = split(local_walk.position().index), skip = split(local_walk.position().skip);
    const std::int32_t args[] = {stretch.levels, static_cast<std::int32_t>(stretch.payload_bytes),
                                 name.low,       name.high,
                                 index.low,      index.high,
                                 skip.low,       skip.high};
    Message message;
    message.nargs = 8;
    message.args = args;
    message.payload = buffer;
    message.payload_bytes = stretch.header_bytes;
    record.holders.fetch_add(1, std::memory_order_relaxed);
    if (!send(where, thread, target, message, Internal::kVisGet, pending, flags)) {
      record.holders.fetch_sub(1, std::memory_order_relaxed);
      started = Started::kNotNow;
      break;
    }
    flags &= ~gex_Flags_t{GEX_FLAG_IMMEDIATE};
    for (std::size_t left = stretch.payload_bytes; left != 0;) {
      const std::size_t piece = std::min(local_walk.piece().bytes, left);
      local_walk.advance(piece);
      left -= piece;
    }
  }
  record.release();
  return started;
}

template Started packed_put(const char*, Thread&, RankId, const MemvecList&, const MemvecList&, Pending&,
                            gex_Flags_t);
template Started packed_put(const char*, Thread&, RankId, const IndexedList&, const IndexedList&, Pending&,
                            gex_Flags_t);
template Started packed_put(const char*, Thread&, RankId, const StridedRegion&, const StridedRegion&,
                            Pending&, gex_Flags_t);
template Started packed_get(const char*, Thread&, RankId, const MemvecList&, const MemvecList&, Pending&,
                            gex_Flags_t);
template Started packed_get(const char*, Thread&, RankId, const IndexedList&, const IndexedList&, Pending&,
                            gex_Flags_t);
template Started packed_get(const char*, Thread&, RankId, const StridedRegion&, const StridedRegion&,
                            Pending&, gex_Flags_t);

}  // namespace aqueduct::extended::vis
