// A table that begins as zeros and of which only the parts that are written cost memory.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace aqueduct {

template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  ZeroedArray() = default;
  /// `items_before` unused items move the table away from the beginning of a page (kAwayFromPageStart).
  explicit ZeroedArray(std::size_t size, std::size_t items_before = 0) : size_(size), before_(items_before) {
    if (size == 0) return;
    void* memory =
        ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    items_ = static_cast<T*>(memory) + before_;
  }
  /// The same in memory that the caller owns, has zeroed, and keeps for as long as this is used:
  /// bytes_for(size, items_before).
  ZeroedArray(void* memory, std::size_t size, std::size_t items_before)
      : items_(static_cast<T*>(memory) + items_before), size_(size), before_(items_before), owns_(false) {}
  static constexpr std::size_t bytes_for(std::size_t size, std::size_t items_before) {
    return (items_before + size) * sizeof(T);
  }
  ZeroedArray(ZeroedArray&& other) noexcept { *this = std::move(other); }
  ZeroedArray& operator=(ZeroedArray&& other) noexcept {
    std::swap(items_, other.items_);
    std::swap(size_, other.size_);
    std::swap(before_, other.before_);
    std::swap(owns_, other.owns_);
    return *this;
  }
  ~ZeroedArray() {
    if (items_ && owns_) ::munmap(items_ - before_, bytes());
  }

  /// For a table that is read between copies of client data. Clients' buffers often begin with a page, and a
  /// processor holds up a load whose address has the same last 12 bits as a store under way.
  static constexpr std::size_t kAwayFromPageStart = 2560 / sizeof(T);

  std::size_t size() const { return size_; }
  T* data() { return items_; }
  const T* data() const { return items_; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }

 private:
  std::size_t bytes() const { return bytes_for(size_, before_); }

  T* items_ = nullptr;
  std::size_t size_ = 0;
  std::size_t before_ = 0;
  bool owns_ = true;
};

}  // namespace aqueduct
