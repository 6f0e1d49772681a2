// The thread pointer and the thread-local variables of a simulated process's thread.
//
// Every thread of a program has an area like one that the C library makes for a thread: its thread-local
// variables below the thread pointer, the C library's record of the thread above it. The thread pointer is
// changed with the fiber (fiber.hpp), so errno, exceptions and the program's thread_local variables are the
// thread's own, as are those of the simulator's code that it calls.
//
// The linker fixes where an executable's variables are: right below the thread pointer. There are those of
// the running executable, the tool, too. So the tool has a large unused variable that the linker puts last
// (thread_area.cpp): in the area of a simulated thread that place belongs to the program.
//
// Linux on x86-64 with the GNU C library, 2.34 or newer.
#pragma once
#include <cstddef>
#include <memory>
#include <string>

namespace aqueduct::sim::process {

#if defined(__x86_64__) && defined(__GLIBC__)
inline constexpr bool kSimulatesExecutables = true;
#else
inline constexpr bool kSimulatesExecutables = false;
#endif

class ThreadArea {
 public:
  static constexpr std::size_t kMostProgramBytes = std::size_t{64} << 10;

  /// Empty, or why this process can have no such areas.
  static std::string misfit();
  /// Of the caller.
  static std::byte* pointer() {
    std::byte* value = nullptr;
#if defined(__x86_64__)
    asm("mov %%fs:0, %0" : "=r"(value));
#endif
    return value;
  }
  static void set_pointer(std::byte* value);
  /// What a TLSDESC relocation calls.
  static void* tls_descriptor();

  /// With the initial values of all libraries' variables; those of the program are zero.
  ThreadArea();
  ~ThreadArea();
  ThreadArea(const ThreadArea&) = delete;
  ThreadArea& operator=(const ThreadArea&) = delete;

  std::byte* own_pointer() const { return pointer_; }
  /// The same variable of the tool, of the calling thread and in this area.
  template <class T>
  T& counterpart(T& variable) const {
    return *reinterpret_cast<T*>(pointer_ + (reinterpret_cast<std::byte*>(&variable) - pointer()));
  }

 private:
  std::byte* memory_ = nullptr;
  std::byte* pointer_ = nullptr;
};

}  // namespace aqueduct::sim::process
