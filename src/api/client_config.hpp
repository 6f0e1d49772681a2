// What a client was compiled as, from the word that its headers pass (include/aqueduct/thread_mode.h).
#pragma once
#include <cstdint>
#include <string>

#include "conduit/registry/registry.hpp"
#include "core/rank.hpp"

namespace aqueduct::api {

struct ClientConfig {
  explicit ClientConfig(std::uint32_t word)
      : mode(static_cast<core::ThreadMode>(word & 3)),
        is_debug(word >> 8 & 1),
        is_segmentless(word >> 9 & 1),
        conduit(kConduits[word >> 10 & 7]),
        is_for_shared_memory((word >> 10 & 7) == kSmp),
        header_version(word >> 16) {}

  core::ThreadMode mode;
  bool is_debug;
  bool is_segmentless;  ///< GASNET_SEGMENT_EVERYTHING
  const char* conduit;  ///< GASNET_CONDUIT_UDP, _MPI or _OFI; null: any
  /// GASNET_CONDUIT_SMP: its code may take it for granted that all ranks share memory.
  bool is_for_shared_memory;
  std::uint32_t header_version;

 private:
  static constexpr std::uint32_t kSmp = 4;
  static constexpr const char* kConduits[8] = {nullptr, "udp", "mpi", "ofi"};
};

/// The conduit that a job of that client gets: that of AQUEDUCT_CONDUIT; else the one that it was compiled
/// for, if that can carry the job; else the most preferred. Null with the reason in `*why` if there is none.
const conduit::Description* conduit_for(const ClientConfig& client, const job::Membership& place,
                                        std::string* why);

/// Warns of a client that was compiled for smp in a job whose ranks do not all share memory. For one rank of
/// the job.
void warn_of_missing_shared_memory(const ClientConfig& client, const core::Rank& rank);

/// Whether all memory of a rank of that client can be reached, not only its segment.
bool reaches_everything(const ClientConfig& client);

}  // namespace aqueduct::api
