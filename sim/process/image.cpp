#include "sim/process/image.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/fatal.hpp"
#include "base/types.hpp"
#include "sim/process/call_stack.hpp"

namespace aqueduct::sim::process {
namespace {

/// Far from what the system places by itself.
constexpr std::uintptr_t kFirst = std::uintptr_t{0x10} << 40;

/// By number; all of one program.
std::vector<const Image*>& all_images() {
  static auto& images = *new std::vector<const Image*>;
  return images;
}

[[noreturn]] void refused(std::size_t number) {
  const int reason = errno;
  fatal("simulation", "cannot map copy %zu of the program: %s%s", number, std::strerror(reason),
        reason == ENOMEM ? "; the system allows a process more mappings with: sysctl vm.max_map_count=1000000"
                         : "");
}

int protection_of(const Elf64_Phdr& segment) {
  return ((segment.p_flags & PF_R) != 0 ? PROT_READ : 0) | ((segment.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
         ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

}  // namespace

Image::Image(const Program& program, std::size_t number)
    : program_(program),
      number_(number),
      base_(reinterpret_cast<std::byte*>(kFirst + number * program.span_bytes())) {
  for (const Program::Object& object : program.objects()) map(object);
  write_words();
  auto& images = all_images();
  if (images.size() <= number) images.resize(number + 1);
  images[number] = this;
}

Image::~Image() {
  forget(*this);
  all_images()[number_] = nullptr;
  ::munmap(base_, program_.span_bytes());
}

// Parts that are not written to and follow each other in the file as in memory are one mapping: a process may
// not have many.
void Image::map(const Program::Object& object) {
  const ElfFile& file = *object.file;
  std::byte* const start = base_ + object.place;
  struct Part {
    std::uint64_t from, to, offset;
    int protection;
  };
  std::vector<Part> parts;
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_LOAD) continue;
    const std::uint64_t from = segment.p_vaddr / kPage * kPage;
    const Part part{from, round_up(segment.p_vaddr + segment.p_filesz, kPage),
                    segment.p_offset - (segment.p_vaddr - from), protection_of(segment)};
    if (!parts.empty() && ((parts.back().protection | part.protection) & PROT_WRITE) == 0 &&
        part.from - parts.back().from == part.offset - parts.back().offset) {
      parts.back().to = part.to;
      parts.back().protection |= part.protection;
    } else if (part.to > part.from) {
      parts.push_back(part);
    }
  }
  for (const Part& part : parts) {
    if (::mmap(start + part.from, part.to - part.from, part.protection, MAP_PRIVATE | MAP_FIXED_NOREPLACE,
               file.fd(), static_cast<off_t>(part.offset)) == MAP_FAILED)
      refused(number_);
  }
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_LOAD || segment.p_memsz <= segment.p_filesz) continue;
    const std::uint64_t zeros = segment.p_vaddr + segment.p_filesz, pages = round_up(zeros, kPage);
    const std::uint64_t end = round_up(segment.p_vaddr + segment.p_memsz, kPage);
    if (segment.p_filesz != 0 && pages != zeros) std::memset(start + zeros, 0, pages - zeros);
    const std::uint64_t first = segment.p_filesz != 0 ? pages : zeros / kPage * kPage;
    if (end > first &&
        ::mmap(start + first, end - first, protection_of(segment),
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
      refused(number_);
  }
}

void Image::write_words() {
  const auto base = reinterpret_cast<std::uint64_t>(base_);
  const auto write = [this](std::size_t place, std::uint64_t value) {
    std::memcpy(base_ + place, &value, sizeof value);
  };
  for (const Program::Word& word : program_.words()) write(word.place, word.value + (word.moves ? base : 0));
  for (const Program::Word& word : program_.asked_words()) {
    const auto choose = reinterpret_cast<std::uint64_t (*)()>(base + word.value);
    write(word.place, choose());
  }
  for (const Program::TakenOver& variable : program_.taken_over()) {
    std::memcpy(base_ + variable.place,
                reinterpret_cast<const std::byte*>(variable.source + (variable.moves ? base : 0)),
                variable.bytes);
  }
}

void Image::fill_thread_locals(std::byte* pointer) const {
  for (const Program::Object& object : program_.objects()) {
    if (object.tls_below == 0) continue;
    const Elf64_Phdr& tls = *object.file->segment(PT_TLS);
    // Not the file's bytes: addresses in them are bound.
    std::memcpy(pointer - object.tls_below, base_ + object.place + tls.p_vaddr, tls.p_filesz);
    std::memset(pointer - object.tls_below + tls.p_filesz, 0, tls.p_memsz - tls.p_filesz);
  }
}

void* Image::find(const char* name) const {
  const ElfFile& file = *program_.objects().front().file;
  if (const Elf64_Sym* const symbol = file.find_symbol(name, nullptr)) return base_ + symbol->st_value;
  for (const Elf64_Sym& symbol : file.debug_symbols()) {
    if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_shndx != SHN_UNDEF &&
        std::strcmp(file.debug_name_of(symbol), name) == 0)
      return base_ + symbol.st_value;
  }
  return nullptr;
}

const Image* Image::at(const void* address) {
  for (const Image* image : all_images()) {
    if (!image) continue;
    const auto place = static_cast<std::size_t>(static_cast<const std::byte*>(address) - image->base_);
    if (place < image->program_.span_bytes()) return image;
    const std::size_t number = place / image->program_.span_bytes() + image->number_;
    return number < all_images().size() && static_cast<const std::byte*>(address) >= image->base_
               ? all_images()[number]
               : nullptr;
  }
  return nullptr;
}

}  // namespace aqueduct::sim::process
