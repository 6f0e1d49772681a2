// The memory that the ranks of one host share: one anonymous file, very large and sparse, in which each part
// of the library has a place of its own. Only pages that are written cost memory, so the places are large and
// the same in every job, and do not depend on each other.
//
//   the job's key | answers of plug-ins | activity of ranks | ranks that have died | the job, and what its ranks wait for |
//   fabric planes | neighbourhood | bootstrap of each host | keys of segments, of each host |
//   counters of ranks and their peers
//
// The file has no name, so nothing is left behind when the last rank is gone.
#pragma once
#include <cstddef>
#include <string>

#include "job/place/membership.hpp"

namespace aqueduct::job {

inline constexpr std::size_t kSharedMemoryBytes = std::size_t{1} << 57;

inline constexpr std::size_t kKeyPlace = 0;  // never mapped: see store_key()
inline constexpr std::size_t kPluginAnswersPlace = std::size_t{1} << 29;
inline constexpr std::size_t kActivityPlace = std::size_t{1} << 30;
inline constexpr std::size_t kFailuresPlace = std::size_t{1} << 31;
inline constexpr std::size_t kJobHeaderPlace = std::size_t{1} << 32;
inline constexpr std::size_t kRankRecordsPlace = kJobHeaderPlace + (std::size_t{1} << 20);
inline constexpr std::size_t kFabricPlace = std::size_t{1} << 40;
inline constexpr std::size_t kNeighbourhoodPlace = std::size_t{1} << 45;
inline constexpr std::size_t kBootstrapPlace = std::size_t{1} << 54;
inline constexpr std::size_t kSegmentKeysPlace = std::size_t{7} << 53;
inline constexpr std::size_t kPeerCountersPlace = std::size_t{1} << 56;

/// One machine may count as so many hosts; bootstrap and keys have separate room for each.
inline constexpr HostId kMostHosts = 1 << 14;
inline constexpr std::size_t kBootstrapBytes =
    (kSegmentKeysPlace - kBootstrapPlace) / kMostHosts / kPage * kPage;
inline constexpr std::size_t kSegmentKeysBytes =
    (kPeerCountersPlace - kSegmentKeysPlace) / kMostHosts / kPage * kPage;

/// Creates the file, zeroed and closed on exec. -1 with errno if the system refuses; EFBIG if the limit on
/// the size of files (ulimit -f) does, which otherwise would end the process by SIGXFSZ.
int create_shared_memory();

/// A supervisor passes the job's key to its ranks through the file. The page is never mapped, so that no core
/// file holds it, and unlike an environment it is not copied. Both are fatal if the file cannot be written or
/// read.
void store_key(int memory_fd, const net::JobKey& key);
net::JobKey load_key(int memory_fd);

/// Maps [offset, offset + bytes) of the job's memory. Without address space for it, ends the job with one
/// line that names `what` and the limit.
void* map_shared(int memory_fd, std::size_t offset, std::size_t bytes, const char* what);

/// The same, but null with errno if it cannot be mapped. Leaves the mapping out of core files (see
/// job/place/core_file.hpp).
void* try_map_shared(int memory_fd, std::size_t offset, std::size_t bytes);

/// Allocates the pages of a mapping now, so that their first use is fast. If the system cannot, they are
/// allocated at first use as usual.
void make_present(void* mapped, std::size_t bytes);

/// Why a mapping of `bytes` failed with `error`, in words that name the limit and what to do.
std::string why_not_mapped(std::size_t bytes, int error);

/// Why create_shared_memory() failed with `error`, likewise.
std::string why_not_created(int error);

}  // namespace aqueduct::job
