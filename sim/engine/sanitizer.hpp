// Tells the sanitizers which stack runs; does nothing without a sanitizer.
#pragma once
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace aqueduct::sim {

#if defined(__SANITIZE_ADDRESS__)

class SanitizedStack {
 public:
  /// The memory may have been a stack before, of a fiber that never unwound it.
  void begins(void* top, std::size_t bytes) {
    __asan_unpoison_memory_region(static_cast<std::byte*>(top) - bytes, bytes);
  }
  void leaves_loop(void* top, std::size_t bytes) {
    __sanitizer_start_switch_fiber(&loop_fake_, static_cast<std::byte*>(top) - bytes, bytes);
  }
  void arrived_in_fiber() { __sanitizer_finish_switch_fiber(fiber_fake_, &loop_bottom_, &loop_bytes_); }
  void leaves_fiber(bool for_ever) {
    __sanitizer_start_switch_fiber(for_ever ? nullptr : &fiber_fake_, loop_bottom_, loop_bytes_);
  }
  void arrived_in_loop() { __sanitizer_finish_switch_fiber(loop_fake_, nullptr, nullptr); }

 private:
  void* loop_fake_ = nullptr;
  void* fiber_fake_ = nullptr;
  const void* loop_bottom_ = nullptr;
  std::size_t loop_bytes_ = 0;
};

#elif defined(__SANITIZE_THREAD__)

class SanitizedStack {
 public:
  ~SanitizedStack() {
    if (fiber_) __tsan_destroy_fiber(fiber_);
  }
  void begins(void*, std::size_t) {}
  void leaves_loop(void*, std::size_t) {
    if (!fiber_) fiber_ = __tsan_create_fiber(0);
    loop_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber_, 0);
  }
  void arrived_in_fiber() {}
  void leaves_fiber(bool) { __tsan_switch_to_fiber(loop_, 0); }
  void arrived_in_loop() {}

 private:
  void* fiber_ = nullptr;
  void* loop_ = nullptr;
};

#else

class SanitizedStack {
 public:
  void begins(void*, std::size_t) {}
  void leaves_loop(void*, std::size_t) {}
  void arrived_in_fiber() {}
  void leaves_fiber(bool) {}
  void arrived_in_loop() {}
};

#endif

}  // namespace aqueduct::sim
