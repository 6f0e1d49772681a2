// A program or shared library on disk, as a loader sees it: what is mapped where, what it needs, which
// symbols it defines and refers to. x86-64 only. The file stays mapped, read-only, as long as the ElfFile
// lives.
#pragma once
#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace aqueduct::sim::process {

class ElfFile {
 public:
  /// Null, with a line about it in `why`, if the file is no dynamic object for this machine.
  static std::unique_ptr<ElfFile> open(const std::string& path, std::string* why);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  const std::string& path() const { return path_; }
  int fd() const { return fd_; }
  /// Its bytes.
  std::string_view contents() const { return {reinterpret_cast<const char*>(bytes_), size_}; }
  /// What is mapped from now on has other bytes at that address. False if that is not in the file, or not
  /// possible.
  bool patch(std::uint64_t address, std::string_view bytes);
  const Elf64_Ehdr& header() const { return *reinterpret_cast<const Elf64_Ehdr*>(bytes_); }
  std::span<const Elf64_Phdr> segments() const { return segments_; }
  const Elf64_Phdr* segment(std::uint32_t type) const;
  /// Addresses from 0 to the end of the last segment, in whole pages.
  std::size_t span_bytes() const;

  /// The value of an entry of the dynamic section; 0 if there is none.
  std::uint64_t dynamic(std::int64_t tag) const;
  const std::string& soname() const { return soname_; }
  const std::vector<std::string>& needed() const { return needed_; }
  /// Folders in which it looks for libraries, $ORIGIN replaced.
  std::vector<std::string> search_path() const;

  /// `bytes` at an address of the file's own; null if that is not in the file.
  template <class T>
  const T* at(std::uint64_t address, std::size_t count = 1) const {
    return reinterpret_cast<const T*>(find(address, count * sizeof(T)));
  }
  std::span<const Elf64_Rela> relocations() const { return table(DT_RELA, DT_RELASZ); }
  std::span<const Elf64_Rela> jump_slots() const { return table(DT_JMPREL, DT_PLTRELSZ); }
  /// Addresses of words that are relative to where the object is, in DT_RELR's form, unpacked.
  std::vector<std::uint64_t> relative_words() const;

  const Elf64_Sym& symbol(std::uint32_t index) const { return symbols_[index]; }
  const char* name_of(const Elf64_Sym& symbol) const { return text_ + symbol.st_name; }
  /// Of a symbol that it defines or refers to; null if it has none.
  const char* version_of(std::uint32_t index) const;
  /// One that it defines; `version` may be null: then the default one.
  const Elf64_Sym* find_symbol(std::string_view name, const char* version) const;

  /// A function of the symbol table for debuggers, or of the dynamic one, that contains the address; null if
  /// none.
  const Elf64_Sym* function_at(std::uint64_t address, const char** name) const;
  /// All symbols of the table for debuggers; empty if the file is stripped.
  std::span<const Elf64_Sym> debug_symbols() const { return debug_symbols_; }
  const char* debug_name_of(const Elf64_Sym& symbol) const { return debug_text_ + symbol.st_name; }

 private:
  ElfFile() = default;
  const std::byte* find(std::uint64_t address, std::size_t bytes) const;
  std::span<const Elf64_Rela> table(std::int64_t start, std::int64_t bytes) const;
  void read_versions();
  void read_symbols();
  void read_sections();
  std::size_t count_symbols() const;

  std::string path_, soname_;
  int fd_ = -1;
  bool is_patched_ = false;
  const std::byte* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::span<const Elf64_Phdr> segments_;
  std::span<const Elf64_Dyn> dynamic_;
  const char* text_ = "";
  std::span<const Elf64_Sym> symbols_;
  const Elf64_Half* version_numbers_ = nullptr;
  std::unordered_map<unsigned, const char*> versions_;  // by number, of both kinds
  std::unordered_multimap<std::string_view, std::uint32_t> defined_;
  std::vector<std::string> needed_;
  std::span<const Elf64_Sym> debug_symbols_;
  const char* debug_text_ = "";
};

}  // namespace aqueduct::sim::process
