#include "extended/device/device_rma.hpp"

#include <algorithm>
#include <cstring>

#include "core/segment.hpp"
#include "extended/device/transfers.hpp"
#include "extended/messages.hpp"
#include "extended/native.hpp"

namespace aqueduct::extended::device_memory {
namespace {

using am::Category;
using am::Message;
using core::DeviceMemory;
using core::Internal;
using core::Peer;
using observe::TransferKind;

/// One side of a transfer, as this process sees it.
struct Side {
  bool is_device = false;
  Card* card = nullptr;       ///< of a device's memory that can be copied from here
  std::byte* here = nullptr;  ///< null: it cannot be reached from here
  HostRange host;             ///< of host memory: what of it may be pinned
};

std::byte* bytes_at(const void* address) { return static_cast<std::byte*>(const_cast<void*>(address)); }

Side local_side(Thread& thread, const Peer& peer, const void* address, std::size_t bytes) {
  Rank& rank = thread.rank;
  DeviceMemory& devices = *rank.objects().devices();
  Side side;
  side.here = bytes_at(address);
  side.card = devices.card_of(address);
  if (!side.card && rank.objects().is_on_device(rank.id(), peer.local)) {
    Card& card = *rank.objects().endpoints.find(peer.local)->segment->card;
    const device::Entered entered(card.driver(), card.context());
    device::Location location;
    card.check(entered.outcome);
    card.check(card.driver().locate(address, &location));
    if (location.is_device) side.card = &card;
  }
  side.is_device = side.card != nullptr;
  if (!side.is_device) side.host = devices.host_range(address, bytes);
  return side;
}

Side remote_side(Thread& thread, const Peer& peer, const void* address, std::size_t bytes) {
  Rank& rank = thread.rank;
  core::Objects& objects = rank.objects();
  DeviceMemory& devices = *objects.devices();
  Side side;
  side.is_device = objects.is_on_device(peer.rank, peer.remote);
  if (peer.rank == rank.id()) {
    side.here = bytes_at(address);
    if (side.is_device) {
      side.card = objects.endpoints.find(peer.remote)->segment->card;
    } else {
      side.host = devices.host_range(address, bytes);
    }
    return side;
  }
  if (rank.options().reference_only) return side;
  if (side.is_device) {
    const core::DevicePlace place = devices.reach({peer.rank, peer.remote}, address);
    side.card = place.card;
    side.here = place.address;
    return side;
  }
  side.here = static_cast<std::byte*>(core::reach(objects, peer.rank, address, bytes, peer.remote));
  if (side.here && peer.remote == 0) {
    const aq_peer_view_ view = objects.segment_of(peer.rank, 0);
    side.host = {side.here - (reinterpret_cast<std::uintptr_t>(address) - view.base_), view.size_};
  }
  return side;
}

// What a copy of the driver completes: the transfer, and the loan of its source.
void is_done(void* pending, std::uint64_t unreleased) {
  if (unreleased != 0) reinterpret_cast<am::Unreleased*>(unreleased)->fetch_sub(1, std::memory_order_release);
  count_down(*static_cast<Pending*>(pending));
}

// Both sides can be reached from here.
void copy(Thread& thread, const Side& to, const Side& from, std::size_t bytes, Pending& pending,
          am::Unreleased* unreleased) {
  Card& card = to.card ? *to.card : *from.card;
  const Direction direction = !to.is_device     ? Direction::kFromDevice
                              : !from.is_device ? Direction::kToDevice
                                                : Direction::kOnDevice;
  pending.fetch_add(1, std::memory_order_relaxed);
  if (unreleased) unreleased->fetch_add(1, std::memory_order_relaxed);
  transfers(thread.rank)
      .copy(card, to.here, from.here, bytes, direction, to.is_device ? from.host : to.host,
            {&is_done, &pending, reinterpret_cast<std::uint64_t>(unreleased)});
}

// What the network itself does of a transfer (conduit/device_transfers.hpp).
struct Direct {
  conduit::DeviceTransfers* network = nullptr;  ///< null: it must be staged
  conduit::DeviceLocal local;
  conduit::DeviceRemote remote;
};

// It knows segments of other endpoints only if they are on devices.
Direct direct_way(Thread& thread, const Peer& peer, const Side& local, const Side& remote, const void* there,
                  std::size_t bytes) {
  Rank& rank = thread.rank;
  core::Objects& objects = rank.objects();
  conduit::DeviceTransfers* const network = rank.conduit().device_transfers();
  // Neighbours look at their mailboxes. Operations over messages are known by their peer, should that one
  // die.
  if (!network || remote.here || rank.is_neighbour(peer.rank) || rank.options().reference_only ||
      rank.failures())
    return {};
  Direct way{network, {local.here, nullptr}, {const_cast<void*>(there), {}}};
  if (local.is_device && !(way.local.added = objects.devices()->network_of(local.here, bytes))) return {};
  if (remote.is_device) {
    way.remote.key = objects.devices()->network_key({peer.rank, peer.remote});
    if (!way.remote.key.is_there) return {};
  } else if (peer.remote != 0 || !objects.attached || objects.segment_everything) {
    return {};
  }
  return way;
}

void count_direct() { core::this_thread("device").record->counters.device_direct.add(); }
void count_staged() { core::this_thread("device").record->counters.device_staged.add(); }

// The peer has died and this rank goes on: what would go there is lost.
bool is_lost(Thread& thread, RankId peer) {
  core::Failures* const failures = thread.rank.failures();
  if (!failures || !failures->is_dead(peer)) return false;
  thread.rank.objects().devices()->release_dead(peer);
  failures->count_lost();
  return true;
}

std::uint32_t pieces_of(std::size_t bytes, std::size_t piece) {
  return static_cast<std::uint32_t>((bytes + piece - 1) / piece);
}

// From the host's memory; the source is free at return.
Started put_messages(const char* where, Thread& thread, const Peer& peer, void* to, const void* from,
                     std::size_t bytes, Pending& pending, gex_Flags_t flags) {
  const std::size_t piece = Transfers::piece_bytes(thread.rank);
  const std::uint32_t pieces = pieces_of(bytes, piece);
  const Halves counter = split(&pending);
  count_up(thread, peer.rank, TransferKind::kPut, pending, pieces);
  for (std::size_t offset = 0; offset < bytes; offset += piece) {
    const Halves place = split(bytes_at(to) + offset);
    const std::int32_t args[] = {place.low, place.high, counter.low, counter.high};
    Message message;
    message.category = Category::kMedium;
    message.handler = static_cast<std::uint8_t>(Internal::kDevicePut);
    message.nargs = 4;
    message.args = args;
    message.payload = bytes_at(from) + offset;
    message.payload_bytes = std::min(piece, bytes - offset);
    if (core::send_request(where, thread, peer.rank, message, offset == 0 ? flags : 0) != GASNET_OK)
      return take_back(thread, peer.rank, TransferKind::kPut, pending, pieces) == GASNET_OK
                 ? Started::kStarted
                 : Started::kNotNow;
  }
  return Started::kStarted;
}

// Whether Longs reach this rank's slots and that one's: not where its memory is reached in another way.
bool uses_longs(const Rank& rank, const Peer& peer, std::size_t bytes) {
  return rank.objects().attached && !rank.is_neighbour(peer.rank) && bytes > Transfers::piece_bytes(rank);
}

// A chunk of host memory is to be one message, or one operation of the network's.
std::size_t chunk_for_host(const Rank& rank, const Peer& peer) {
  const am::Limits limits = rank.limits();
  const bool is_attached = peer.remote == 0 && rank.objects().attached && !rank.objects().segment_everything;
  return std::min(ChunkMemory::kBytes, is_attached ? limits.max_long : limits.max_medium);
}

Flow flow_with(Flow::Kind kind, const char* where, Thread& thread, const Peer& peer, const Side& here,
               const void* there, std::size_t bytes, Pending& pending) {
  Flow flow;
  flow.kind = kind;
  flow.where = where;
  flow.peer = peer;
  flow.card = here.card;
  flow.here = here.here;
  flow.there = reinterpret_cast<std::uint64_t>(there);
  flow.bytes = bytes;
  flow.pending = reinterpret_cast<std::uint64_t>(&pending);
  flow.piece_bytes = Transfers::piece_bytes(thread.rank);
  flow.chunk_bytes = Transfers::chunk_bytes(thread.rank);
  if (kind == Flow::Kind::kPut) {
    flow.by_messages = !uses_longs(thread.rank, peer, bytes);
    count_up(thread, peer.rank, TransferKind::kPut, pending, flow.pieces_of(bytes));
  } else if (kind == Flow::Kind::kGet) {
    count_up(thread, peer.rank, TransferKind::kGet, pending, flow.pieces_of(bytes));
  } else {
    flow.chunk_bytes = chunk_for_host(thread.rank, peer);
    pending.fetch_add(1, std::memory_order_relaxed);
  }
  return flow;
}

int taken_back(Thread& thread, const Peer& peer, const Flow& get, Pending& pending) {
  return take_back(thread, peer.rank, TransferKind::kGet, pending, get.pieces_of(get.bytes));
}

// From a device elsewhere, to the host's memory or to a device here.
Started get_staged(const char* where, Thread& thread, const Peer& peer, const void* from, const Side& local,
                   std::size_t bytes, Pending& pending, gex_Flags_t flags) {
  const core::Objects& objects = thread.rank.objects();
  Transfers& staging = transfers(thread.rank);
  Flow flow = flow_with(Flow::Kind::kGet, where, thread, peer, local, from, bytes, pending);
  const bool in_segment = !local.is_device && objects.bounds[thread.rank.id()].contains(
                                                  reinterpret_cast<std::uintptr_t>(local.here), bytes);
  int result = GASNET_OK;
  if (!uses_longs(thread.rank, peer, bytes) || (!in_segment && objects.staging.bytes == 0)) {
    result = ask_for_pieces(where, thread, flow, flags);
  } else if (in_segment) {
    result = fetch(where, thread, flow, 0, bytes, local.here, &pending, flags);
  } else {
    staging.start(std::move(flow));
  }
  if (result == GASNET_OK || taken_back(thread, peer, flow, pending) == GASNET_OK) return Started::kStarted;
  return Started::kNotNow;
}

void wait_for_source(const char* where, Thread& thread, RankId peer, const am::Unreleased& source) {
  core::wait_until(
      thread, Scope::kAll, [&] { return source.load(std::memory_order_acquire) == 0; },
      [where, peer](observe::WaitRecord& record) {
        record.kind = observe::WaitKind::kRelease;
        record.transfer = TransferKind::kPut;
        record.peer = peer;
        record.set_call(where);
      });
}

// The segment here that a message from `source` may name, and must.
Card& card_named_by(Rank& rank, RankId source, const void* address, std::size_t bytes) {
  DeviceMemory* const devices = rank.objects().devices();
  Card* const card = devices ? devices->card_of(address) : nullptr;
  Card* const last = card ? devices->card_of(bytes_at(address) + bytes - 1) : nullptr;
  if (!card || card != last)
    fatal("device", "rank %u names %zu bytes at %p, which lie in no segment on a device here", source, bytes,
          address);
  return *card;
}

void on_put(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t to_low, gex_AM_Arg_t to_high,
            gex_AM_Arg_t pending_low, gex_AM_Arg_t pending_high) {
  const core::Token& request = core::from_handle(token);
  const RankId source = request.origin.source;
  void* const to = join<void>(to_low, to_high);
  if (bytes == 0) return;
  count_served(token, TransferKind::kPut);
  transfers(request.rank)
      .land({.source = source,
             .card = &card_named_by(request.rank, source, to, bytes),
             .to = to,
             .bytes = bytes,
             .senders = join_bits(pending_low, pending_high)},
            payload);
}

// Parts of a get have come, which are to be counted down there. False if the operation has been given up.
bool is_answered(const core::Token& message, Pending& pending, std::uint32_t parts) {
  const RankId source = message.origin.source;
  core::this_thread("device").count_in_flight(source, TransferKind::kGet, -std::uint64_t{parts});
  core::Failures* const failures = message.rank.failures();
  if (!failures) return true;
  bool is_awaited = true;
  for (std::uint32_t i = 0; i < parts; ++i) is_awaited &= failures->answered(source, pending);
  return is_awaited;
}

void on_put_done(gex_Token_t token, gex_AM_Arg_t pending_low, gex_AM_Arg_t pending_high,
                 gex_AM_Arg_t pieces) {
  for (gex_AM_Arg_t i = 0; i < pieces; ++i)
    count_down(token, TransferKind::kPut, *join<Pending>(pending_low, pending_high));
}

// A flow that answers a get of `source`.
Flow answer_to(Rank& rank, RankId source, std::byte* from, std::uint64_t to, std::size_t bytes,
               std::uint64_t pending, gex_AM_Arg_t piece) {
  Flow flow;
  flow.kind = Flow::Kind::kAnswer;
  flow.where = "device";
  flow.peer = {source, 0, 0};
  flow.here = from;
  flow.there = to;
  flow.bytes = bytes;
  flow.piece_bytes = static_cast<std::size_t>(piece);
  flow.pending = pending;
  if (flow.piece_bytes == 0 || flow.piece_bytes > Transfers::piece_bytes(rank))
    fatal("device", "rank %u asks for pieces of %zu bytes, which no rank does", source, flow.piece_bytes);
  flow.chunk_bytes = Transfers::chunk_bytes(rank) / flow.piece_bytes * flow.piece_bytes;
  flow.card = &card_named_by(rank, source, from, bytes);
  return flow;
}

void on_get(gex_Token_t token, gex_AM_Arg_t from_low, gex_AM_Arg_t from_high, gex_AM_Arg_t to_low,
            gex_AM_Arg_t to_high, gex_AM_Arg_t pending_low, gex_AM_Arg_t pending_high, gex_AM_Arg_t card_low,
            gex_AM_Arg_t card_high, gex_AM_Arg_t bytes_low, gex_AM_Arg_t bytes_high, gex_AM_Arg_t piece) {
  const core::Token& request = core::from_handle(token);
  Flow flow = answer_to(request.rank, request.origin.source, join<std::byte>(from_low, from_high),
                        join_bits(to_low, to_high), join_bits(bytes_low, bytes_high),
                        join_bits(pending_low, pending_high), piece);
  flow.by_messages = true;
  flow.peers_card = join_bits(card_low, card_high);
  count_served(token, TransferKind::kGet);
  transfers(request.rank).start(std::move(flow));
}

void on_data(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t to_low, gex_AM_Arg_t to_high,
             gex_AM_Arg_t pending_low, gex_AM_Arg_t pending_high, gex_AM_Arg_t card_low,
             gex_AM_Arg_t card_high) {
  const core::Token& message = core::from_handle(token);
  const RankId source = message.origin.source;
  auto& pending = *join<Pending>(pending_low, pending_high);
  void* const to = join<void>(to_low, to_high);
  Card* const card = join<Card>(card_low, card_high);
  if (!card) {
    std::memcpy(to, payload, bytes);
    return count_down(token, TransferKind::kGet, pending);
  }
  if (!is_answered(message, pending, 1)) return;
  transfers(message.rank)
      .land({.source = source, .card = card, .to = to, .bytes = bytes, .own = &pending}, payload);
}

void on_ask(gex_Token_t token, gex_AM_Arg_t flow_low, gex_AM_Arg_t flow_high, gex_AM_Arg_t chunks) {
  const core::Token& request = core::from_handle(token);
  transfers(request.rank)
      .ask(request.origin.source, join_bits(flow_low, flow_high), static_cast<std::uint32_t>(chunks));
}

void on_grant(gex_Token_t token, gex_AM_Arg_t flow_low, gex_AM_Arg_t flow_high, gex_AM_Arg_t base_low,
              gex_AM_Arg_t base_high, gex_AM_Arg_t first, gex_AM_Arg_t second, gex_AM_Arg_t third,
              gex_AM_Arg_t fourth) {
  const core::Token& request = core::from_handle(token);
  const std::uint64_t flow = join_bits(flow_low, flow_high), base = join_bits(base_low, base_high);
  Transfers& staging = transfers(request.rank);
  if (first < 0) return staging.granted(request.origin.source, flow, 0);
  for (const gex_AM_Arg_t page : {first, second, third, fourth}) {
    if (page >= 0)
      staging.granted(request.origin.source, flow, base + static_cast<std::uint64_t>(page) * kPage);
  }
}

void on_chunk(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t pending_low,
              gex_AM_Arg_t pending_high, gex_AM_Arg_t pieces, gex_AM_Arg_t to_low, gex_AM_Arg_t to_high) {
  const core::Token& request = core::from_handle(token);
  const RankId source = request.origin.source;
  Transfers& staging = transfers(request.rank);
  Slot* const slot = staging.slot_at(source, payload);
  if (!slot) return;
  void* const to = join<void>(to_low, to_high);
  count_served(token, TransferKind::kPut);
  staging.land({.source = source,
                .card = &card_named_by(request.rank, source, to, bytes),
                .to = to,
                .bytes = bytes,
                .senders = join_bits(pending_low, pending_high),
                .pieces = static_cast<std::uint32_t>(pieces)},
               *slot);
}

void on_fetch(gex_Token_t token, gex_AM_Arg_t from_low, gex_AM_Arg_t from_high, gex_AM_Arg_t to_low,
              gex_AM_Arg_t to_high, gex_AM_Arg_t bytes_low, gex_AM_Arg_t bytes_high, gex_AM_Arg_t pending_low,
              gex_AM_Arg_t pending_high, gex_AM_Arg_t piece) {
  const core::Token& request = core::from_handle(token);
  count_served(token, TransferKind::kGet);
  transfers(request.rank)
      .start(answer_to(request.rank, request.origin.source, join<std::byte>(from_low, from_high),
                       join_bits(to_low, to_high), join_bits(bytes_low, bytes_high),
                       join_bits(pending_low, pending_high), piece));
}

// To a slot if no counter is named; that knows where the data goes.
void on_fetched(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t pending_low,
                gex_AM_Arg_t pending_high, gex_AM_Arg_t pieces) {
  const core::Token& message = core::from_handle(token);
  const RankId source = message.origin.source;
  const auto count = static_cast<std::uint32_t>(pieces);
  if (auto* const pending = join<Pending>(pending_low, pending_high)) {
    if (is_answered(message, *pending, count)) pending->fetch_sub(count, std::memory_order_release);
    return;
  }
  Transfers& staging = transfers(message.rank);
  Slot* const slot = staging.slot_at(source, payload);
  if (!slot) return;
  if (!is_answered(message, *slot->pending, count)) return staging.give_back(*slot);
  const Landing landing{.source = source,
                        .card = slot->card,
                        .to = slot->to,
                        .bytes = bytes,
                        .own = slot->pending,
                        .pieces = count};
  if (landing.card) return staging.land(landing, *slot);
  std::memcpy(landing.to, payload, bytes);
  staging.give_back(*slot);
  landing.own->fetch_sub(count, std::memory_order_release);
}

}  // namespace

void register_handlers(core::HandlerTable& handlers) {
  handlers.add_internal(Internal::kDevicePut, reinterpret_cast<gex_AM_Fn_t>(&on_put), 4, "device put");
  handlers.add_internal(Internal::kDevicePutDone, reinterpret_cast<gex_AM_Fn_t>(&on_put_done), 3,
                        "device put done");
  handlers.add_internal(Internal::kDeviceGet, reinterpret_cast<gex_AM_Fn_t>(&on_get), 11, "device get");
  handlers.add_internal(Internal::kDeviceData, reinterpret_cast<gex_AM_Fn_t>(&on_data), 6, "device data");
  handlers.add_internal(Internal::kDeviceAsk, reinterpret_cast<gex_AM_Fn_t>(&on_ask), 3, "device ask");
  handlers.add_internal(Internal::kDeviceGrant, reinterpret_cast<gex_AM_Fn_t>(&on_grant), 8, "device grant");
  handlers.add_internal(Internal::kDeviceChunk, reinterpret_cast<gex_AM_Fn_t>(&on_chunk), 5, "device chunk");
  handlers.add_internal(Internal::kDeviceFetch, reinterpret_cast<gex_AM_Fn_t>(&on_fetch), 9, "device fetch");
  handlers.add_internal(Internal::kDeviceFetched, reinterpret_cast<gex_AM_Fn_t>(&on_fetched), 3,
                        "device fetched");
}

bool concerns_device(Thread& thread, const Peer& peer, const void* local) {
  core::Objects& objects = thread.rank.objects();
  DeviceMemory* const devices = objects.devices();
  if (!devices) [[likely]]
    return false;
  return objects.is_on_device(peer.rank, peer.remote) || objects.is_on_device(thread.rank.id(), peer.local) ||
         devices->card_of(local);
}

void refuse_device(const char* where, Thread& thread, const void* address, const char* what) {
  DeviceMemory* const devices = thread.rank.objects().devices();
  Card* const card = devices ? devices->card_of(address) : nullptr;
  if (card) fatal(where, "%p is memory of %s, where %s cannot be", address, card->title().c_str(), what);
}

Started start_put(const char* where, Thread& thread, const Peer& peer, void* to, const void* from,
                  std::size_t bytes, Pending& pending, gex_Flags_t flags, conduit::Reuse reuse) {
  check_target(where, thread, peer.rank, to, bytes, peer.remote);
  if (bytes == 0) return Started::kDone;
  const Side local = local_side(thread, peer, from, bytes);
  const Side remote = remote_side(thread, peer, to, bytes);
  if (!local.is_device && !remote.is_device)
    return start_lent_put(where, thread, peer.rank, to, from, bytes, pending, flags, peer.remote, reuse);
  if (is_lost(thread, peer.rank)) return Started::kDone;
  const Direct direct = direct_way(thread, peer, local, remote, to, bytes);
  const bool is_host_put = !remote.here && !remote.is_device && !direct.network;
  if (!is_host_put) note_start(thread, peer.rank, &observe::PeerCounters::puts, bytes);
  if (!remote.here && !direct.network) count_staged();
  if (!direct.network && !remote.here && remote.is_device && !local.is_device &&
      !uses_longs(thread.rank, peer, bytes))
    return put_messages(where, thread, peer, to, from, bytes, pending, flags);
  // A source that must be free at return is waited for.
  am::Unreleased source{0};
  const bool must_wait = reuse == conduit::Reuse::kAtReturn && !reuse.unreleased;
  am::Unreleased* const unreleased = must_wait ? &source : reuse.unreleased;
  if (remote.here) {
    copy(thread, remote, local, bytes, pending, unreleased);
  } else if (direct.network) {
    const Started started = start_native(thread, peer.rank, TransferKind::kPut, pending, flags,
                                         [&](conduit::Rma::Done done, void* operation) {
                                           return direct.network->put(peer.rank, direct.remote, direct.local,
                                                                      bytes, unreleased, done, operation);
                                         });
    if (started == Started::kNotNow) return started;
    count_direct();
  } else {
    Flow flow = flow_with(is_host_put ? Flow::Kind::kPutHost : Flow::Kind::kPut, where, thread, peer, local,
                          to, bytes, pending);
    flow.unreleased = unreleased;
    if (unreleased) unreleased->fetch_add(1, std::memory_order_relaxed);
    transfers(thread.rank).start(std::move(flow));
  }
  if (must_wait) wait_for_source(where, thread, peer.rank, source);
  return Started::kStarted;
}

Started start_get(const char* where, Thread& thread, const Peer& peer, void* to, const void* from,
                  std::size_t bytes, Pending& pending, gex_Flags_t flags) {
  check_target(where, thread, peer.rank, from, bytes, peer.remote);
  if (bytes == 0) return Started::kDone;
  const Side local = local_side(thread, peer, to, bytes);
  const Side remote = remote_side(thread, peer, from, bytes);
  if (!local.is_device && !remote.is_device)
    return extended::start_get(where, thread, peer.rank, to, from, bytes, pending, flags, peer.remote);
  if (is_lost(thread, peer.rank)) return Started::kDone;
  if (const Direct direct = direct_way(thread, peer, local, remote, from, bytes); direct.network) {
    note_start(thread, peer.rank, &observe::PeerCounters::gets, bytes);
    const Started started = start_native(
        thread, peer.rank, TransferKind::kGet, pending, flags, [&](conduit::Rma::Done done, void* operation) {
          return direct.network->get(peer.rank, direct.local, direct.remote, bytes, done, operation);
        });
    if (started != Started::kNotNow) count_direct();
    return started;
  }
  if (!remote.here) count_staged();
  if (!remote.here && !remote.is_device) {
    transfers(thread.rank)
        .start(flow_with(Flow::Kind::kGetHost, where, thread, peer, local, from, bytes, pending));
    return Started::kStarted;
  }
  note_start(thread, peer.rank, &observe::PeerCounters::gets, bytes);
  if (!remote.here) return get_staged(where, thread, peer, from, local, bytes, pending, flags);
  copy(thread, local, remote, bytes, pending, nullptr);
  return Started::kStarted;
}

}  // namespace aqueduct::extended::device_memory
