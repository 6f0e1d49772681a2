#include "papers/conduit/aries/settings.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "gni_pub.h"
#include "papers/conduit/aries/envelope.hpp"
#include "papers/conduit/aries/notify.hpp"
#include "parts/body.hpp"

namespace aqueduct::conduit::aries {
namespace {

struct RoutingName {
  const char* name;
  std::uint16_t mode;
};
constexpr RoutingName kRouting[] = {
    {"ADAPTIVE_0", GNI_DLVMODE_ADAPTIVE0}, {"ADAPTIVE_1", GNI_DLVMODE_ADAPTIVE1},
    {"ADAPTIVE_2", GNI_DLVMODE_ADAPTIVE2}, {"ADAPTIVE_3", GNI_DLVMODE_ADAPTIVE3},
    {"IN_ORDER", GNI_DLVMODE_IN_ORDER},    {"NMIN_HASH", GNI_DLVMODE_NMIN_HASH},
    {"MIN_HASH", GNI_DLVMODE_MIN_HASH},
};

std::uint16_t routing_from_environment() {
  constexpr const char* kVariable = "GASNET_GNI_ROUTING_MODE";
  const char* const text = env::text({kVariable});
  if (!text) return GNI_DLVMODE_ADAPTIVE0;
  for (const RoutingName& known : kRouting) {
    if (std::strcmp(text, known.name) == 0) return known.mode;
  }
  fatal(kVariable, "'%s' is none of ADAPTIVE_0 to ADAPTIVE_3, IN_ORDER, NMIN_HASH, MIN_HASH", text);
}

std::uint32_t consistency_from_environment() {
  constexpr const char* kVariable = "GASNET_GNI_MEM_CONSISTENCY";
  const char* const text = env::text({kVariable});
  if (!text || std::strcmp(text, "relaxed") == 0) return GNI_MEM_RELAXED_PI_ORDERING;
  if (std::strcmp(text, "strict") == 0) return GNI_MEM_STRICT_PI_ORDERING;
  if (std::strcmp(text, "none") == 0) return GNI_MEM_READWRITE;
  fatal(kVariable, "'%s' is none of relaxed, strict, none", text);
}

bool fma_sharing_is_automatic() {
  const char* const text = env::text({"GASNET_GNI_FMA_SHARING"});
  return !text || std::strcmp(text, "auto") == 0;
}

std::size_t size_within(const char* name, std::size_t least, std::size_t most, std::size_t fallback) {
  const std::size_t bytes = env::bytes({name}).value_or(fallback);
  if (bytes < least || bytes > most) fatal(name, "%zu is not a size from %zu to %zu", bytes, least, most);
  return bytes;
}

unsigned number_within(const char* name, unsigned least, unsigned most, unsigned fallback) {
  return static_cast<unsigned>(env::integer({name}, least, most).value_or(fallback));
}

}  // namespace

std::size_t AriesSettings::buffer_bytes() const {
  const std::size_t envelope = parts::arguments_bytes(am::kMaxArgs) + sizeof(Envelope);
  return round_up(envelope + std::max(max_medium + am::kEncapsulationBytes, packed_long_bytes), 64);
}

std::size_t AriesSettings::bounce_chunk_bytes() const {
  return round_up(std::max(put_bounce_bytes, get_bounce_bytes), 64) + 64;
}

AriesSettings AriesSettings::from_environment() {
  AriesSettings settings;
  settings.depth = number_within("GASNET_NETWORKDEPTH", 1, kMostSlots, settings.depth);
  settings.total_depth = number_within("GASNET_NETWORKDEPTH_TOTAL", 1, 65536, settings.total_depth);
  settings.long_depth =
      std::min(number_within("GASNET_LONG_DEPTH", 1, kMostSlots, settings.depth), settings.depth);
  settings.max_medium =
      size_within("GASNET_GNI_MAX_MEDIUM", 512, 65408 - am::kEncapsulationBytes, settings.max_medium);
  if (settings.max_medium % 64 != 0)
    fatal("GASNET_GNI_MAX_MEDIUM", "%zu is no multiple of 64", settings.max_medium);
  settings.packed_long_bytes =
      size_within("GASNET_GNI_PACKEDLONG_CUTOVER", 0, 65408, settings.packed_long_bytes);
  const std::size_t space =
      size_within("GASNET_NETWORKDEPTH_SPACE", 0, std::size_t{64} << 20, 4 * settings.max_medium);
  const std::size_t one = settings.buffer_bytes();
  settings.slot_bytes = std::bit_floor(std::clamp(space, 2 * one, 64 * one) / settings.depth);
  settings.slot_bytes =
      std::max(settings.slot_bytes, std::bit_ceil((one + settings.depth - 1) / settings.depth));
  settings.region_bytes = settings.slot_bytes * settings.depth;
  settings.rendezvous_ranks =
      number_within("GASNET_GNI_AM_RVOUS_CUTOVER", 0, kMostRanks, settings.rendezvous_ranks);
  settings.rendezvous_buffers =
      number_within("GASNET_GNI_AM_RVOUS_BUFFERS", 1, 65536, settings.rendezvous_buffers);
  settings.am_burst = number_within("GASNET_GNI_AMPOLL_BURST", 1, 65536, settings.am_burst);
  settings.descriptors = number_within("GASNET_GNI_NUM_PD", 32, 65536, settings.descriptors);
  settings.put_fma_bytes = size_within("GASNET_GNI_PUT_FMA_RDMA_CUTOVER", 0, 16384, settings.put_fma_bytes);
  settings.get_fma_bytes = size_within("GASNET_GNI_GET_FMA_RDMA_CUTOVER", 0, 16384, settings.get_fma_bytes);
  settings.put_bounce_bytes =
      size_within("GASNET_GNI_PUT_BOUNCE_REGISTER_CUTOVER", 0, 32768, settings.put_bounce_bytes);
  settings.get_bounce_bytes =
      size_within("GASNET_GNI_GET_BOUNCE_REGISTER_CUTOVER", 64, 32768, settings.get_bounce_bytes);
  settings.bounce_bytes =
      size_within("GASNET_GNI_BOUNCE_SIZE", 2 * settings.bounce_chunk_bytes(), std::size_t{1} << 30,
                  std::max(settings.bounce_bytes, 2 * settings.bounce_chunk_bytes()));
  settings.registrations = number_within("GASNET_GNI_MEMREG", 1, 1u << 20, settings.registrations);
  settings.caches_registrations = env::flag({"GASNET_USE_UDREG"}, settings.caches_registrations);
  settings.delivery = routing_from_environment();
  settings.segment_flags = consistency_from_environment();
  settings.domain_modes = GNI_CDM_MODE_FORK_FULLCOPY | GNI_CDM_MODE_DUAL_EVENTS;
  settings.domain_modes |=
      env::flag({"GASNET_GNI_MDD_SHARING"}, true) ? GNI_CDM_MODE_MDD_SHARED : GNI_CDM_MODE_MDD_DEDICATED;
  settings.may_share_fma = fma_sharing_is_automatic();
  const bool shares_fma = !settings.may_share_fma && env::flag({"GASNET_GNI_FMA_SHARING"}, false);
  settings.domain_modes |= shares_fma ? GNI_CDM_MODE_FMA_SHARED : GNI_CDM_MODE_FMA_DEDICATED;
  if (!env::flag({"GASNET_GNI_BTE_MULTI_CHANNEL"}, true))
    settings.domain_modes |= GNI_CDM_MODE_BTE_SINGLE_CHANNEL;
  return settings;
}

}  // namespace aqueduct::conduit::aries
