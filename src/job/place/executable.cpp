#include "job/place/executable.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

namespace aqueduct::job {
namespace {

std::size_t round_note(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

/// The id in a segment of notes; empty if there is none.
std::string id_in_notes(const char* notes, std::size_t bytes) {
  constexpr char kOwner[] = "GNU";
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const std::size_t name = at + sizeof note, id = name + round_note(note.n_namesz);
    const std::size_t end = id + round_note(note.n_descsz);
    if (end > bytes) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof kOwner &&
        std::memcmp(notes + name, kOwner, sizeof kOwner) == 0) {
      constexpr char kDigits[] = "0123456789abcdef";
      std::string text;
      for (std::size_t i = 0; i < note.n_descsz; ++i) {
        const auto byte = static_cast<unsigned char>(notes[id + i]);
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
      }
      return text;
    }
    at = end;
  }
  return {};
}

/// The first object is the program itself.
int look_at_program(dl_phdr_info* object, std::size_t, void* result) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): dl_phdr_info has addresses as integers
    const auto* const notes = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    const std::string id = id_in_notes(notes, segment.p_memsz);
    if (!id.empty()) *static_cast<std::string*>(result) = id;
  }
  return 1;  // enough
}

}  // namespace

Executable own_executable() {
  Executable own;
  ::dl_iterate_phdr(look_at_program, &own.build_id);
  char path[512] = "";
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  char host[65] = "";
  ::gethostname(host, sizeof host - 1);
  own.place = std::string(path, length > 0 ? static_cast<std::size_t>(length) : 0) + " on host " + host;
  return own;
}

}  // namespace aqueduct::job
