// The settings of the aries conduit from the environment (docs/aries_conduit.md, docs/environment.md).
#pragma once
#include <cstddef>
#include <cstdint>

#include "am/message.hpp"

namespace aqueduct::conduit::aries {

struct AriesSettings {
  unsigned depth = 64;        ///< requests that may be outstanding at one peer
  unsigned total_depth = 64;  ///< the same at all peers together
  unsigned long_depth = 64;   ///< of these, Longs whose payload travels by itself
  std::size_t max_medium = 4032;
  std::size_t packed_long_bytes = 3072;  ///< Longs up to this, with their header, travel in one message
  std::size_t region_bytes = 0;          ///< for the requests of one peer
  std::size_t slot_bytes = 0;
  RankId rendezvous_ranks =
      16384;  ///< jobs from this size on have no regions: targets fetch requests; 0: none
  unsigned rendezvous_buffers = 64;
  unsigned am_burst = 20;     ///< arrivals of one poll
  unsigned local_burst = 10;  ///< completions of one poll
  unsigned descriptors = 512;
  std::size_t put_fma_bytes = 1023;  ///< puts up to this go by FMA, larger ones by BTE
  std::size_t get_fma_bytes = 1023;
  std::size_t put_bounce_bytes = 4096;  ///< unregistered memory up to this is copied
  std::size_t get_bounce_bytes = 4096;
  std::size_t bounce_bytes = std::size_t{256} << 10;
  unsigned registrations = 3072;
  bool caches_registrations = true;
  std::uint16_t delivery = 0;      ///< GNI_DLVMODE_...
  std::uint32_t domain_modes = 0;  ///< GNI_CDM_MODE_...
  bool may_share_fma = true;       ///< share an FMA descriptor if none of its own is free
  std::uint32_t segment_flags = 0;

  static constexpr std::size_t kMaxLong = 0x800000;
  static constexpr std::size_t kImmediateBytes = 128;

  /// Ends the job with one line if a variable is malformed.
  static AriesSettings from_environment();
  am::Limits limits() const {
    return {.max_medium = max_medium + am::kEncapsulationBytes, .max_long = kMaxLong};
  }
  /// The size of a pool buffer: the largest message, with arguments, destination and payload.
  std::size_t buffer_bytes() const;
  bool is_rendezvous(RankId ranks) const { return rendezvous_ranks != 0 && ranks >= rendezvous_ranks; }
  /// The size of a bounce buffer; a get may fetch a few bytes more than it was asked for.
  std::size_t bounce_chunk_bytes() const;
};

}  // namespace aqueduct::conduit::aries
