// The settings of the Portals conduit. The defaults and the names of the variables, GASNET_PORTAL_*, are
// those of the paper's conduit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

namespace aqueduct::conduit::portals {

/// The paper's three stages.
enum class Stage : std::uint8_t {
  kHybrid,    ///< put and get over Portals, active messages over message passing
  kNative,    ///< active messages over Portals too; other memory than the segment through temporary MDs
  kFirehose,  ///< and through cached ones
};

struct PortalsSettings {
  Stage stage = Stage::kFirehose;          ///< AQUEDUCT_PORTALS_STAGE: hybrid, native, firehose
  std::uint32_t send_tokens = 250;         ///< MSG_LIMIT: the interface has 256 slots
  std::uint32_t temporary_mds = 1024;      ///< NUM_TMPMD
  bool packed_long = true;                 ///< PACKED_LONG
  bool flow_control = true;                ///< FLOW_CONTROL
  bool dynamic_credits = true;             ///< DYNAMIC_CREDITS
  std::uint32_t chunk_bytes = 2048;        ///< AM_CHUNK: the largest active message with padding
  std::uint32_t request_chunks = 2048;     ///< SB_CHUNKS: ReqSB
  std::uint32_t reply_chunks = 256;        ///< RPL_CHUNKS: RplSB
  std::uint32_t chunks_per_buffer = 1024;  ///< RB_CHUNKS: of a ReqRB
  /// SPARE_BUFFERS: ReqRBs that credits do not count. One is enough if one thread reads requests; with two,
  /// several threads may still read one buffer while the next one fills.
  unsigned spare_buffers = 2;
  unsigned safe_limit = 12;                                       ///< SAFE_LIMIT: events of SAFE_EQ at a poll
  unsigned am_limit = 8;                                          ///< AM_LIMIT: events of AM_EQ at a poll
  std::optional<std::uint32_t> credits_per_peer, banked_credits;  ///< CRED_PER_NODE, BANKED_CREDITS
  std::uint16_t max_credits_per_peer = 400;                       ///< MAX_CRED_PER_NODE
  std::uint32_t epoch_requests = 1024;                            ///< EPOCH_DURATION
  /// PUT_BOUNCE_LIMIT, GET_BOUNCE_LIMIT, or PUTGET_BOUNCE_LIMIT for both. Without one: everything that fits a
  /// chunk, or nothing in stage firehose.
  std::uint32_t put_bounce_bytes = 0;
  std::uint32_t get_bounce_bytes = 0;
  unsigned firehose_regions = 1024;                            ///< GASNET_FIREHOSE_MAXVICTIM_R
  std::size_t firehose_bytes = SIZE_MAX;                       ///< GASNET_FIREHOSE_MAXVICTIM_M
  std::size_t firehose_region_bytes = std::size_t{128} << 10;  ///< GASNET_FIREHOSE_MAXREGION_SIZE

  bool everything = false;         ///< also memory outside of segments; only in stage firehose
  unsigned remote_regions = 1024;  ///< GASNET_FIREHOSE_R: lent to others, all of them together

  std::size_t max_medium() const { return chunk_bytes - 64; }  ///< a chunk less 16 arguments

  /// Reads the environment; a malformed value ends the job with one line.
  static PortalsSettings from_environment();
};

}  // namespace aqueduct::conduit::portals
