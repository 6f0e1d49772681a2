// The handler table of an endpoint: 256 entries, of which clients own those from kFirstClientHandler up.
//
// Registration is done by one thread at a time; entries are published before they can be named by a message,
// so dispatch reads them without a lock. An entry is never changed once it is set.
//
// The ranks of a simulation mostly register the same handlers in the same order. Their tables share entries:
// those of a table are the same object as those of every other table with this history. A table that too many
// others differ from in the same step gets entries of its own.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "am/message.hpp"
#include "core/mailbox/mailbox.hpp"
#include "gasnetex.h"

namespace aqueduct::core {

using am::Category;
using am::Message;

inline constexpr unsigned kFirstClientHandler = GEX_AM_INDEX_BASE;
inline constexpr unsigned kHandlers = 256;

/// The library's own handlers, below the clients'. Part of the wire protocol between ranks.
enum class Internal : std::uint8_t {
  kPut = 1,
  kPutDone,
  kGet,
  kGetMedium,
  kGetLong,
  kBarrier,
  kFill,
  kAtomic,
  kAtomicDone,
  kVisPut,
  kVisGet,
  kVisGetData,
  kVisSignal,
  kTeamGather,
  kCarried,
  kCarriedReply,
  kCollectiveData,
  kCollectiveGrant,
  kCollectiveCheck,
  kDevicePut,
  kDevicePutDone,
  kDeviceGet,
  kDeviceData,
  kDeviceAsk,
  kDeviceGrant,
  kDeviceChunk,
  kDeviceFetch,
  kDeviceFetched,
};

/// Registered number of arguments of a handler that takes any (the legacy interface does not say).
inline constexpr unsigned kAnyNargs = ~0u;

// Calls a handler with `sizeof...(I)` arguments, after whatever comes before them.
template <class... Before, std::size_t... I>
[[gnu::always_inline]] inline void call_with(gex_AM_Fn_t function, const std::int32_t* args,
                                             std::index_sequence<I...>, Before... before) {
  reinterpret_cast<void (*)(Before..., decltype(static_cast<void>(I), std::int32_t{})...)>(function)(
      before..., args[I]...);
}

template <class... Before>
[[gnu::always_inline]] inline void call_counted(gex_AM_Fn_t function, unsigned nargs,
                                                const std::int32_t* args, Before... before) {
  switch (nargs) {
#define AQUEDUCT_CALL(n) \
  case n:                \
    return call_with<Before...>(function, args, std::make_index_sequence<n>{}, before...);
    // clang-format off
    AQUEDUCT_CALL(0) AQUEDUCT_CALL(1) AQUEDUCT_CALL(2) AQUEDUCT_CALL(3) AQUEDUCT_CALL(4) AQUEDUCT_CALL(5) AQUEDUCT_CALL(6) AQUEDUCT_CALL(7) AQUEDUCT_CALL(8)
    AQUEDUCT_CALL(9) AQUEDUCT_CALL(10) AQUEDUCT_CALL(11) AQUEDUCT_CALL(12) AQUEDUCT_CALL(13) AQUEDUCT_CALL(14) AQUEDUCT_CALL(15) AQUEDUCT_CALL(16)
    // clang-format on
#undef AQUEDUCT_CALL
                default : __builtin_unreachable();
  }
}

class HandlerTable {
 public:
  /// Calls a handler of Short or of Medium messages with as many arguments as it takes.
  using ShortCall = void (*)(gex_AM_Fn_t function, gex_Token_t token, const std::int32_t* args);
  using MediumCall = void (*)(gex_Token_t token, void* payload, std::size_t bytes, const std::int32_t* args,
                              gex_AM_Fn_t function);

  struct alignas(kCacheLine) Entry {
    gex_AM_Entry_t client{};   ///< what the client registered, with the index that it got
    std::uint8_t allowed = 0;  ///< bit (is_reply * 3 + category) for each use that was declared
    /// The kinds (Header::kind) of a request and of a reply of which there is nothing to check but the kind,
    /// and which are of no interest to the trace: those with arguments that all lie in an envelope. They are
    /// handed to the calls below, that of Medium messages also for Long ones.
    std::array<std::uint8_t, 2> plain_short{Header::kNoKind, Header::kNoKind};
    std::array<std::uint8_t, 2> plain_medium{Header::kNoKind, Header::kNoKind};
    std::array<std::uint8_t, 2> plain_long{Header::kNoKind, Header::kNoKind};
    ShortCall call_short = nullptr;
    MediumCall call_medium = nullptr;
  };

  using Entries = std::array<Entry, kHandlers>;

  /// `shares`: with other tables of this process, which all belong to one thread.
  explicit HandlerTable(bool shares = false);
  ~HandlerTable();
  HandlerTable(const HandlerTable&) = delete;
  HandlerTable& operator=(const HandlerTable&) = delete;

  /// Adds all entries or none. On failure answers a GASNET error code and says why in `*reason`. Entries with
  /// index 0 get the highest free index, in table order, and the index is written back.
  int add(gex_AM_Entry_t* entries, std::size_t count, std::string* reason);

  /// A handler of the library itself.
  void add_internal(Internal index, gex_AM_Fn_t function, unsigned nargs, const char* name);

  const Entry& operator[](std::uint8_t index) const { return (*entries_)[index]; }

  /// The entry that a token shows which stands for no message.
  static const Entry& no_entry() {
    static const Entry none;
    return none;
  }

  /// Calls the handler with a payload (Medium and Long) or without (Short).
  static void call_short(const Entry& entry, gex_Token_t token, unsigned nargs, const std::int32_t* args) {
    call_counted<gex_Token_t>(entry.client.gex_fnptr, nargs, args, token);
  }
  static void call_with_payload(const Entry& entry, gex_Token_t token, const Message& message) {
    call_with_payload(entry, token, message.nargs, message.args, const_cast<void*>(message.payload),
                      message.payload_bytes);
  }
  static void call_with_payload(const Entry& entry, gex_Token_t token, unsigned nargs,
                                const std::int32_t* args, void* payload, std::size_t bytes) {
    call_counted<gex_Token_t, void*, std::size_t>(entry.client.gex_fnptr, nargs, args, token, payload, bytes);
  }

 private:
  struct Shared;

  void set(const gex_AM_Entry_t& entry);
  static void set(Entries& entries, const gex_AM_Entry_t& entry);

  const Entries* entries_;
  std::unique_ptr<Entries> own_;  // null while they are shared
  Shared* shared_ = nullptr;
};

/// The bit of Entry::allowed that a message needs.
constexpr std::uint8_t use_bit(Category category, bool is_reply) {
  return static_cast<std::uint8_t>(1u << (static_cast<unsigned>(category) + (is_reply ? 3 : 0)));
}

const char* name_of(Category category);

}  // namespace aqueduct::core
