#include "conduit/plugin/announcement.hpp"

#include <fcntl.h>
#include <glob.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "net/descriptor.hpp"

namespace aqueduct::conduit::plugin {
namespace {

constexpr std::size_t kMostHeaders = 64;         // of segments; plug-ins have about ten
constexpr std::size_t kMostNoteBytes = 1 << 16;  // of one segment

bool read_at(int fd, std::size_t offset, void* to, std::size_t bytes) {
  return ::pread(fd, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

// The padded size of the owner's name or of the content.
std::size_t padded_part(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

std::optional<Announcement> find_in_notes(const std::vector<char>& notes) {
  std::size_t at = 0;
  ElfW(Nhdr) head;
  while (at + sizeof head <= notes.size()) {
    std::memcpy(&head, &notes[at], sizeof head);
    const std::size_t owner = at + sizeof head;
    const std::size_t content = owner + padded_part(head.n_namesz);
    const std::size_t end = content + padded_part(head.n_descsz);
    if (end > notes.size()) break;
    const std::string_view name(&notes[owner], head.n_namesz);
    if (name == std::string_view(AnnouncementNote::kOwner, sizeof AnnouncementNote::kOwner) &&
        head.n_type == AnnouncementNote::kType && head.n_descsz >= offsetof(Announcement, preference)) {
      Announcement found{};
      std::memcpy(&found, &notes[content], std::min<std::size_t>(head.n_descsz, sizeof found));
      found.library[sizeof found.library - 1] = '\0';
      found.where[sizeof found.where - 1] = '\0';
      return found;
    }
    at = end;
  }
  return std::nullopt;
}

bool is_there(const std::string& thing) {
  if (thing.front() == '$') return std::getenv(thing.c_str() + 1) != nullptr;
  glob_t found{};
  const bool is = ::glob(thing.c_str(), GLOB_NOSORT, nullptr, &found) == 0;
  ::globfree(&found);
  return is;
}

}  // namespace

bool Announcement::is_for_this_library() const {
  return contract == AQUEDUCT_CONDUIT_CONTRACT && std::strcmp(library, AQUEDUCT_LIBRARY_VERSION) == 0;
}

int Announcement::most_here() const {
  if (most <= preference) return preference;
  for (std::string_view rest = where; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (end != 0 && is_there(std::string(rest.substr(0, end)))) return most;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return preference;
}

std::optional<Announcement> read_announcement(const std::string& path) {
  const net::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ElfW(Ehdr) head;
  if (file.get() < 0 || !read_at(file.get(), 0, &head, sizeof head) ||
      std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32) ||
      head.e_phentsize != sizeof(ElfW(Phdr)) || head.e_phnum > kMostHeaders)
    return std::nullopt;
  std::vector<ElfW(Phdr)> segments(head.e_phnum);
  if (!read_at(file.get(), head.e_phoff, segments.data(), segments.size() * sizeof segments[0]))
    return std::nullopt;
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNoteBytes) continue;
    std::vector<char> notes(segment.p_filesz);
    if (!read_at(file.get(), segment.p_offset, notes.data(), notes.size())) continue;
    if (const auto found = find_in_notes(notes)) return found;
  }
  return std::nullopt;
}

}  // namespace aqueduct::conduit::plugin
