// An ELF file of 64 bits, read piece by piece. Nothing in it is trusted: what it says to lie beyond its end
// is not there.
#pragma once
#include <elf.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace aqueduct::observe {

class ElfFile {
 public:
  /// Reads the headers. Both lists are empty if the file cannot be read or is no such file.
  explicit ElfFile(const std::string& path);

  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  /// The first section of that name; null if there is none.
  const Elf64_Shdr* section(const std::string& name);

  /// So many items from `offset` on; false, with some of them changed, if the file ends before.
  template <class Item>
  bool read_at(std::uint64_t offset, Item* items, std::size_t count) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(
        file_.read(reinterpret_cast<char*>(items), static_cast<std::streamsize>(count * sizeof *items)));
  }

 private:
  std::ifstream file_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  std::string names_;  ///< of sections, each with a zero
};

}  // namespace aqueduct::observe
