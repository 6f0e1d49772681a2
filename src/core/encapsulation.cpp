#include "core/encapsulation.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/race_hints.hpp"
#include "core/am.hpp"

namespace aqueduct::core {
namespace {

// The view of the segment that a long payload goes to; ends the job if it would not lie in there, and must.
aq_peer_view_ checked_segment(const char* where, const Rank& rank, const Peer& peer, const Message& message) {
  const aq_peer_view_ view = rank.objects().segment_of(peer.rank, peer.remote);
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(message.destination) - view.base_;
  if (offset >= view.size_ || message.payload_bytes > view.size_ - offset) {
    if (rank.objects().reaches_everything(peer.remote)) return {};
    fatal(where,
          "destination %p (%zu bytes) is outside the segment of endpoint %u of rank %u, which is %p (%zu "
          "bytes)",
          message.destination, message.payload_bytes, peer.remote, peer.rank,
          reinterpret_cast<void*>(view.base_), view.size_);
  }
  return view;
}

// Clients' messages need endpoints that were made for them; the library's own go to all.
void check_endpoint(const char* where, Rank& rank, const Peer& peer, const Message& message) {
  const Endpoint* endpoint = rank.objects().find_endpoint(peer.local);
  if (!(endpoint->capabilities & GEX_EP_CAPABILITY_AM) && message.handler >= kFirstClientHandler)
    fatal(where, "endpoint %u was made without GEX_EP_CAPABILITY_AM", peer.local);
}

// Handlers get their payloads in the host's memory.
void refuse_devices(const char* where, Rank& rank, const Peer& peer, const Message& message) {
  const DeviceMemory* const devices = rank.objects().devices();
  if (!devices) return;
  if (message.category == Category::kLong && rank.objects().is_on_device(peer.rank, peer.remote))
    fatal(where,
          "the segment of endpoint %u of rank %u lies on a device, where no message can leave its payload",
          peer.remote, peer.rank);
  if (devices->card_of(message.payload))
    fatal(where, "the payload at %p lies on a device, where no message can take it from", message.payload);
}

Encapsulation encapsulation_of(const Peer& peer, const Message& message) {
  Encapsulation encapsulation{};
  encapsulation.category = message.category;
  encapsulation.handler = message.handler;
  encapsulation.nargs = message.nargs;
  encapsulation.source_endpoint = peer.local;
  encapsulation.target_endpoint = peer.remote;
  encapsulation.destination = reinterpret_cast<std::uint64_t>(message.destination);
  encapsulation.total_bytes = message.payload_bytes;
  if (message.nargs != 0) std::memcpy(encapsulation.args, message.args, message.nargs * sizeof(std::int32_t));
  return encapsulation;
}

// Packs pieces one after the other and hands each to `post(message, is_first)`, until one is refused.
template <class Post>
int in_pieces(const char* where, Thread& thread, const Peer& peer, const Message& message, Post&& post) {
  Rank& rank = thread.rank;
  check_endpoint(where, rank, peer, message);
  Encapsulation encapsulation = encapsulation_of(peer, message);
  std::size_t left = message.payload_bytes;
  if (left != 0) refuse_devices(where, rank, peer, message);
  if (message.category == Category::kLong && left != 0) {
    const aq_peer_view_ view = checked_segment(where, rank, peer, message);
    if (view.is_mapped_) {
      std::memcpy(static_cast<std::byte*>(message.destination) + view.shift_, message.payload, left);
      encapsulation.is_in_place = true;
      left = 0;
    }
  }
  const std::size_t most = rank.limits().max_medium;
  if (left > most) {
    if (message.is_reply)
      fatal(where,
            "a long reply of %zu bytes to memory that this process cannot reach; at most %zu are possible",
            left, most);
    encapsulation.number = rank.reassembly.next_number();
  }
  std::unique_ptr<std::byte[]> buffer = thread.packing_room.take(sizeof(Encapsulation) + most);
  int result = GASNET_OK;
  do {
    const std::size_t piece = std::min(left, most);
    std::memcpy(buffer.get(), &encapsulation, sizeof encapsulation);
    if (piece != 0) {
      std::memcpy(buffer.get() + sizeof encapsulation,
                  static_cast<const std::byte*>(message.payload) + encapsulation.offset, piece);
    }
    Message carrier;
    carrier.category = Category::kMedium;
    carrier.is_reply = message.is_reply;
    carrier.handler =
        static_cast<std::uint8_t>(message.is_reply ? Internal::kCarriedReply : Internal::kCarried);
    carrier.payload = buffer.get();
    carrier.payload_bytes = sizeof encapsulation + piece;
    result = post(carrier, encapsulation.offset == 0);
    encapsulation.offset += piece;
    left -= piece;
  } while (result == GASNET_OK && left != 0);
  thread.packing_room.give_back(std::move(buffer));
  return result;
}

// The handler of both directions.
void on_carried(gex_Token_t token, void* payload, std::size_t bytes) {
  constexpr const char* kWhere = "poll";
  Token& carrier = from_handle(token);
  Rank& rank = carrier.rank;
  const RankId source = carrier.origin.source;
  message_came(&rank);  // what goes to its place here may have been there before, for another thread
  Encapsulation encapsulation;
  if (bytes < sizeof encapsulation)
    fatal(kWhere, "a message from rank %u is too short to carry another", source);
  std::memcpy(&encapsulation, payload, sizeof encapsulation);
  std::byte* const content = static_cast<std::byte*>(payload) + sizeof encapsulation;
  const std::size_t piece = bytes - sizeof encapsulation;
  if (encapsulation.nargs > am::kMaxArgs || encapsulation.category > Category::kLong)
    fatal(kWhere, "a message from rank %u carries one that nobody can send", source);
  Endpoint* endpoint = rank.objects().find_endpoint(encapsulation.target_endpoint);
  if (!endpoint)
    fatal(kWhere, "a message from rank %u names endpoint %u, which does not exist here", source,
          encapsulation.target_endpoint);
  Message message{encapsulation.category,
                  !carrier.is_request,
                  encapsulation.handler,
                  encapsulation.nargs,
                  encapsulation.args,
                  content,
                  piece,
                  nullptr};
  if (encapsulation.category == Category::kLong) {
    void* const destination = reinterpret_cast<void*>(encapsulation.destination);
    message.payload = message.destination = destination;
    message.payload_bytes = encapsulation.total_bytes;
    if (encapsulation.total_bytes != 0)
      (void)checked_segment(kWhere, rank, {rank.id(), endpoint->index, 0}, message);
    if (piece != 0) {
      if (encapsulation.offset > encapsulation.total_bytes ||
          piece > encapsulation.total_bytes - encapsulation.offset)
        fatal(kWhere, "a message from rank %u carries more than it says", source);
      std::memcpy(static_cast<std::byte*>(destination) + encapsulation.offset, content, piece);
      if (piece != encapsulation.total_bytes &&
          !rank.reassembly.complete(source, encapsulation.number, piece, encapsulation.total_bytes)) {
        return;
      }
    }
  }
  rank.run_carried(this_thread(kWhere), carrier, *endpoint, encapsulation.source_endpoint, message);
}

}  // namespace

int send_carried_request(const char* where, Thread& thread, const Peer& peer, const Message& message,
                         gex_Flags_t flags) {
  return in_pieces(where, thread, peer, message, [&](const Message& carrier, bool is_first) {
    return post_request(thread, peer.rank, carrier, 0, is_first ? flags : 0);
  });
}

int send_carried_reply(const char* where, Thread& thread, Token& token, const Message& message,
                       gex_Flags_t flags) {
  return in_pieces(where, thread, token.peer(), message, [&](const Message& carrier, bool) {
    return post_reply(thread, token, carrier, 0, flags);
  });
}

void register_encapsulation(HandlerTable& handlers) {
  handlers.add_internal(Internal::kCarried, reinterpret_cast<gex_AM_Fn_t>(&on_carried), 0, "carried request");
  handlers.add_internal(Internal::kCarriedReply, reinterpret_cast<gex_AM_Fn_t>(&on_carried), 0,
                        "carried reply");
}

std::unique_ptr<std::byte[]> PackingRoom::take(std::size_t bytes) {
  if (free_.empty()) return std::make_unique_for_overwrite<std::byte[]>(bytes);
  std::unique_ptr<std::byte[]> buffer = std::move(free_.back());
  free_.pop_back();
  return buffer;
}

bool Reassembly::complete(RankId source, std::uint32_t number, std::uint64_t piece_bytes,
                          std::uint64_t total_bytes) {
  const std::lock_guard guard(lock_);
  const auto entry = arrived_.try_emplace({source, number}, 0).first;
  entry->second += piece_bytes;
  if (entry->second != total_bytes) return false;
  arrived_.erase(entry);
  return true;
}

}  // namespace aqueduct::core
