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

std::uint32_t progress_us() {
  constexpr const char* kName = "AQUEDUCT_SHMEM_PROGRESS_US";
  constexpr std::uint32_t kUsual = 2000;
  constexpr long kMost = 10'000'000;
  const char* const text = gasnet_getenv(kName);
  if (!text || !*text) return kUsual;
  char* end = nullptr;
  const long us = std::strtol(text, &end, 10);
  if (end == text || *end || us < 0 || us > kMost)
    fail("%s=%s is no number of microseconds from 0 to %ld", kName, text, kMost);
  return static_cast<std::uint32_t>(us);
}

bool is_set(const char* name) {
  const char* const text = gasnet_getenv(name);
  return text && *text && !std::strchr("0nN", *text);
}

}  // namespace aqshmem
