#include "sim/process/thread_area.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "base/fatal.hpp"
#include "base/types.hpp"

#if defined(__x86_64__) && defined(__GLIBC__)
#include <asm/prctl.h>
#include <immintrin.h>

asm(R"(
  .pushsection .text
  .type aqueduct_tls_descriptor, @function
aqueduct_tls_descriptor:
  mov 8(%rax), %rax
  ret
  .size aqueduct_tls_descriptor, . - aqueduct_tls_descriptor
  .popsection
)");
extern "C" char aqueduct_tls_descriptor[];
#endif

namespace aqueduct::sim::process {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

#if defined(__x86_64__) && defined(__GLIBC__)
std::byte* place_of_programs() {
  std::byte* place;
  asm("mov %%fs:0, %0\n\tlea aqueduct_place_of_programs@tpoff(%0), %0" : "=r"(place));
  return place;
}

bool has_fsgsbase() {
  constexpr unsigned long kBit = 2;
  static const bool has = (::getauxval(AT_HWCAP2) & kBit) != 0;
  return has;
}

[[gnu::target("fsgsbase")]] void write_register(std::byte* value) {
  _writefsbase_u64(reinterpret_cast<std::uint64_t>(value));
}
#endif

/// What the C library tells debuggers and its own parts about a thread's record.
struct CLibrary {
  void* (*allocate)(void*) = nullptr;
  void (*deallocate)(void*, bool) = nullptr;
  std::size_t area_bytes = 0;
  std::size_t record_bytes = 0;
  std::size_t number_place = 0;  // of the thread's number

  static const CLibrary& get() {
    static const CLibrary it;
    return it;
  }

 private:
  template <class T>
  static T find(const char* name) {
    return reinterpret_cast<T>(::dlvsym(RTLD_DEFAULT, name, "GLIBC_PRIVATE"));
  }

  CLibrary() {
    allocate = find<void* (*)(void*)>("_dl_allocate_tls");
    deallocate = find<void (*)(void*, bool)>("_dl_deallocate_tls");
    const auto sizes = find<void (*)(std::size_t*, std::size_t*)>("_dl_get_tls_static_info");
    const auto* const record = find<const std::uint32_t*>("_thread_db_sizeof_pthread");
    const auto* const number = find<const std::uint32_t*>("_thread_db_pthread_tid");
    if (!allocate || !deallocate || !sizes || !record || !number) {
      allocate = nullptr;
      return;
    }
    std::size_t alignment = 0;
    sizes(&area_bytes, &alignment);
    record_bytes = *record;
    number_place = number[2];
  }
};

}  // namespace

std::string ThreadArea::misfit() {
  if (kSanitized)
    return "this aqueduct was built with a sanitizer, which knows nothing of simulated processes";
  const CLibrary& library = CLibrary::get();
  const std::size_t number = library.number_place;
  if (!library.allocate || *reinterpret_cast<const std::int32_t*>(pointer() + number) != ::gettid())
    return "this C library has no threads that are known here; it should be the GNU C library, 2.34 or newer";
#if defined(__x86_64__) && defined(__GLIBC__)
  if (place_of_programs() + kMostProgramBytes != pointer())
    return "this aqueduct was linked without room for programs' thread-local variables";
#endif
  return "";
}

#if defined(__x86_64__) && defined(__GLIBC__)
void ThreadArea::set_pointer(std::byte* value) {
  if (has_fsgsbase()) {
    write_register(value);
  } else {
    ::syscall(SYS_arch_prctl, ARCH_SET_FS, value);
  }
}

void* ThreadArea::tls_descriptor() { return aqueduct_tls_descriptor; }
#else
void ThreadArea::set_pointer(std::byte*) { fatal("simulation", "executables are simulated on x86-64 only"); }
void* ThreadArea::tls_descriptor() { return nullptr; }
#endif

ThreadArea::ThreadArea() {
  constexpr std::size_t kSelf = 0x10, kShared = 0x18, kSharedEnd = 0x50;
  const CLibrary& library = CLibrary::get();
  const std::size_t bytes = round_up(library.area_bytes, kPage);
  void* const mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) fatal("simulation", "no address space for another thread's variables");
  memory_ = static_cast<std::byte*>(mapped);
  pointer_ = memory_ + bytes - round_up(library.record_bytes, 64);
  if (!library.allocate(pointer_)) fatal("simulation", "no memory for another thread's variables");
  // The C library has cleared the program's place, and thereby taken memory for it.
  std::byte* const place = reinterpret_cast<std::byte*>(
      round_up(reinterpret_cast<std::size_t>(pointer_ - kMostProgramBytes), kPage));
  ::madvise(place, static_cast<std::size_t>(pointer_ - place) / kPage * kPage, MADV_DONTNEED);
  std::memcpy(pointer_, &pointer_, sizeof pointer_);
  std::memcpy(pointer_ + kSelf, &pointer_, sizeof pointer_);
  // Guards of stacks and of pointers are the process's.
  std::memcpy(pointer_ + kShared, pointer() + kShared, kSharedEnd - kShared);
  std::memcpy(pointer_ + library.number_place, pointer() + library.number_place, sizeof(std::int32_t));
}

ThreadArea::~ThreadArea() {
  const CLibrary& library = CLibrary::get();
  library.deallocate(pointer_, false);
  ::munmap(memory_, round_up(library.area_bytes, kPage));
}

}  // namespace aqueduct::sim::process
