// The memory that the ranks of one host share: one anonymous file, very large and sparse, in which each part
// of the library has a place of its own. Only pages that are written cost anything, so the places can be
// generous and the same in every job; nobody has to know who else is there, or in which order they come.
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

/// As how many hosts one machine may count: bootstrap and keys have room for each of them apart.
inline constexpr HostId kMostHosts = 1 << 14;
inline constexpr std::size_t kBootstrapBytes =
    (kSegmentKeysPlace - kBootstrapPlace) / kMostHosts / kPage * kPage;
inline constexpr std::size_t kSegmentKeysBytes =
    (kPeerCountersPlace - kSegmentKeysPlace) / kMostHosts / kPage * kPage;

/// A new one, zeroed, closed on exec. -1 with errno where the system does not allow it; EFBIG where the limit
/// on the size of files (ulimit -f) does not, which otherwise would end the process by SIGXFSZ.
int create_shared_memory();

/// How the job's key gets from a supervisor to its ranks: through the file, by whoever has its descriptor.
/// The page is never mapped, so that no core file holds it; unlike an environment it is not copied either.
/// Both are fatal where the file cannot be written or read.
void store_key(int memory_fd, const net::JobKey& key);
net::JobKey load_key(int memory_fd);

/// Maps [offset, offset + bytes) of the job's memory; ends the job with one line that names `what`, and the
/// limit that stands in the way, if there is no address space for it.
void* map_shared(int memory_fd, std::size_t offset, std::size_t bytes, const char* what);

/// The same without ending anything: null with errno if it cannot be mapped. What is mapped is left out of
/// core files: to write a page that was never used would allocate it (see job/place/core_file.hpp).
void* try_map_shared(int memory_fd, std::size_t offset, std::size_t bytes);

/// Gives memory to the pages of a mapping now, so that the first to use one need not wait for it. Where the
/// system cannot or will not, pages get it when they are used, as without this.
void make_present(void* mapped, std::size_t bytes);

/// Why a mapping of `bytes` failed with `error`, in words that name the limit and what to do.
std::string why_not_mapped(std::size_t bytes, int error);

/// Why create_shared_memory() failed with `error`, likewise.
std::string why_not_created(int error);

}  // namespace aqueduct::job
