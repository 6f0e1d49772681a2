// What a plug-in's file says about it, so that the registry can judge it without loading it: loading also
// maps the libraries that the plug-in is linked with, an MPI say, which then stay in the process.
//
// AQUEDUCT_CONDUIT_PLUGIN (plugin.hpp) writes it into the file as an ELF note: owner "Aqueduct", type 1. So
// it always belongs to this build of the file; the linker and strip keep notes.
//
// The note has the version of the library and the conduit's preference (Description::preference): it is
// `preference`, or, if one of the things in `where` exists, at most `most`; then the plug-in must be asked
// (probe.hpp). Blanks separate the things:
//
//   /sys/class/infiniband/*     a file, by a pattern of glob(3)
//   $FI_PROVIDER_PATH           a variable of the environment that is set
//
// This code loads and starts nothing. Any thread.
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
  // These never change their places, so that every version can compare them.
  std::uint32_t contract = AQUEDUCT_CONDUIT_CONTRACT;
  char library[20] = AQUEDUCT_LIBRARY_VERSION;
  // The rest is read only if they match.
  std::int32_t preference = 0;
  std::int32_t most = 0;
  char where[256] = {};

  /// Whether file and library were made from the same headers.
  bool is_for_this_library() const;
  /// The highest preference that the conduit can have on this machine.
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

/// The announcement in a file; nothing if it has none, or is not a file for this kind of machine.
std::optional<Announcement> read_announcement(const std::string& path);

}  // namespace aqueduct::conduit::plugin
