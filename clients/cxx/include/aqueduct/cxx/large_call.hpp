// Calls and answers that are too large for a message: they travel through the segments.
//
// A large call asks the peer for memory (kLanding), then sends its bytes there. A large answer stays with the
// rank that was called until the caller has fetched it and says so (kRelease).
#ifndef AQUEDUCT_CXX_LARGE_CALL_HPP_
#define AQUEDUCT_CXX_LARGE_CALL_HPP_

#include "aqueduct/cxx/outgoing.hpp"
#include "aqueduct/cxx/rma.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

struct LargeCall : Answer {
  Context* context;
  Loop* loop;
  Answer* answer;  // of the call itself
  std::uint32_t number;
  void* message;
  std::size_t size;
  void* destination = nullptr;

  static void landing_known(Answer* self, rank_t, AnswerKind kind, const std::byte* payload, std::size_t) {
    LargeCall* const call = static_cast<LargeCall*>(self);
    if (kind == AnswerKind::kLandsAt) std::memcpy(&call->destination, payload, sizeof call->destination);
    call->run = send;
    call->loop->push(call);
  }

  static void send(Work* work) {
    LargeCall* const call = static_cast<LargeCall*>(work);
    Context& here = *call->context;
    if (call->destination) {
      const std::uint64_t slot = call->answer ? slot_of(here, call->answer) : 0;
      const std::uint64_t place = address_of(call->destination);
      if (call->size <= here.largest_long) {
        gex_AM_RequestLong3(here.world, call->peer, here.handlers[kCallLong], call->message, call->size,
                            call->destination, GEX_EVENT_NOW, 0, low(call->number), low(slot), high(slot));
      } else {
        gex_RMA_PutBlocking(here.world, call->peer, call->destination, call->message, call->size, 0);
        gex_AM_RequestShort7(here.world, call->peer, here.handlers[kCallFar], 0, low(call->number), low(slot),
                             high(slot), low(place), high(place), low(call->size), high(call->size));
      }
    } else if (!call->answer) {
      fatal("post() of %zu bytes, for which the segment of rank %u has no room", call->size, call->peer);
    } else if (here.reports_failures && aqueduct_has_failed(here.world, call->peer)) {
      call->answer->arrive(call->answer, call->peer, AnswerKind::kPeerFailed, nullptr, 0);
    } else {
      static constexpr std::string_view kWhat =
          "the arguments are too large for the segment of the rank that is called";
      call->answer->arrive(call->answer, call->peer, AnswerKind::kError,
                           reinterpret_cast<const std::byte*>(kWhat.data()), kWhat.size());
    }
    FramePool::release(call->message, call->size);
    release_pooled(call);
  }
};

// Takes over the message, which is from FramePool.
inline void send_large_call(Context& here, rank_t rank, Answer* answer, std::uint32_t number, void* message,
                            std::size_t size) {
  LargeCall* const call = make_pooled<LargeCall>();
  call->arrive = LargeCall::landing_known;
  call->peer = rank;
  call->context = &here;
  call->loop = &this_loop(here);
  call->answer = answer;
  call->number = number;
  call->message = message;
  call->size = size;
  const std::uint64_t slot = slot_of(here, call);
  gex_AM_RequestShort4(here.world, rank, here.handlers[kLanding], 0, low(slot), high(slot), low(size),
                       high(size));
}

// An answer that waits at its rank to be fetched.
struct LargeAnswer : Work {
  LargeAnswer(Answer* who, rank_t from, std::uint64_t where, std::size_t bytes)
      : answer(who), peer(from), address(where), size(bytes) {
    run = [](Work* work) { fetch(static_cast<LargeAnswer*>(work)); };
  }
  static Detached fetch(LargeAnswer* self) {
    Context& here = detail::context();
    Answer* const answer = self->answer;
    const rank_t peer = self->peer;
    const std::uint64_t address = self->address;
    const std::size_t size = self->size;
    release_pooled(self);
    void* const copy = FramePool::allocate(size);
    AnswerKind kind = AnswerKind::kValue;
    try {
      co_await GetRange<std::byte>({peer, address}, {static_cast<std::byte*>(copy), size});
      gex_AM_RequestShort2(here.world, peer, here.handlers[kRelease], 0, low(address), high(address));
    } catch (const peer_failed&) {
      kind = AnswerKind::kPeerFailed;
    }
    answer->arrive(answer, peer, kind, static_cast<const std::byte*>(copy), size);
    FramePool::release(copy, size);
  }
  Answer* answer;
  rank_t peer;
  std::uint64_t address;
  std::size_t size;
};

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
