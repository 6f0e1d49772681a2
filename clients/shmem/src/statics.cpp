#include "statics.hpp"

#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace aqshmem {
namespace {

int look_at_executable(dl_phdr_info* info, std::size_t, void* found) {
  auto& statics = *static_cast<Statics*>(found);
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  std::uintptr_t read_only_begin = 0;
  std::uintptr_t read_only_end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_GNU_RELRO) continue;
    read_only_begin = (info->dlpi_addr + header.p_vaddr) / page * page;
    read_only_end = (info->dlpi_addr + header.p_vaddr + header.p_memsz) / page * page;
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_W)) continue;
    std::uintptr_t begin = (info->dlpi_addr + header.p_vaddr) / page * page;
    const std::uintptr_t end = (info->dlpi_addr + header.p_vaddr + header.p_memsz + page - 1) / page * page;
    if (begin < read_only_end && read_only_begin <= begin) begin = read_only_end;
    if (end > begin && end - begin > statics.bytes) statics = {begin, end - begin, info->dlpi_addr};
  }
  return 1;  // the first one is the executable
}

/// Copies the words of a page that are not zero: between variables there is what a sanitizer lets nobody
/// read, and it looks at memcpy, too. Pages of zeros stay as they are, and take no memory.
[[gnu::no_sanitize_address]] void copy_page(const volatile std::uint64_t* from, volatile std::uint64_t* to,
                                            std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = from[i];
    if (word != 0) to[i] = word;
  }
}

}  // namespace

Statics find_statics() {
  Statics statics;
  ::dl_iterate_phdr(look_at_executable, &statics);
  return statics;
}

bool make_shared(void* place, std::size_t bytes) {
  const int file = ::memfd_create("shmem-statics", MFD_CLOEXEC);
  if (file < 0) return false;
  const bool done =
      ::ftruncate(file, static_cast<off_t>(bytes)) == 0 &&
      ::mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
  ::close(file);
  return done;
}

bool move_statics(const Statics& statics, void* shared) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (std::size_t at = 0; at < statics.bytes; at += page) {
    copy_page(reinterpret_cast<const std::uint64_t*>(statics.begin + at),
              reinterpret_cast<std::uint64_t*>(static_cast<char*>(shared) + at),
              page / sizeof(std::uint64_t));
  }
  // An old size of 0 asks for one more mapping of the same shared pages. The system is called past mremap()
  // itself, which libraries of networks replace: UCX, under an MPI, by one that forgets the new address.
  return ::syscall(SYS_mremap, shared, std::size_t{0}, statics.bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                   statics.begin) == static_cast<long>(statics.begin);
}

}  // namespace aqshmem
