// What a client was compiled as, from the word that its headers pass (include/aqueduct/thread_mode.h).
#pragma once
#include <cstdint>

#include "core/rank.hpp"

namespace aqueduct::api {

struct ClientConfig {
  explicit ClientConfig(std::uint32_t word)
      : mode(static_cast<core::ThreadMode>(word & 3)),
        is_debug(word >> 8 & 1),
        is_segmentless(word >> 9 & 1),
        header_version(word >> 16) {}

  core::ThreadMode mode;
  bool is_debug;
  bool is_segmentless;  ///< GASNET_SEGMENT_EVERYTHING
  std::uint32_t header_version;
};

/// Whether all memory of a rank of that client can be reached, not only its segment.
bool reaches_everything(const ClientConfig& client);

}  // namespace aqueduct::api
