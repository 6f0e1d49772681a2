#include "settings.hpp"

#include <cstdlib>
#include <cstring>

#include "job.hpp"

namespace aqshmem {
namespace {

constexpr std::size_t kUsualBytes = std::size_t{512} << 20;

}  // namespace

std::size_t symmetric_bytes() {
  for (const char* name : {"SHMEM_SYMMETRIC_SIZE", "SMA_SYMMETRIC_SIZE", "XT_SYMMETRIC_HEAP_SIZE"}) {
    const char* const text = gasnet_getenv(name);
    if (!text || !*text) continue;
    char* end = nullptr;
    double bytes = std::strtod(text, &end);
    static constexpr char kUnits[] = "kmgt";
    if (end != text && *end) {
      const char* const unit = std::strchr(kUnits, *end | 0x20);
      if (unit) {
        for (const char* u = kUnits; u <= unit; ++u) bytes *= 1024;
        ++end;
        if (*end == 'B' || *end == 'b') ++end;
      }
    }
    if (end == text || *end || !(bytes >= 1) || bytes > 1e15)
      fail("%s=%s is no size: a number, with K, M, G or T behind it, as in 512M", name, text);
    return static_cast<std::size_t>(bytes);
  }
  return kUsualBytes;
}

bool is_set(const char* name) {
  const char* const text = gasnet_getenv(name);
  return text && *text && !std::strchr("0nN", *text);
}

}  // namespace aqshmem
