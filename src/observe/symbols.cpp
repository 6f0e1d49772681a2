#include "observe/symbols.hpp"

#include <cxxabi.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "observe/code_file.hpp"
#include "observe/elf_file.hpp"

namespace aqueduct::observe {
namespace {

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

std::string plain_name(const std::string& mangled) {
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  if (status != 0 || !text) return mangled;
  std::string plain = text;
  std::free(text);
  return without_arguments(plain);
}

SymbolTable SymbolTable::read(const std::string& path) {
  SymbolTable table;
  ElfFile file(path);
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type == PT_LOAD)
      table.segments_.push_back({segment.p_offset, segment.p_filesz, segment.p_vaddr});
  }
  const std::vector<Elf64_Shdr>& sections = file.sections();
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
  return plain_name(function.name) + "+" + hexadecimal(address - function.address);
}

const Symbols::Known& Symbols::known(const std::string& path) {
  struct stat file = {};
  ::stat(path.c_str(), &file);
  const FileId id{file.st_dev, file.st_ino};
  const auto found = files_.find(id);
  if (found != files_.end()) return found->second;
  return files_.emplace(id, Known{SymbolTable::read(path), identity_with_lines(path)}).first->second;
}

std::vector<Frame> Symbols::name(pid_t process, const std::vector<std::uint64_t>& addresses,
                                 std::vector<CodeFile>& files) {
  const std::vector<Mapping> mappings = mappings_of(process);
  std::vector<Frame> frames;
  for (const std::uint64_t address : addresses) {
    const bool is_return = !frames.empty();
    const auto mapping = std::find_if(mappings.begin(), mappings.end(), [&](const Mapping& m) {
      return address >= m.begin && address < m.end;
    });
    Frame& frame = frames.emplace_back();
    if (mapping == mappings.end()) {
      frame.text = hexadecimal(address);
      continue;
    }
    const std::uint64_t offset = address - mapping->begin + mapping->offset;
    const Known& file = known("/proc/" + std::to_string(process) + "/root" + mapping->path);
    const std::uint64_t in_file = file.table.address_of(offset);
    const std::string function = file.table.name(in_file);
    frame.text = (function.empty() ? std::string("?") : function) + " in " + file_name(mapping->path) + " " +
                 hexadecimal(in_file);
    if (!file.identity) continue;
    const CodeFile code{mapping->path, *file.identity};
    const auto place = std::find(files.begin(), files.end(), code);
    frame.file = static_cast<std::uint32_t>(place - files.begin());
    frame.address = in_file - (is_return ? 1 : 0);  // the call may be the last of its line
    if (place == files.end()) files.push_back(code);
  }
  return frames;
}

}  // namespace aqueduct::observe
