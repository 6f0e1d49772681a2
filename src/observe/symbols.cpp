#include "observe/symbols.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

namespace aqueduct::observe {
namespace {

/// A file as it is; what is asked for beyond its end is not there.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : file_(path, std::ios::binary) {}

  template <class Item>
  bool read_at(std::uint64_t offset, Item* items, std::size_t count) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(
        file_.read(reinterpret_cast<char*>(items), static_cast<std::streamsize>(count * sizeof *items)));
  }

 private:
  std::ifstream file_;
};

constexpr std::uint64_t kMostSymbols = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostTextBytes = std::uint64_t{1} << 30;

/// Of "void f<int>(long)": f. What has no such form stays as it is, within reason.
std::string without_arguments(const std::string& name) {
  constexpr std::size_t kLongest = 100;
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  std::string plain = name;
  for (std::size_t at; (at = plain.find(kUnnamed)) != std::string::npos;) plain.erase(at, kUnnamed.size());
  plain.resize(std::min(plain.find_first_of("<("), plain.size()));
  if (const std::size_t space = plain.rfind(' '); space != std::string::npos) plain.erase(0, space + 1);
  if (plain.empty() || plain.ends_with("operator")) plain = name;
  if (plain.size() > kLongest) plain = plain.substr(0, kLongest) + "...";
  return plain;
}

std::string demangled(const std::string& name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  if (status != 0 || !text) return name;
  std::string plain = text;
  std::free(text);
  return without_arguments(plain);
}

std::string hexadecimal(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

struct Mapping {
  std::uint64_t begin = 0, end = 0, offset = 0;
  std::string path;
};

std::vector<Mapping> mappings_of(pid_t process) {
  std::vector<Mapping> mappings;
  std::ifstream file("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(file, line);) {
    Mapping mapping;
    unsigned long long begin = 0, end = 0, offset = 0;
    int path_at = 0;
    char rights[8] = "";
    if (std::sscanf(line.c_str(), "%llx-%llx %7s %llx %*s %*s %n", &begin, &end, rights, &offset, &path_at) <
        4)
      continue;
    if (std::strchr(rights, 'x') == nullptr) continue;
    mapping.begin = begin;
    mapping.end = end;
    mapping.offset = offset;
    mapping.path = line.substr(std::min<std::size_t>(static_cast<std::size_t>(path_at), line.size()));
    mappings.push_back(std::move(mapping));
  }
  return mappings;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

SymbolTable SymbolTable::read(const std::string& path) {
  SymbolTable table;
  ElfFile file(path);
  Elf64_Ehdr header{};
  if (!file.read_at(0, &header, 1) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return table;
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!file.read_at(header.e_phoff, segments.data(), segments.size())) return table;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD)
      table.segments_.push_back({segment.p_offset, segment.p_filesz, segment.p_vaddr});
  }
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (!file.read_at(header.e_shoff, sections.data(), sections.size())) return table;
  const auto find = [&](std::uint32_t type) {
    return std::find_if(sections.begin(), sections.end(),
                        [&](const Elf64_Shdr& s) { return s.sh_type == type; });
  };
  auto symbols = find(SHT_SYMTAB);
  if (symbols == sections.end()) symbols = find(SHT_DYNSYM);
  if (symbols == sections.end() || symbols->sh_link >= sections.size()) return table;
  const Elf64_Shdr& names = sections[symbols->sh_link];
  const std::uint64_t count = symbols->sh_size / sizeof(Elf64_Sym);
  if (count > kMostSymbols || names.sh_size > kMostTextBytes || names.sh_size == 0) return table;
  std::vector<Elf64_Sym> all(count);
  std::string text(names.sh_size, '\0');
  if (!file.read_at(symbols->sh_offset, all.data(), all.size()) ||
      !file.read_at(names.sh_offset, text.data(), text.size()))
    return table;
  text.back() = '\0';
  for (const Elf64_Sym& symbol : all) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_value == 0 || symbol.st_name >= text.size())
      continue;
    table.functions_.push_back({symbol.st_value, symbol.st_size, text.c_str() + symbol.st_name});
  }
  std::sort(table.functions_.begin(), table.functions_.end(),
            [](const Function& a, const Function& b) { return a.address < b.address; });
  return table;
}

std::uint64_t SymbolTable::address_of(std::uint64_t offset) const {
  for (const Segment& segment : segments_) {
    if (offset >= segment.offset && offset - segment.offset < segment.bytes)
      return offset - segment.offset + segment.address;
  }
  return offset;
}

std::string SymbolTable::name(std::uint64_t address) const {
  auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                [](std::uint64_t a, const Function& f) { return a < f.address; });
  if (after == functions_.begin()) return {};
  const Function& function = *std::prev(after);
  if (function.bytes != 0 && address - function.address > function.bytes) return {};
  return demangled(function.name) + "+" + hexadecimal(address - function.address);
}

const SymbolTable& Symbols::table_of(const std::string& path) {
  struct stat file = {};
  ::stat(path.c_str(), &file);
  const FileId id{file.st_dev, file.st_ino};
  const auto found = tables_.find(id);
  if (found != tables_.end()) return found->second;
  return tables_.emplace(id, SymbolTable::read(path)).first->second;
}

std::vector<std::string> Symbols::name(pid_t process, const std::vector<std::uint64_t>& addresses) {
  const std::vector<Mapping> mappings = mappings_of(process);
  std::vector<std::string> lines;
  for (const std::uint64_t address : addresses) {
    const auto mapping = std::find_if(mappings.begin(), mappings.end(), [&](const Mapping& m) {
      return address >= m.begin && address < m.end;
    });
    if (mapping == mappings.end()) {
      lines.push_back(hexadecimal(address));
      continue;
    }
    const std::uint64_t offset = address - mapping->begin + mapping->offset;
    const SymbolTable& table = table_of("/proc/" + std::to_string(process) + "/root" + mapping->path);
    const std::uint64_t in_file = table.address_of(offset);
    const std::string function = table.name(in_file);
    lines.push_back((function.empty() ? std::string("?") : function) + " in " + file_name(mapping->path) +
                    " " + hexadecimal(in_file));
  }
  return lines;
}

}  // namespace aqueduct::observe
