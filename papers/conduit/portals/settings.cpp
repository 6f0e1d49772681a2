#include "papers/conduit/portals/settings.hpp"

#include <cstring>

#include "base/env.hpp"
#include "base/fatal.hpp"

namespace aqueduct::conduit::portals {
namespace {

Stage stage_from_environment() {
  const char* text = env::text({"AQUEDUCT_PORTALS_STAGE"});
  if (!text) return env::flag({"GASNET_USE_FIREHOSE"}, true) ? Stage::kFirehose : Stage::kNative;
  if (std::strcmp(text, "hybrid") == 0) return Stage::kHybrid;
  if (std::strcmp(text, "native") == 0) return Stage::kNative;
  if (std::strcmp(text, "firehose") == 0) return Stage::kFirehose;
  fatal("AQUEDUCT_PORTALS_STAGE", "'%s' is none of hybrid, native, firehose", text);
}

template <class Number>
void read(const char* name, std::int64_t least, std::int64_t most, Number* number) {
  if (const auto value = env::integer({name}, least, most)) *number = static_cast<Number>(*value);
}

}  // namespace

PortalsSettings PortalsSettings::from_environment() {
  PortalsSettings settings;
  settings.stage = stage_from_environment();
  read("GASNET_PORTAL_MSG_LIMIT", 12, 100000, &settings.send_tokens);
  read("GASNET_PORTAL_NUM_TMPMD", 2, 1000000, &settings.temporary_mds);
  settings.packed_long = env::flag({"GASNET_PORTAL_PACKED_LONG"}, settings.packed_long);
  settings.flow_control = env::flag({"GASNET_PORTAL_FLOW_CONTROL"}, settings.flow_control);
  settings.dynamic_credits = env::flag({"GASNET_PORTAL_DYNAMIC_CREDITS"}, settings.dynamic_credits);
  if (const auto chunk = env::integer({"GASNET_PORTAL_AM_CHUNK"}, 1024, 2048)) {
    if (*chunk != 1024 && *chunk != 2048)
      fatal("GASNET_PORTAL_AM_CHUNK", "%ld is neither 1024 nor 2048", *chunk);
    settings.chunk_bytes = static_cast<std::uint32_t>(*chunk);
  }
  // The offset of a chunk is a Request's Lid and must stay below the first of a Reply.
  read("GASNET_PORTAL_SB_CHUNKS", 2, (1 << 23) / settings.chunk_bytes, &settings.request_chunks);
  read("GASNET_PORTAL_RPL_CHUNKS", 2, 1 << 20, &settings.reply_chunks);
  read("GASNET_PORTAL_RB_CHUNKS", 2, 1 << 20, &settings.chunks_per_buffer);
  read("GASNET_PORTAL_SPARE_BUFFERS", 1, 16, &settings.spare_buffers);
  read("GASNET_PORTAL_SAFE_LIMIT", 1, 1 << 20, &settings.safe_limit);
  read("GASNET_PORTAL_AM_LIMIT", 1, 1 << 20, &settings.am_limit);
  if (const auto value = env::integer({"GASNET_PORTAL_CRED_PER_NODE"}, 1, UINT16_MAX))
    settings.credits_per_peer = static_cast<std::uint32_t>(*value);
  if (const auto value = env::integer({"GASNET_PORTAL_BANKED_CREDITS"}, 0, 1 << 30))
    settings.banked_credits = static_cast<std::uint32_t>(*value);
  read("GASNET_PORTAL_MAX_CRED_PER_NODE", 1, UINT16_MAX, &settings.max_credits_per_peer);
  read("GASNET_PORTAL_EPOCH_DURATION", 1, 1 << 30, &settings.epoch_requests);

  const std::uint32_t most = settings.chunk_bytes;
  std::uint32_t both = settings.stage == Stage::kFirehose ? 0 : most;
  read("GASNET_PORTAL_PUTGET_BOUNCE_LIMIT", 0, most, &both);
  settings.put_bounce_bytes = settings.get_bounce_bytes = both;
  read("GASNET_PORTAL_PUT_BOUNCE_LIMIT", 0, most, &settings.put_bounce_bytes);
  read("GASNET_PORTAL_GET_BOUNCE_LIMIT", 0, most, &settings.get_bounce_bytes);

  read("GASNET_FIREHOSE_MAXVICTIM_R", 4, 1 << 20, &settings.firehose_regions);
  if (const auto bytes = env::bytes({"GASNET_FIREHOSE_MAXVICTIM_M"})) settings.firehose_bytes = *bytes;
  if (const auto bytes = env::bytes({"GASNET_FIREHOSE_MAXREGION_SIZE"})) {
    if (*bytes < 8192 || *bytes % 4096 != 0)
      fatal("GASNET_FIREHOSE_MAXREGION_SIZE", "%zu is not a multiple of 4096 of at least 8192", *bytes);
    settings.firehose_region_bytes = *bytes;
  }
  read("GASNET_FIREHOSE_R", 1, 1 << 20, &settings.remote_regions);
  return settings;
}

}  // namespace aqueduct::conduit::portals
