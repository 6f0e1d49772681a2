// Conduits in files of their own: plug-ins, loaded when they are needed.
//
// A plug-in is a shared object libaqueduct-conduit-NAME.so that defines one symbol,
// `aqueduct_conduit_plugin`, of type Plugin, and says in a note how much it is preferred (announcement.hpp).
// search.hpp finds plug-ins, loader.hpp loads or refuses them, probe.hpp judges them without loading, and
// process_guard.hpp undoes what their libraries change in the process.
//
// What a plug-in consists of. The source of a conduit is the same whether it is part of the library or a
// plug-in: it includes the library's headers and calls fatal(), Doorbell, parts/ and so on. A program that is
// linked with the static library exports no symbols, so a plug-in cannot find the library's. Therefore it
// contains hidden copies of the parts that it uses. Whatever a process may have only once stays in the
// library, and the plug-in reaches it by the table LibraryFunctions that it gets when it is loaded
// (side/support.cpp). A plug-in that needs anything else does not link.
//
//   fatal(), fatal_about(), warn()
//                            forwarded: one line, one sink, one thread that fails; reporting_rank() as well
//   world::live()            forwarded, and with it the place in the job, ports, memory, the clock
//   heavy fences             forwarded: sleepers and ringers must agree on what a light fence is
//   current_context          a copy that stays empty. In a live process the library's has no world either,
//                            and only the core reads its other members; simulated ranks get no plug-ins
//   devices                  drivers are loaded by copies; what is tried in another process is asked for there
//   world::Work              a copy: it matters in simulations only
//   settings                 copies: they come from the environment
//   C++ and C runtimes       the program's own, which must be shared libraries
//
// Both sides must be compiled from the same headers, because they exchange objects with virtual functions.
// The loader compares a hash of the contract's headers (kContract) and the version of the library.
//
//   AQUEDUCT_CONDUIT_PLUGIN(mynet::kDescription, .preference = 7)      // in one source of the plug-in
//
// The arguments after the description are members of Announced; without any, the conduit is used only if it
// is asked for by name.
//
// CMake: aqueduct_add_conduit_plugin(mynet SOURCES...), cmake/conduit_plugin.cmake.
#pragma once
#include <cstdint>

#include "aqueduct/plugin_config.h"
#include "conduit/conduit.hpp"
#include "conduit/plugin/announcement.hpp"

namespace aqueduct::conduit::plugin {

/// The functions of the library for a plug-in.
struct LibraryFunctions {
  world::World& (*world)();
  void (*fatal)(const char* where, const char* text);                       ///< does not return
  void (*fatal_about)(unsigned peer, const char* where, const char* text);  ///< does not return
  void (*warn)(const char* where, const char* text);
  int (*reporting_rank)();
  void (*register_for_heavy_fences)();
  void (*heavy_fence)();
  /// probe_device() of the conduit with that name (probe.hpp): the reason why not, or nothing, in `text`.
  void (*try_device)(const char* conduit, const job::Membership& membership, device::Family family,
                     int ordinal, char* text, std::size_t bytes);
};

inline constexpr std::uint64_t kMagic = 0x7469'7564'6e6f'6361;  // "aconduit"
inline constexpr std::uint32_t kContract = AQUEDUCT_CONDUIT_CONTRACT;
inline constexpr const char* kLibrary = AQUEDUCT_LIBRARY_VERSION;

struct Plugin {
  // These never change their places: they are what tells other versions apart.
  std::uint64_t magic;
  std::uint32_t contract;
  const char* library;  ///< version
  // The rest is read once they match.
  /// Called once, first. Never null.
  const Description* (*begin)(const LibraryFunctions& host);
};

/// The plug-in's side: stores the library's functions.
void accept(const LibraryFunctions& host);
/// The same: has another process try whether this conduit moves memory of a device (Description::try_device).
/// Empty if it does, otherwise the reason why not.
std::string why_not_on_device(const char* conduit, const job::Membership& membership, device::Family family,
                              int ordinal);

}  // namespace aqueduct::conduit::plugin

extern "C" {
// NOLINTNEXTLINE(readability-identifier-naming): a symbol of C
[[gnu::visibility("default")]] extern const aqueduct::conduit::plugin::Plugin aqueduct_conduit_plugin;
}

// NOLINTBEGIN(bugprone-macro-parentheses): members of an Announced follow the description
#define AQUEDUCT_CONDUIT_PLUGIN(description, ...)                                                            \
  [[gnu::section(".note.aqueduct"), gnu::used,                                                               \
    gnu::aligned(                                                                                            \
        4)]] constinit const aqueduct::conduit::plugin::AnnouncementNote aqueduct_announcement_note =        \
      aqueduct::conduit::plugin::announce({__VA_ARGS__});                                                    \
  const aqueduct::conduit::plugin::Plugin aqueduct_conduit_plugin = {                                        \
      aqueduct::conduit::plugin::kMagic, aqueduct::conduit::plugin::kContract,                               \
      aqueduct::conduit::plugin::kLibrary,                                                                   \
      [](const aqueduct::conduit::plugin::LibraryFunctions& host) -> const aqueduct::conduit::Description* { \
        aqueduct::conduit::plugin::accept(host);                                                             \
        return &(description);                                                                               \
      }}
// NOLINTEND(bugprone-macro-parentheses)
