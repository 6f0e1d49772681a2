#include "sim/process/elf_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/types.hpp"

namespace aqueduct::sim::process {
namespace {

constexpr Elf64_Half kHiddenVersion = 0x8000;

/// Splits a search path; $ORIGIN is the folder of `file`.
void add_folders(const char* text, const std::string& file, std::vector<std::string>& folders) {
  const std::string all = text;
  for (std::size_t start = 0; start <= all.size();) {
    const std::size_t end = std::min(all.find(':', start), all.size());
    std::string folder = all.substr(start, end - start);
    for (const char* word : {"${ORIGIN}", "$ORIGIN"}) {
      const std::size_t at = folder.find(word);
      if (at != std::string::npos)
        folder.replace(at, std::strlen(word), file.substr(0, std::max<std::size_t>(file.rfind('/'), 1)));
    }
    if (!folder.empty()) folders.push_back(std::move(folder));
    start = end + 1;
  }
}

}  // namespace

std::unique_ptr<ElfFile> ElfFile::open(const std::string& path, std::string* why) {
  std::unique_ptr<ElfFile> file(new ElfFile);
  char resolved[PATH_MAX];
  file->path_ = ::realpath(path.c_str(), resolved) ? resolved : path;
  file->fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file->fd_ < 0 || ::fstat(file->fd_, &status) != 0) {
    *why = std::strerror(errno);
    return nullptr;
  }
  file->size_ = static_cast<std::size_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || file->size_ < sizeof(Elf64_Ehdr)) {
    *why = "it is no program";
    return nullptr;
  }
  void* const mapped = ::mmap(nullptr, file->size_, PROT_READ, MAP_PRIVATE, file->fd_, 0);
  if (mapped == MAP_FAILED) {
    *why = std::strerror(errno);
    return nullptr;
  }
  file->bytes_ = static_cast<const std::byte*>(mapped);
  const Elf64_Ehdr& header = file->header();
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    *why = std::memcmp(header.e_ident, "#!", 2) == 0 ? "it is a script; name the program that it starts"
                                                     : "it is no program";
    return nullptr;
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) {
    *why = "it is for another machine; build it for x86-64, with 64 bits";
    return nullptr;
  }
  if (header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr) > file->size_) {
    *why = "it is cut short";
    return nullptr;
  }
  file->segments_ = {reinterpret_cast<const Elf64_Phdr*>(file->bytes_ + header.e_phoff), header.e_phnum};
  if (const Elf64_Phdr* const dynamic = file->segment(PT_DYNAMIC)) {
    if (const auto* entries = file->at<Elf64_Dyn>(dynamic->p_vaddr, dynamic->p_filesz / sizeof(Elf64_Dyn)))
      file->dynamic_ = {entries, dynamic->p_filesz / sizeof(Elf64_Dyn)};
  }
  if (const char* const text = file->at<char>(file->dynamic(DT_STRTAB))) file->text_ = text;
  for (const Elf64_Dyn& entry : file->dynamic_) {
    if (entry.d_tag == DT_NEEDED) file->needed_.emplace_back(file->text_ + entry.d_un.d_val);
    if (entry.d_tag == DT_SONAME) file->soname_ = file->text_ + entry.d_un.d_val;
    if (entry.d_tag == DT_NULL) break;
  }
  file->read_versions();
  file->read_symbols();
  file->read_sections();
  return file;
}

ElfFile::~ElfFile() {
  if (bytes_) ::munmap(const_cast<std::byte*>(bytes_), size_);
  if (fd_ >= 0) ::close(fd_);
}

const Elf64_Phdr* ElfFile::segment(std::uint32_t type) const {
  const auto found = std::ranges::find(segments_, type, &Elf64_Phdr::p_type);
  return found == segments_.end() ? nullptr : &*found;
}

std::size_t ElfFile::span_bytes() const {
  std::size_t end = 0;
  for (const Elf64_Phdr& segment : segments_)
    if (segment.p_type == PT_LOAD) end = std::max<std::size_t>(end, segment.p_vaddr + segment.p_memsz);
  return round_up(end, kPage);
}

std::uint64_t ElfFile::dynamic(std::int64_t tag) const {
  for (const Elf64_Dyn& entry : dynamic_) {
    if (entry.d_tag == tag) return entry.d_un.d_val;
    if (entry.d_tag == DT_NULL) break;
  }
  return 0;
}

std::vector<std::string> ElfFile::search_path() const {
  std::vector<std::string> folders;
  if (const std::uint64_t path = dynamic(DT_RUNPATH)) {
    if (const char* const first = std::getenv("LD_LIBRARY_PATH")) add_folders(first, path_, folders);
    add_folders(text_ + path, path_, folders);
  } else {
    if (const std::uint64_t old = dynamic(DT_RPATH)) add_folders(text_ + old, path_, folders);
    if (const char* const then = std::getenv("LD_LIBRARY_PATH")) add_folders(then, path_, folders);
  }
  return folders;
}

bool ElfFile::patch(std::uint64_t address, std::string_view bytes) {
  const std::byte* const there = find(address, bytes.size());
  if (!there) return false;
  if (!is_patched_) {
    const int copy = ::memfd_create("program", MFD_CLOEXEC);
    if (copy < 0 || ::ftruncate(copy, static_cast<off_t>(size_)) != 0) return false;
    for (std::size_t done = 0; done < size_;) {
      const ssize_t written = ::write(copy, bytes_ + done, size_ - done);
      if (written <= 0) return false;
      done += static_cast<std::size_t>(written);
    }
    ::close(std::exchange(fd_, copy));
    is_patched_ = true;
  }
  return ::pwrite(fd_, bytes.data(), bytes.size(), there - bytes_) == static_cast<ssize_t>(bytes.size());
}

const std::byte* ElfFile::find(std::uint64_t address, std::size_t bytes) const {
  if (address == 0) return nullptr;  // what an entry that is not there says
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const std::uint64_t into = address - segment.p_vaddr;
    if (into + bytes > segment.p_filesz || segment.p_offset + into + bytes > size_) continue;
    return bytes_ + segment.p_offset + into;
  }
  return nullptr;
}

std::span<const Elf64_Rela> ElfFile::table(std::int64_t start, std::int64_t bytes) const {
  const std::size_t count = dynamic(bytes) / sizeof(Elf64_Rela);
  const auto* const first = count == 0 ? nullptr : at<Elf64_Rela>(dynamic(start), count);
  return first ? std::span(first, count) : std::span<const Elf64_Rela>();
}

std::vector<std::uint64_t> ElfFile::relative_words() const {
  constexpr std::int64_t kTable = 36, kBytes = 35;  // DT_RELR and DT_RELRSZ, which are new
  constexpr unsigned kWordsOfMap = 63;
  std::vector<std::uint64_t> words;
  const std::size_t count = dynamic(kBytes) / sizeof(std::uint64_t);
  const auto* const entries = count == 0 ? nullptr : at<std::uint64_t>(dynamic(kTable), count);
  std::uint64_t next = 0;
  for (std::size_t i = 0; entries && i < count; ++i) {
    if ((entries[i] & 1) == 0) {
      words.push_back(entries[i]);
      next = entries[i] + sizeof(std::uint64_t);
      continue;
    }
    for (unsigned bit = 0; bit < kWordsOfMap; ++bit)
      if ((entries[i] >> (bit + 1) & 1) != 0) words.push_back(next + bit * sizeof(std::uint64_t));
    next += kWordsOfMap * sizeof(std::uint64_t);
  }
  return words;
}

std::size_t ElfFile::count_symbols() const {
  if (const auto* const hash = at<std::uint32_t>(dynamic(DT_HASH), 2)) return hash[1];
  const std::uint64_t start = dynamic(DT_GNU_HASH);
  const auto* const gnu = at<std::uint32_t>(start, 4);
  if (!gnu) return 0;
  // The last symbol is the end of the chain of the largest bucket.
  const std::uint32_t buckets = gnu[0], first = gnu[1], filter_words = gnu[2];
  const std::uint64_t bucket_start = start + 16 + filter_words * 8ull,
                      chain_start = bucket_start + buckets * 4ull;
  const auto* const bucket = at<std::uint32_t>(bucket_start, buckets);
  std::uint32_t last = bucket && buckets != 0 ? *std::max_element(bucket, bucket + buckets) : 0;
  if (last < first) return first;
  while (const auto* chain = at<std::uint32_t>(chain_start + (last - first) * 4ull)) {
    if ((*chain & 1) != 0) break;
    ++last;
  }
  return last + 1;
}

void ElfFile::read_versions() {
  if (const auto* numbers = at<Elf64_Half>(dynamic(DT_VERSYM), 1)) version_numbers_ = numbers;
  std::uint64_t place = dynamic(DT_VERDEF);
  for (std::uint64_t left = dynamic(DT_VERDEFNUM); left != 0; --left) {
    const auto* const definition = at<Elf64_Verdef>(place);
    if (!definition) break;
    if (const auto* first = at<Elf64_Verdaux>(place + definition->vd_aux))
      versions_[definition->vd_ndx] = text_ + first->vda_name;
    place += definition->vd_next;
  }
  place = dynamic(DT_VERNEED);
  for (std::uint64_t left = dynamic(DT_VERNEEDNUM); left != 0; --left) {
    const auto* const need = at<Elf64_Verneed>(place);
    if (!need) break;
    std::uint64_t version_place = place + need->vn_aux;
    for (unsigned count = need->vn_cnt; count != 0; --count) {
      const auto* const version = at<Elf64_Vernaux>(version_place);
      if (!version) break;
      versions_[version->vna_other] = text_ + version->vna_name;
      version_place += version->vna_next;
    }
    place += need->vn_next;
  }
}

void ElfFile::read_symbols() {
  const std::size_t count = count_symbols();
  const auto* const first = count == 0 ? nullptr : at<Elf64_Sym>(dynamic(DT_SYMTAB), count);
  if (!first) return;
  symbols_ = {first, count};
  for (std::uint32_t i = 1; i < count; ++i) {
    const Elf64_Sym& symbol = symbols_[i];
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
    defined_.emplace(name_of(symbol), i);
  }
}

void ElfFile::read_sections() {
  const Elf64_Ehdr& it = header();
  if (it.e_shentsize != sizeof(Elf64_Shdr) || it.e_shoff + it.e_shnum * sizeof(Elf64_Shdr) > size_) return;
  const std::span sections(reinterpret_cast<const Elf64_Shdr*>(bytes_ + it.e_shoff), it.e_shnum);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& names = sections[section.sh_link];
    if (section.sh_offset + section.sh_size > size_ || names.sh_offset + names.sh_size > size_) continue;
    debug_symbols_ = {reinterpret_cast<const Elf64_Sym*>(bytes_ + section.sh_offset),
                      section.sh_size / sizeof(Elf64_Sym)};
    debug_text_ = reinterpret_cast<const char*>(bytes_ + names.sh_offset);
  }
}

const char* ElfFile::version_of(std::uint32_t index) const {
  if (!version_numbers_) return nullptr;
  const unsigned number = version_numbers_[index] & ~unsigned{kHiddenVersion};
  const auto found = versions_.find(number);
  return number <= VER_NDX_GLOBAL || found == versions_.end() ? nullptr : found->second;
}

const Elf64_Sym* ElfFile::find_symbol(std::string_view name, const char* version) const {
  const Elf64_Sym* without_version = nullptr;
  const auto [first, last] = defined_.equal_range(name);
  for (auto it = first; it != last; ++it) {
    const Elf64_Sym* const symbol = &symbols_[it->second];
    const char* const own = version_of(it->second);
    const bool is_hidden = version_numbers_ && (version_numbers_[it->second] & kHiddenVersion) != 0;
    if (!own || !version) {
      if (!is_hidden) without_version = symbol;
    } else if (std::strcmp(own, version) == 0) {
      return symbol;
    }
  }
  return without_version;
}

const Elf64_Sym* ElfFile::function_at(std::uint64_t address, const char** name) const {
  const auto look = [&](std::span<const Elf64_Sym> symbols, const char* text) -> const Elf64_Sym* {
    for (const Elf64_Sym& symbol : symbols) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
      if (address < symbol.st_value || address - symbol.st_value >= symbol.st_size) continue;
      *name = text + symbol.st_name;
      return &symbol;
    }
    return nullptr;
  };
  if (const Elf64_Sym* found = look(debug_symbols_, debug_text_)) return found;
  return look(symbols_, text_);
}

}  // namespace aqueduct::sim::process
