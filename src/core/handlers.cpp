#include "core/handlers.hpp"

#include <cstdio>
#include <utility>

namespace aqueduct::core {
namespace {

std::uint8_t uses_of(gex_Flags_t flags) {
  std::uint8_t uses = 0;
  const std::pair<gex_Flags_t, Category> categories[] = {
      {GEX_FLAG_AM_SHORT, Category::kShort}, {GEX_FLAG_AM_MEDIUM, Category::kMedium}, {GEX_FLAG_AM_LONG, Category::kLong}};
  for (const auto& [flag, category] : categories) {
    if (!(flags & flag)) continue;
    if (flags & GEX_FLAG_AM_REQUEST) uses |= use_bit(category, false);
    if (flags & GEX_FLAG_AM_REPLY) uses |= use_bit(category, true);
  }
  return uses;
}

std::string describe(const gex_AM_Entry_t& entry, std::size_t position) {
  std::string text = "entry " + std::to_string(position);
  if (entry.gex_name) text += std::string(" ('") + entry.gex_name + "')";
  return text;
}

// Calls a handler with `sizeof...(I)` arguments, after whatever comes before them.
template <class... Before, std::size_t... I>
inline void call_with(gex_AM_Fn_t function, const std::int32_t* args, std::index_sequence<I...>, Before... before) {
  reinterpret_cast<void (*)(Before..., decltype(static_cast<void>(I), std::int32_t{})...)>(function)(before..., args[I]...);
}

template <class... Before>
inline void call_counted(gex_AM_Fn_t function, unsigned nargs, const std::int32_t* args, Before... before) {
  switch (nargs) {
#define AQUEDUCT_CALL(n) \
  case n:                \
    return call_with<Before...>(function, args, std::make_index_sequence<n>{}, before...);
    AQUEDUCT_CALL(0) AQUEDUCT_CALL(1) AQUEDUCT_CALL(2) AQUEDUCT_CALL(3) AQUEDUCT_CALL(4) AQUEDUCT_CALL(5)
    AQUEDUCT_CALL(6) AQUEDUCT_CALL(7) AQUEDUCT_CALL(8) AQUEDUCT_CALL(9) AQUEDUCT_CALL(10) AQUEDUCT_CALL(11)
    AQUEDUCT_CALL(12) AQUEDUCT_CALL(13) AQUEDUCT_CALL(14) AQUEDUCT_CALL(15) AQUEDUCT_CALL(16)
#undef AQUEDUCT_CALL
    default:
      __builtin_unreachable();
  }
}

}  // namespace

int HandlerTable::add(gex_AM_Entry_t* entries, std::size_t count, std::string* reason) {
  // Work on a copy of which slots are taken, so that a bad entry leaves the table and the caller's indices as they were.
  std::array<bool, kHandlers> taken;
  for (unsigned i = 0; i < kHandlers; ++i) taken[i] = entries_[i].client.gex_fnptr != nullptr;
  std::string problem;
  for (std::size_t i = 0; i < count && problem.empty(); ++i) {
    const gex_AM_Entry_t& entry = entries[i];
    if (!entry.gex_fnptr) {
      problem = describe(entry, i) + " has no function";
    } else if (entry.gex_nargs > conduit::kMaxArgs && entry.gex_nargs != kAnyNargs) {
      problem = describe(entry, i) + " declares " + std::to_string(entry.gex_nargs) + " arguments; at most 16 can be sent";
    } else if (uses_of(entry.gex_flags) == 0) {
      problem = describe(entry, i) +
                " must name a category (GEX_FLAG_AM_SHORT, _MEDIUM, _LONG) and a direction (_REQUEST, _REPLY) in gex_flags";
    } else if (entry.gex_index != 0) {
      if (entry.gex_index < kFirstClientHandler) {
        problem = describe(entry, i) + " asks for index " + std::to_string(entry.gex_index) +
                  ", which is the library's; clients have 128 to 255";
      } else if (taken[entry.gex_index]) {
        problem = describe(entry, i) + " asks for index " + std::to_string(entry.gex_index) + ", which is taken";
      } else {
        taken[entry.gex_index] = true;
      }
    }
  }
  std::array<std::uint8_t, kHandlers> chosen{};
  unsigned next = kHandlers;
  for (std::size_t i = 0; i < count && problem.empty(); ++i) {
    if (entries[i].gex_index != 0) continue;
    do {
      --next;
    } while (next >= kFirstClientHandler && taken[next]);
    if (next < kFirstClientHandler) {
      problem = "no handler index is left for " + describe(entries[i], i);
      *reason = problem;
      return GASNET_ERR_RESOURCE;
    }
    taken[next] = true;
    chosen[i % kHandlers] = static_cast<std::uint8_t>(next);
  }
  if (!problem.empty()) {
    *reason = problem;
    return GASNET_ERR_BAD_ARG;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (entries[i].gex_index == 0) entries[i].gex_index = chosen[i];
    entries_[entries[i].gex_index] = {entries[i], uses_of(entries[i].gex_flags)};
  }
  return GASNET_OK;
}

void HandlerTable::add_internal(Internal index, gex_AM_Fn_t function, unsigned nargs, const char* name) {
  gex_AM_Entry_t entry{};
  entry.gex_index = static_cast<gex_AM_Index_t>(index);
  entry.gex_fnptr = function;
  entry.gex_flags = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQREP;
  entry.gex_nargs = nargs;
  entry.gex_name = name;
  entries_[entry.gex_index] = {entry, uses_of(entry.gex_flags)};
}

void HandlerTable::call_short(const Entry& entry, gex_Token_t token, unsigned nargs, const std::int32_t* args) {
  call_counted<gex_Token_t>(entry.client.gex_fnptr, nargs, args, token);
}

void HandlerTable::call_with_payload(const Entry& entry, gex_Token_t token, const Message& message) {
  call_counted<gex_Token_t, void*, std::size_t>(entry.client.gex_fnptr, message.nargs, message.args, token,
                                                const_cast<void*>(message.payload), message.payload_bytes);
}

const char* name_of(Category category) {
  switch (category) {
    case Category::kShort:
      return "Short";
    case Category::kMedium:
      return "Medium";
    case Category::kLong:
      return "Long";
  }
  return "?";
}

}  // namespace aqueduct::core
