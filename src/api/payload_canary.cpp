#include "api/payload_canary.hpp"

#include "aqueduct/tools/environment.h"
#include "base/fatal.hpp"
#include "gasnet_tools/heap_fill.hpp"

namespace aqueduct::api {
namespace {

struct Settings {
  bool is_on = gasnett_getenv_yesno_withdefault("GASNET_SD_INIT", 1) != 0;
  gasnet_tools::HeapFill pattern = gasnet_tools::HeapFill::from_environment("GASNET_SD_INITVAL");
  std::size_t bytes = pattern_bytes();

  static std::size_t pattern_bytes() {
    constexpr char kVariable[] = "GASNET_SD_INITLEN";
    const std::int64_t bytes = gasnett_getenv_int_withdefault(kVariable, 128, 0);
    if (bytes < 1)
      fatal("environment", "%s='%s' is not a whole number of at least 1", kVariable,
            gasnett_getenv(kVariable));
    return static_cast<std::size_t>(bytes);
  }
};

const Settings& settings() {
  static const Settings& read_once = *new Settings;
  return read_once;
}

}  // namespace

void place_canary(core::Prepared* descriptor, const core::Intent& intent) {
  if (!descriptor) return;
  const Settings& canary = settings();
  descriptor->has_canary = canary.is_on && !intent.client_buffer && descriptor->size_ >= canary.bytes;
  if (descriptor->has_canary) canary.pattern.write(descriptor->address_, canary.bytes);
}

void look_for_canary(const char* where, core::Thread& thread, gex_AM_SrcDesc_t sd, std::size_t bytes) {
  for (const core::Prepared* prepared : {&thread.prepared_request, &thread.prepared_reply}) {
    if (sd != static_cast<const aq_source_descriptor_*>(prepared) || !prepared->active) continue;
    const Settings& canary = settings();
    if (!prepared->has_canary || bytes < canary.bytes || bytes > prepared->size_) return;
    if (canary.pattern.find_change(prepared->address_, canary.bytes) != canary.bytes) return;
    fatal(where,
          "the payload's first %zu bytes are as they were prepared: it was not written (GASNET_SD_INIT)",
          canary.bytes);
  }
}

}  // namespace aqueduct::api
