#include "base/secret.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/fatal.hpp"

namespace aqueduct {
namespace {

struct SecretPages {
  void* begin;
  std::size_t bytes;
};

/// All that there are, for hide_secrets_from_children(). Never destroyed: secrets may outlive it.
struct SecretRegistry {
  std::mutex mutex;
  std::vector<SecretPages> pages;
  bool are_hidden_from_children = false;
};
SecretRegistry& secret_registry() {
  static SecretRegistry& registry = *new SecretRegistry;
  return registry;
}

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

void* allocate_secret(std::size_t bytes) {
  const std::size_t size = whole_pages(bytes);
  void* const begin = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED) fatal("start", "no memory for a key: %s", std::strerror(errno));
  ::madvise(begin, size, MADV_DONTDUMP);
  ::mlock(begin, size);  // not everywhere allowed, and nothing depends on it
  SecretRegistry& registry = secret_registry();
  const std::lock_guard guard(registry.mutex);
  if (registry.are_hidden_from_children) ::madvise(begin, size, MADV_WIPEONFORK);
  registry.pages.push_back({begin, size});
  return begin;
}

void release_secret(void* secret, std::size_t bytes) noexcept {
  if (secret == nullptr) return;
  wipe(secret, bytes);
  SecretRegistry& registry = secret_registry();
  const std::lock_guard guard(registry.mutex);
  std::erase_if(registry.pages, [&](const SecretPages& pages) { return pages.begin == secret; });
  ::munmap(secret, whole_pages(bytes));
}

void hide_secrets_from_children() {
  SecretRegistry& registry = secret_registry();
  const std::lock_guard guard(registry.mutex);
  registry.are_hidden_from_children = true;
  for (const SecretPages& pages : registry.pages) ::madvise(pages.begin, pages.bytes, MADV_WIPEONFORK);
}

void wipe(void* bytes, std::size_t size) noexcept { ::explicit_bzero(bytes, size); }

[[gnu::noinline]] void wipe_stack() noexcept {
  std::byte left_behind[std::size_t{16} << 10];
  wipe(left_behind, sizeof left_behind);
}

WipedText take_secret_variable(const char* name) {
  char* const value = std::getenv(name);
  if (value == nullptr) return {};
  WipedText text = value;
  wipe(value, text.size());
  ::unsetenv(name);
  return text;
}

}  // namespace aqueduct
