// Memory for coroutine frames and other things of a few hundred bytes: free lists by size, of the thread that
// asks. What another thread frees goes to that thread's lists. Nothing is given back to the system, so a
// program that does the same again and again allocates nothing.
#ifndef AQUEDUCT_CXX_FRAME_POOL_HPP_
#define AQUEDUCT_CXX_FRAME_POOL_HPP_

#include <array>
#include <cstddef>
#include <new>
#include <utility>

#include "aqueduct/cxx/config.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

class FramePool {
  struct Free {
    Free* next;
  };
  static constexpr std::size_t kStep = 64;
  static constexpr std::size_t kClasses = 65;  // up to 4 KiB

  static std::array<Free*, kClasses>& lists() {
    static constinit thread_local std::array<Free*, kClasses> lists{};
    return lists;
  }

 public:
  static void* allocate(std::size_t bytes) {
    const std::size_t size_class = (bytes + kStep - 1) / kStep;
    if (size_class >= kClasses) return ::operator new(bytes);
    Free*& list = lists()[size_class];
    if (Free* const first = list) {
      list = first->next;
      return first;
    }
    return ::operator new(size_class* kStep);
  }

  static void release(void* memory, std::size_t bytes) noexcept {
    const std::size_t size_class = (bytes + kStep - 1) / kStep;
    if (size_class >= kClasses) return ::operator delete(memory);
    Free*& list = lists()[size_class];
    list = new (memory) Free{list};
  }
};

template <class T, class... Arguments>
T* make_pooled(Arguments&&... arguments) {
  return new (FramePool::allocate(sizeof(T))) T(std::forward<Arguments>(arguments)...);
}

template <class T>
void release_pooled(T* object) noexcept {
  object->~T();
  FramePool::release(object, sizeof(T));
}

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
