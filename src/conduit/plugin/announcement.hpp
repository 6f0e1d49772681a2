// What a plug-in says about itself in its file, so that it can be judged without being loaded: to load it
// maps what it is linked with, an MPI say, which then lives in the process for good.
//
// AQUEDUCT_CONDUIT_PLUGIN (plugin.hpp) writes it into the file as an ELF note: owner "Aqueduct", type 1. It
// cannot be lost, nor be that of another build. The linker and strip keep notes.
//
// What the note says is who made the file, and how much the conduit is preferred (Description::preference):
// `preference`, or where one of the things in `where` is there, at most `most`. Then the plug-in has to be
// asked (probe.hpp). Things are separated by blanks:
//
//   /sys/class/infiniband/*     a file, by a pattern of glob(3)
//   $FI_PROVIDER_PATH           a variable of the environment that is set
//
// Nothing is loaded or started here. Any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "aqueduct/plugin_config.h"

namespace aqueduct::conduit::plugin {

/// As a plug-in's source writes it.
struct Announced {
  int preference = 0;
  int most = preference;
  std::string_view where = {};
};

/// The note's content.
struct Announcement {
  // These never change their places: they are what tells other versions apart.
  std::uint32_t contract = AQUEDUCT_CONDUIT_CONTRACT;
  char library[20] = AQUEDUCT_LIBRARY_VERSION;
  // The rest is read once they match.
  std::int32_t preference = 0;
  std::int32_t most = 0;
  char where[256] = {};

  /// Whether file and library were made from the same headers.
  bool is_for_this_library() const;
  /// How much the conduit can be preferred on this machine, at most.
  int most_here() const;
};

struct AnnouncementNote {
  static constexpr std::uint32_t kType = 1;
  static constexpr char kOwner[] = "Aqueduct";

  std::uint32_t owner_bytes = sizeof kOwner;
  std::uint32_t content_bytes = sizeof(Announcement);
  std::uint32_t type = kType;
  char owner[12] = "Aqueduct";
  Announcement content;
};
static_assert(sizeof(AnnouncementNote) == 3 * 4 + 12 + sizeof(Announcement));

consteval AnnouncementNote announce(const Announced& announced) {
  AnnouncementNote note;
  note.content.preference = announced.preference;
  note.content.most = announced.most;
  for (std::size_t i = 0; i < announced.where.size(); ++i) note.content.where[i] = announced.where[i];
  return note;
}

/// That of a file; nothing if it has none, or is no file of this machine's kind.
std::optional<Announcement> read_announcement(const std::string& path);

}  // namespace aqueduct::conduit::plugin
