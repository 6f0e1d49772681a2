// Settings from the environment, typed.
//
// A setting may be known by several names (AQUEDUCT_RANKS, GASNET_PSHM_NODES); the first one that is set and
// not empty counts. What is not set yields the fallback, or nothing. What is set but malformed or out of
// range is fatal, with one line that names the variable, its value and what is accepted: a misspelt setting
// is never silently ignored.
//
// Every name stands in the table of base/variables.hpp.
//
// For set-up, by one thread, while nobody changes the environment.
//
//   const bool waits = env::flag({"GASNET_CATCH_EXIT"}, true);
//   const std::size_t segment = env::amount({"AQUEDUCT_MAX_SEGSIZE", "GASNET_MAX_SEGSIZE"})
//                                   .value_or({.fraction = 0.85, .per_host = true})
//                                   .bytes_per_rank(memory, ranks);
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>

namespace aqueduct::env {

using Names = std::initializer_list<const char*>;

/// The name under which the setting is set; null if under none. Reports nothing.
const char* name_in_use(Names names);

/// The text of the setting; it stays valid until the environment changes.
const char* text(Names names, const char* fallback = nullptr);

/// 1, y, yes, on, true or 0, n, no, off, false, in any case of letters.
bool flag(Names names, bool fallback);

/// A whole decimal number from `least` to `most`.
std::optional<std::int64_t> integer(Names names, std::int64_t least, std::int64_t most);

/// A size: "8388608", "512MB", "1.5G"; K, M, G and T are powers of 1024, with or without a B.
std::optional<std::size_t> bytes(Names names);

/// An amount of something of which a host has so much in all: bytes ("512MB") or a fraction of the whole
/// ("0.85"), for each process ("/P", also without a suffix) or for all processes of a host together ("/H").
struct Amount {
  std::size_t bytes = 0;
  double fraction = 0;  ///< counts where it is not 0
  bool per_host = false;

  std::size_t bytes_per_rank(std::size_t whole_bytes, std::size_t ranks_on_host) const;
};
/// `fallback`, if not null, is what counts where none of the names is set; it is read in the same way.
std::optional<Amount> amount(Names names, const char* fallback = nullptr);

/// Whether this process reports the settings it reads: with GASNET_VERBOSEENV=1, rank 0 of a job, and whoever
/// starts it.
bool is_verbose();

/// If so, reports a setting on stderr, the first time that its name comes up. Everything above does so by
/// itself.
void report(const char* name, const char* value, bool is_default);

}  // namespace aqueduct::env
