#include "extended/reference_rma.hpp"

#include <algorithm>
#include <cstring>

#include "base/race_hints.hpp"
#include "extended/messages.hpp"
#include "world/work.hpp"

namespace aqueduct::extended {
namespace {

using am::Category;
using am::Message;
using core::Internal;
using observe::TransferKind;

// A piece's size travels as one argument, and pieces of this size keep the alignment of what is cut.
constexpr std::size_t kLargestPiece = std::size_t{1} << 30;

void on_put(gex_Token_t token, void*, std::size_t, gex_AM_Arg_t pending_low, gex_AM_Arg_t pending_high) {
  const std::int32_t args[] = {pending_low, pending_high};
  Message message;
  message.nargs = 2;
  message.args = args;
  count_served(token, TransferKind::kPut);
  reply("rma", token, message, Internal::kPutDone);
}

void on_put_done(gex_Token_t token, gex_AM_Arg_t pending_low, gex_AM_Arg_t pending_high) {
  count_down(token, TransferKind::kPut, *join<Pending>(pending_low, pending_high));
}

// Answered like a put.
void on_fill(gex_Token_t token, gex_AM_Arg_t to_low, gex_AM_Arg_t to_high, gex_AM_Arg_t bytes_low,
             gex_AM_Arg_t bytes_high, gex_AM_Arg_t value, gex_AM_Arg_t pending_low,
             gex_AM_Arg_t pending_high) {
  std::memset(join<void>(to_low, to_high), value,
              reinterpret_cast<std::uintptr_t>(join<void>(bytes_low, bytes_high)));
  on_put(token, nullptr, 0, pending_low, pending_high);
}

// The last argument: whether the destination lies in the segment of the rank that asks.
void on_get(gex_Token_t token, gex_AM_Arg_t from_low, gex_AM_Arg_t from_high, gex_AM_Arg_t to_low,
            gex_AM_Arg_t to_high, gex_AM_Arg_t bytes, gex_AM_Arg_t pending_low, gex_AM_Arg_t pending_high,
            gex_AM_Arg_t as_long) {
  const std::int32_t args[] = {pending_low, pending_high, to_low, to_high};
  message_came(&core::from_handle(token).rank);  // what is got may have been put here by another thread
  Message message;
  message.args = args;
  message.payload = join<void>(from_low, from_high);
  message.payload_bytes = static_cast<std::uint32_t>(bytes);
  count_served(token, TransferKind::kGet);
  if (as_long) {
    message.category = Category::kLong;
    message.destination = join<void>(to_low, to_high);
    message.nargs = 2;
    reply("rma", token, message, Internal::kGetLong);
  } else {
    message.category = Category::kMedium;
    message.nargs = 4;
    reply("rma", token, message, Internal::kGetMedium);
  }
}

void on_get_medium(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t pending_low,
                   gex_AM_Arg_t pending_high, gex_AM_Arg_t to_low, gex_AM_Arg_t to_high) {
  world::spend(world::kCopy, bytes);
  std::memcpy(join<void>(to_low, to_high), payload, bytes);
  count_down(token, TransferKind::kGet, *join<Pending>(pending_low, pending_high));
}

void on_get_long(gex_Token_t token, void*, std::size_t, gex_AM_Arg_t pending_low, gex_AM_Arg_t pending_high) {
  count_down(token, TransferKind::kGet, *join<Pending>(pending_low, pending_high));
}

// Only of an attached segment: a reply to any other would have to be carried.
bool in_own_segment(Rank& rank, const void* address, std::size_t bytes) {
  if (!rank.objects().attached) return false;
  const am::SegmentBounds& mine = rank.objects().bounds[rank.id()];
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - mine.base;
  return offset < mine.size && bytes <= mine.size - offset;
}

// Cuts a transfer into pieces and sends one request for each, made by `describe(offset, bytes, message)`.
template <class Describe>
int send_pieces(Thread& thread, const core::Peer& peer, TransferKind what, std::size_t bytes,
                std::size_t piece, Pending& pending, gex_Flags_t flags, Describe&& describe) {
  const auto pieces = static_cast<std::uint32_t>((bytes + piece - 1) / piece);
  count_up(thread, peer.rank, what, pending, pieces);
  for (std::size_t offset = 0; offset < bytes; offset += piece) {
    Message message;
    describe(offset, std::min(piece, bytes - offset), message);
    if (core::send_request("rma", thread, peer, message, offset == 0 ? flags : 0) != GASNET_OK)
      return take_back(thread, peer.rank, what, pending, pieces);
  }
  return GASNET_OK;
}

}  // namespace

void register_reference_rma(core::HandlerTable& handlers) {
  handlers.add_internal(Internal::kPut, reinterpret_cast<gex_AM_Fn_t>(&on_put), 2, "put");
  handlers.add_internal(Internal::kPutDone, reinterpret_cast<gex_AM_Fn_t>(&on_put_done), 2, "put done");
  handlers.add_internal(Internal::kFill, reinterpret_cast<gex_AM_Fn_t>(&on_fill), 7, "fill");
  handlers.add_internal(Internal::kGet, reinterpret_cast<gex_AM_Fn_t>(&on_get), 8, "get");
  handlers.add_internal(Internal::kGetMedium, reinterpret_cast<gex_AM_Fn_t>(&on_get_medium), 4,
                        "get (copied)");
  handlers.add_internal(Internal::kGetLong, reinterpret_cast<gex_AM_Fn_t>(&on_get_long), 2, "get (in place)");
}

int reference_put(Thread& thread, RankId target, void* to, const void* from, std::size_t bytes,
                  Pending& pending, gex_Flags_t flags, gex_EP_Index_t endpoint) {
  // What must be carried is cut so that each piece is one message.
  const bool is_attached = endpoint == 0 && thread.rank.objects().attached;
  const am::Limits limits = thread.rank.limits();
  const Halves counter = split(&pending);
  const std::int32_t args[] = {counter.low, counter.high};
  const std::size_t most = is_attached ? std::min(limits.max_long, kLargestPiece) : limits.max_medium;
  return send_pieces(thread, {target, endpoint, 0}, TransferKind::kPut, bytes, most, pending, flags,
                     [&](std::size_t offset, std::size_t piece, Message& message) {
                       message.category = Category::kLong;
                       message.handler = static_cast<std::uint8_t>(Internal::kPut);
                       message.nargs = 2;
                       message.args = args;
                       message.payload = static_cast<const std::byte*>(from) + offset;
                       message.payload_bytes = piece;
                       message.destination = static_cast<std::byte*>(to) + offset;
                     });
}

void reference_fill(Thread& thread, RankId target, void* to, int value, std::size_t bytes, Pending& pending) {
  const Halves destination = split(to);
  const Halves size = split(reinterpret_cast<const void*>(bytes));
  const Halves counter = split(&pending);
  const std::int32_t args[] = {destination.low, destination.high, size.low,    size.high,
                               value,           counter.low,      counter.high};
  Message message;
  message.handler = static_cast<std::uint8_t>(Internal::kFill);
  message.nargs = 7;
  message.args = args;
  count_up(thread, target, TransferKind::kPut, pending);
  core::send_request("rma", thread, target, message, 0);
}

int reference_get(Thread& thread, RankId target, void* to, const void* from, std::size_t bytes,
                  Pending& pending, gex_Flags_t flags) {
  const bool as_long = in_own_segment(thread.rank, to, bytes);
  const am::Limits limits = thread.rank.limits();
  const std::size_t piece = as_long ? std::min(limits.max_long, kLargestPiece) : limits.max_medium;
  const Halves counter = split(&pending);
  std::int32_t args[8] = {0, 0, 0, 0, 0, counter.low, counter.high, as_long};
  return send_pieces(thread, {target, 0, 0}, TransferKind::kGet, bytes, piece, pending, flags,
                     [&](std::size_t offset, std::size_t size, Message& message) {
                       const Halves source = split(static_cast<const std::byte*>(from) + offset);
                       const Halves destination = split(static_cast<std::byte*>(to) + offset);
                       args[0] = source.low;
                       args[1] = source.high;
                       args[2] = destination.low;
                       args[3] = destination.high;
                       args[4] = static_cast<std::int32_t>(size);
                       message.handler = static_cast<std::uint8_t>(Internal::kGet);
                       message.nargs = 8;
                       message.args = args;
                     });
}

}  // namespace aqueduct::extended
