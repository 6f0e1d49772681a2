#include "observe/elf_file.hpp"

#include <algorithm>
#include <cstring>

namespace aqueduct::observe {

ElfFile::ElfFile(const std::string& path) : file_(path, std::ios::binary) {
  constexpr std::uint64_t kMostNameBytes = std::uint64_t{1} << 20;
  Elf64_Ehdr header{};
  if (!read_at(0, &header, 1) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return;
  segments_.resize(header.e_phnum);
  if (!read_at(header.e_phoff, segments_.data(), segments_.size())) segments_.clear();
  sections_.resize(header.e_shnum);
  if (!read_at(header.e_shoff, sections_.data(), sections_.size())) sections_.clear();
  if (header.e_shstrndx >= sections_.size()) return;
  const Elf64_Shdr& names = sections_[header.e_shstrndx];
  if (names.sh_size == 0 || names.sh_size > kMostNameBytes) return;
  names_.resize(names.sh_size);
  if (!read_at(names.sh_offset, names_.data(), names_.size())) names_.clear();
}

const Elf64_Shdr* ElfFile::section(const std::string& name) {
  const auto found = std::find_if(sections_.begin(), sections_.end(), [&](const Elf64_Shdr& section) {
    return section.sh_name < names_.size() && name == names_.c_str() + section.sh_name;
  });
  return found != sections_.end() ? &*found : nullptr;
}

}  // namespace aqueduct::observe
