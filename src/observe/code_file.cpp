#include "observe/code_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "observe/elf_file.hpp"

namespace aqueduct::observe {
namespace {

constexpr std::uint64_t kMostNoteBytes = std::uint64_t{1} << 16;
constexpr std::uint64_t kMostLinkBytes = 4096;

std::string in_hexadecimal(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

/// Of a note segment: the content of the note that is GNU's build id; empty if none is.
std::string_view build_id_among(std::string_view notes) {
  const auto padded = [](std::uint64_t bytes) { return (bytes + 3) & ~std::uint64_t{3}; };
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    const std::uint64_t name_bytes = padded(note.n_namesz), content_bytes = padded(note.n_descsz);
    if (name_bytes + content_bytes > notes.size()) return {};
    const std::string_view owner = notes.substr(0, note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && owner == std::string_view(ELF_NOTE_GNU, sizeof ELF_NOTE_GNU))
      return notes.substr(name_bytes, note.n_descsz);
    notes.remove_prefix(name_bytes + content_bytes);
  }
  return {};
}

/// In hexadecimal digits; empty if there is none.
std::string build_id_of(ElfFile& file) {
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNoteBytes) continue;
    std::string notes(segment.p_filesz, '\0');
    if (!file.read_at(segment.p_offset, notes.data(), notes.size())) continue;
    if (const std::string_view id = build_id_among(notes); !id.empty()) return in_hexadecimal(id);
  }
  return {};
}

/// Where debuggers, and addr2line, look for debug information that was taken out of a file.
bool has_separate_lines(ElfFile& file, const std::string& path, const std::string& build_id) {
  const auto is_there = [](const std::string& name) { return ::access(name.c_str(), R_OK) == 0; };
  const std::string root = "/usr/lib/debug";
  if (build_id.size() > 2 &&
      is_there(root + "/.build-id/" + build_id.substr(0, 2) + "/" + build_id.substr(2) + ".debug"))
    return true;
  const Elf64_Shdr* const link = file.section(".gnu_debuglink");
  if (!link || link->sh_size > kMostLinkBytes) return false;
  std::string content(link->sh_size, '\0');
  if (!file.read_at(link->sh_offset, content.data(), content.size())) return false;
  const std::string name = content.c_str();  // a checksum follows
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  if (name.empty() || name.find('/') != name.npos) return false;
  return is_there(folder + ".debug/" + name) || is_there(root + folder + name);
}

}  // namespace

std::optional<std::string> identity_with_lines(const std::string& path) {
  ElfFile file(path);
  const std::string build_id = build_id_of(file);
  if (!file.section(".debug_info") && !file.section(".zdebug_info") &&
      !has_separate_lines(file, path, build_id))
    return std::nullopt;
  if (!build_id.empty()) return build_id;
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) != 0) return std::nullopt;
  return std::to_string(facts.st_size) + " bytes, changed at " + std::to_string(facts.st_mtim.tv_sec);
}

}  // namespace aqueduct::observe
