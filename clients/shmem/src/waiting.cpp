#include "waiting.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace aqshmem {
namespace {

// snprintf would take longer than many a wait.
char* append(char* to, const char* end, const char* text) {
  const std::size_t length = std::min(std::strlen(text), static_cast<std::size_t>(end - to));
  std::memcpy(to, text, length);
  return to + length;
}

char* append_hex(char* to, const char* end, std::uintptr_t number) {
  char digits[2 * sizeof number + 1];
  char* first = digits + sizeof digits - 1;
  *first = '\0';
  do {
    *--first = "0123456789abcdef"[number % 16];
    number /= 16;
  } while (number != 0);
  return append(append(to, end, "0x"), end, first);
}

}  // namespace

WaitWords::WaitWords(const char* call, const void* address) {
  const char* const end = text_ + sizeof text_ - 1;
  char* to = append(text_, end, call);
  if (address) {
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    to = append(to, end, " for ");
    if (place - job.heap < job.heap_bytes) {
      to = append_hex(append(to, end, "heap+"), end, place - job.heap);
    } else if (place - job.statics < job.statics_bytes) {
      to = append_hex(append(to, end, "static "), end, place - job.program_base);
    } else {
      to = append_hex(to, end, place);
    }
  }
  *to = '\0';
}

}  // namespace aqshmem
