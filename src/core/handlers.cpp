#include "core/handlers.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "trace/trace.hpp"
#include "world/world.hpp"

namespace aqueduct::core {
namespace {

std::uint8_t uses_of(gex_Flags_t flags) {
  std::uint8_t uses = 0;
  const std::pair<gex_Flags_t, Category> categories[] = {{GEX_FLAG_AM_SHORT, Category::kShort},
                                                         {GEX_FLAG_AM_MEDIUM, Category::kMedium},
                                                         {GEX_FLAG_AM_LONG, Category::kLong}};
  for (const auto& [flag, category] : categories) {
    if (!(flags & flag)) continue;
    if (flags & GEX_FLAG_AM_REQUEST) uses |= use_bit(category, false);
    if (flags & GEX_FLAG_AM_REPLY) uses |= use_bit(category, true);
  }
  return uses;
}

template <std::size_t kNargs>
void call_short_of(gex_AM_Fn_t function, gex_Token_t token, const std::int32_t* args) {
  call_with<gex_Token_t>(function, args, std::make_index_sequence<kNargs>{}, token);
}

template <std::size_t kNargs>
void call_medium_of(gex_Token_t token, void* payload, std::size_t bytes, const std::int32_t* args,
                    gex_AM_Fn_t function) {
  call_with<gex_Token_t, void*, std::size_t>(function, args, std::make_index_sequence<kNargs>{}, token,
                                             payload, bytes);
}

template <std::size_t... I>
constexpr std::array<HandlerTable::ShortCall, sizeof...(I)> short_calls(std::index_sequence<I...>) {
  return {call_short_of<I>...};
}
template <std::size_t... I>
constexpr std::array<HandlerTable::MediumCall, sizeof...(I)> medium_calls(std::index_sequence<I...>) {
  return {call_medium_of<I>...};
}
constexpr auto kShortCalls = short_calls(std::make_index_sequence<kArgsInShort + 1>{});
constexpr auto kMediumCalls = medium_calls(std::make_index_sequence<kArgsWithAddress + 1>{});

std::string describe(const gex_AM_Entry_t& entry, std::size_t position) {
  std::string text = "entry " + std::to_string(position);
  if (entry.gex_name) text += std::string(" ('") + entry.gex_name + "')";
  return text;
}

bool is_same(const gex_AM_Entry_t& a, const gex_AM_Entry_t& b) {
  return a.gex_index == b.gex_index && a.gex_fnptr == b.gex_fnptr && a.gex_flags == b.gex_flags &&
         a.gex_nargs == b.gex_nargs && a.gex_cdata == b.gex_cdata && a.gex_name == b.gex_name;
}

}  // namespace

// Entries that tables share, and those that tables share which set one more.
struct HandlerTable::Shared {
  static constexpr std::size_t kMostNext = 16;

  Entries entries{};
  gex_AM_Entry_t last{};  // what was set last
  std::vector<std::unique_ptr<Shared>> next;

  static Shared& empty() {
    static Shared none;
    return none;
  }
};

HandlerTable::HandlerTable(bool shares) {
  if (shares) {
    shared_ = &Shared::empty();
    entries_ = &shared_->entries;
  } else {
    own_ = std::make_unique<Entries>();
    entries_ = own_.get();
  }
}

HandlerTable::~HandlerTable() = default;

int HandlerTable::add(gex_AM_Entry_t* entries, std::size_t count, std::string* reason) {
  // Work on a copy of which slots are taken, so that a bad entry leaves the table and the caller's indices as
  // they were.
  std::array<bool, kHandlers> taken;
  for (unsigned i = 0; i < kHandlers; ++i) taken[i] = (*entries_)[i].client.gex_fnptr != nullptr;
  std::string problem;
  for (std::size_t i = 0; i < count && problem.empty(); ++i) {
    const gex_AM_Entry_t& entry = entries[i];
    if (!entry.gex_fnptr) {
      problem = describe(entry, i) + " has no function";
    } else if (entry.gex_nargs > am::kMaxArgs && entry.gex_nargs != kAnyNargs) {
      problem = describe(entry, i) + " declares " + std::to_string(entry.gex_nargs) +
                " arguments; at most 16 can be sent";
    } else if (uses_of(entry.gex_flags) == 0) {
      problem = describe(entry, i) +
                " must name a category (GEX_FLAG_AM_SHORT, _MEDIUM, _LONG) and a direction (_REQUEST, "
                "_REPLY) in gex_flags";
    } else if (entry.gex_index != 0) {
      if (entry.gex_index < kFirstClientHandler) {
        problem = describe(entry, i) + " asks for index " + std::to_string(entry.gex_index) +
                  ", which is the library's; clients have 128 to 255";
      } else if (taken[entry.gex_index]) {
        problem =
            describe(entry, i) + " asks for index " + std::to_string(entry.gex_index) + ", which is taken";
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
    set(entries[i]);
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
  set(entry);
}

void HandlerTable::set(const gex_AM_Entry_t& entry) {
  if (!shared_) return set(*own_, entry);
  const auto known =
      std::ranges::find_if(shared_->next, [&](const auto& next) { return is_same(next->last, entry); });
  if (known != shared_->next.end()) {
    shared_ = known->get();
  } else if (shared_->next.size() < Shared::kMostNext) {
    auto next = std::make_unique<Shared>();
    next->entries = *entries_;
    next->last = entry;
    set(next->entries, entry);
    shared_->next.push_back(std::move(next));
    shared_ = shared_->next.back().get();
  } else {
    own_ = std::make_unique<Entries>(*entries_);
    set(*own_, entry);
    shared_ = nullptr;
  }
  entries_ = shared_ ? &shared_->entries : own_.get();
}

void HandlerTable::set(Entries& entries, const gex_AM_Entry_t& entry) {
  Entry& place = entries[entry.gex_index];
  place.client = entry;
  place.allowed = uses_of(entry.gex_flags);
  const unsigned nargs = entry.gex_nargs;
  if (trace::is_watching() || world::is_simulated()) return;
  if (nargs <= kArgsInShort) place.call_short = kShortCalls[nargs];
  if (nargs <= kArgsWithAddress) place.call_medium = kMediumCalls[nargs];
  for (const bool is_reply : {false, true}) {
    if (place.call_short && (place.allowed & use_bit(Category::kShort, is_reply)))
      place.plain_short[is_reply] = Header::kind(Category::kShort, nargs);
    if (place.call_medium && (place.allowed & use_bit(Category::kMedium, is_reply)))
      place.plain_medium[is_reply] = Header::kind(Category::kMedium, nargs);
    if (place.call_medium && (place.allowed & use_bit(Category::kLong, is_reply)))
      place.plain_long[is_reply] = Header::kind(Category::kLong, nargs);
  }
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
