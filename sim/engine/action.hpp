// What an event does: a callable of at most kActionBytes, kept in place, never allocated.
//
// It must be trivially copyable: capture pointers, numbers and handles, nothing that owns memory. An action
// that never runs, because the simulation ends first, is not destroyed.
#pragma once
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

namespace aqueduct::sim {

inline constexpr std::size_t kActionBytes = 40;

class Action {
 public:
  Action() = default;

  template <class Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, Action>)
      Action(Callable callable)  // NOLINT: implicit on purpose, a lambda is an action
      : call_([](void* memory) { (*std::launder(static_cast<Callable*>(memory)))(); }) {
    static_assert(sizeof(Callable) <= kActionBytes);
    static_assert(alignof(Callable) <= alignof(void*));
    static_assert(std::is_trivially_copyable_v<Callable>, "an action owns nothing");
    new (memory_) Callable(callable);
  }

  explicit operator bool() const { return call_ != nullptr; }
  void operator()() { call_(memory_); }

 private:
  void (*call_)(void*) = nullptr;
  alignas(void*) std::byte memory_[kActionBytes];
};

}  // namespace aqueduct::sim
