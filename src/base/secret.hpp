// Memory for secrets: the keys of a job and what is computed from them.
//
// allocate_secret() gives pages of their own, which core files leave out (MADV_DONTDUMP) and which are not
// written to a swap device where the limit on locked memory allows it. release_secret() wipes them. A class
// whose objects hold a secret derives from InSecretMemory: then `new` puts them there.
//
// What passes through other memory on its way is wiped there by whoever put it there: wipe(), WipedText,
// take_secret_variable().
//
// Threads: any.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace aqueduct {

/// Zeroed; at least `bytes`, which is more than 0. Ends the process with one line where the system has no
/// memory.
void* allocate_secret(std::size_t bytes);
/// `bytes` as they were asked for.
void release_secret(void* secret, std::size_t bytes) noexcept;

/// From now on a process that this one forks finds zeros where secrets are, those of today and later ones. A
/// child that went on with a key would use the same nonces as its parent.
void hide_secrets_from_children();

/// Overwrites with zeros; the compiler does not remove it.
void wipe(void* bytes, std::size_t size) noexcept;
template <class Item, std::size_t extent>
void wipe(std::span<Item, extent> items) noexcept {
  wipe(items.data(), items.size_bytes());
}

/// Overwrites what functions that have returned have left behind on this thread's stack, 16 KiB deep: those
/// of other libraries that were given a secret.
void wipe_stack() noexcept;

class InSecretMemory {
 public:
  static void* operator new(std::size_t bytes) { return allocate_secret(bytes); }
  static void operator delete(void* secret, std::size_t bytes) noexcept { release_secret(secret, bytes); }
};

/// Wipes what it gives back.
template <class Item>
struct WipingAllocator {
  using value_type = Item;

  WipingAllocator() = default;
  template <class Other>
  WipingAllocator(const WipingAllocator<Other>&) noexcept {}

  Item* allocate(std::size_t count) { return std::allocator<Item>().allocate(count); }
  void deallocate(Item* items, std::size_t count) noexcept {
    wipe(items, count * sizeof *items);
    std::allocator<Item>().deallocate(items, count);
  }
  bool operator==(const WipingAllocator&) const = default;
};

/// A text that may hold a secret for a moment: what it has allocated is wiped before it is given back. A few
/// characters are kept without an allocation, as in any text; a key has more.
using WipedText = std::basic_string<char, std::char_traits<char>, WipingAllocator<char>>;

/// The value of an environment variable, which is then no more: its characters are wiped where the system put
/// them, and programs that this process starts do not get it. Empty where it is not set. Not while other
/// threads use the environment.
WipedText take_secret_variable(const char* name);

}  // namespace aqueduct
