// The handlers of active messages (protocol.hpp), and their registration.
#ifndef AQUEDUCT_CXX_HANDLERS_HPP_
#define AQUEDUCT_CXX_HANDLERS_HPP_

#include "aqueduct/cxx/large_call.hpp"
#include "aqueduct/cxx/records.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

inline void run_call(gex_Token_t token, const void* payload, std::size_t size, gex_AM_Arg_t number,
                     std::uint64_t slot, Incoming::Memory memory) {
  Context& here = context();
  const HandlerDepth depth(here);
  const Function& function = *here.functions[static_cast<std::uint32_t>(number)];
  Incoming call(here, token, function, slot, payload, size, memory);
  function.invoke(call);
}

inline void on_call(gex_Token_t token, void* payload, std::size_t size, gex_AM_Arg_t number,
                    gex_AM_Arg_t slot0, gex_AM_Arg_t slot1) {
  run_call(token, payload, size, number, joined(slot0, slot1), Incoming::Memory::kBorrowed);
}
inline void on_call_long(gex_Token_t token, void* payload, std::size_t size, gex_AM_Arg_t number,
                         gex_AM_Arg_t slot0, gex_AM_Arg_t slot1) {
  run_call(token, payload, size, number, joined(slot0, slot1), Incoming::Memory::kSegment);
}
inline void on_call_far(gex_Token_t token, gex_AM_Arg_t number, gex_AM_Arg_t slot0, gex_AM_Arg_t slot1,
                        gex_AM_Arg_t address0, gex_AM_Arg_t address1, gex_AM_Arg_t size0,
                        gex_AM_Arg_t size1) {
  run_call(token, pointer_to(joined(address0, address1)), joined(size0, size1), number, joined(slot0, slot1),
           Incoming::Memory::kSegment);
}
inline void on_landing(gex_Token_t token, gex_AM_Arg_t slot0, gex_AM_Arg_t slot1, gex_AM_Arg_t size0,
                       gex_AM_Arg_t size1) {
  Context& here = context();
  const std::uint64_t address = address_of(here.heap.allocate(joined(size0, size1)));
  gex_AM_ReplyMedium3(token, here.handlers[kAnswer], &address, sizeof address, GEX_EVENT_NOW, 0, slot0, slot1,
                      static_cast<gex_AM_Arg_t>(AnswerKind::kLandsAt));
}
inline void on_answer(gex_Token_t token, void* payload, std::size_t size, gex_AM_Arg_t slot0,
                      gex_AM_Arg_t slot1, gex_AM_Arg_t kind_word) {
  Context& here = context();
  Answer* const answer = answer_of(here, joined(slot0, slot1));
  if (!answer) return;
  const auto kind = static_cast<AnswerKind>(kind_word);
  if (kind == AnswerKind::kFar) {
    std::uint64_t place[2];
    std::memcpy(place, payload, sizeof place);
    this_loop(here).push(make_pooled<LargeAnswer>(answer, source_of(token), place[0], place[1]));
    return;
  }
  const rank_t peer = kind == AnswerKind::kValue ? 0 : source_of(token);
  if (address_of(payload) % 8) [[unlikely]] {
    MessageBuffer aligned(size);
    std::memcpy(aligned.data(), payload, size);
    answer->arrive(answer, peer, kind, static_cast<const std::byte*>(aligned.data()), size);
  } else {
    answer->arrive(answer, peer, kind, static_cast<const std::byte*>(payload), size);
  }
}
inline void on_small_answer(gex_Token_t, gex_AM_Arg_t slot0, gex_AM_Arg_t slot1, gex_AM_Arg_t word0,
                            gex_AM_Arg_t word1) {
  Answer* const answer = answer_of(context(), joined(slot0, slot1));
  if (!answer) return;
  const std::uint64_t word = joined(word0, word1);
  answer->arrive(answer, 0, AnswerKind::kValue, reinterpret_cast<const std::byte*>(&word), sizeof word);
}
inline void on_release(gex_Token_t, gex_AM_Arg_t address0, gex_AM_Arg_t address1) {
  context().heap.release(pointer_to(joined(address0, address1)));
}

inline void register_handlers(Context& here) {
  constexpr gex_Flags_t kMedium = GEX_FLAG_AM_MEDIUM;
  constexpr gex_Flags_t kShort = GEX_FLAG_AM_SHORT;
  gex_AM_Entry_t table[kHandlers] = {};
  const auto enter = [&](HandlerName name, auto* function, gex_Flags_t flags, unsigned int arguments,
                         const char* text) {
    table[name] = {0, reinterpret_cast<gex_AM_Fn_t>(function), flags, arguments, nullptr, text};
  };
  enter(kCall, on_call, kMedium | GEX_FLAG_AM_REQUEST, 3, "call");
  enter(kCallLong, on_call_long, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 3, "large call");
  enter(kCallFar, on_call_far, kShort | GEX_FLAG_AM_REQUEST, 7, "very large call");
  enter(kLanding, on_landing, kShort | GEX_FLAG_AM_REQUEST, 4, "room for a call");
  enter(kAnswer, on_answer, kMedium | GEX_FLAG_AM_REQREP, 3, "answer");
  enter(kSmallAnswer, on_small_answer, kShort | GEX_FLAG_AM_REQREP, 4, "small answer");
  enter(kRelease, on_release, kShort | GEX_FLAG_AM_REQUEST, 2, "answer fetched");
  enter(kRecords, on_records, kMedium | GEX_FLAG_AM_REQUEST, 3, "records");
  if (gex_EP_RegisterHandlers(here.ep, table, kHandlers) != GASNET_OK)
    fatal("there are no numbers left for handlers");
  for (int name = 0; name < kHandlers; ++name) here.handlers[name] = table[name].gex_index;
  // Requests with the most arguments that any of the handlers has, from whichever rank to whichever.
  here.largest_request = gex_AM_MaxRequestMedium(here.world, GEX_RANK_INVALID, GEX_EVENT_NOW, 0, 3);
  here.largest_reply = gex_AM_MaxReplyMedium(here.world, GEX_RANK_INVALID, GEX_EVENT_NOW, 0, 3);
  here.largest_long = gex_AM_MaxRequestLong(here.world, GEX_RANK_INVALID, GEX_EVENT_NOW, 0, 3);
}

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
