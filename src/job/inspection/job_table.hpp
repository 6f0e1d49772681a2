// Where a job's shared memory has the description of the job, the waits of its ranks and their counters
// (observe/job_header.hpp, observe/record.hpp, observe/counters.hpp), and how to write and read the
// description.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "job/place/shared_memory.hpp"
#include "observe/counters.hpp"
#include "observe/job_header.hpp"
#include "observe/record.hpp"

namespace aqueduct::job {

inline std::size_t rank_record_place(RankId rank) {
  return kRankRecordsPlace + std::size_t{rank} * sizeof(observe::RankRecord);
}

/// The size and the place of the counters of one thread of `rank`, with each of `size` peers.
inline std::size_t peer_counters_bytes(RankId size) {
  return round_up(std::size_t{size} * sizeof(observe::PeerCounters), kPage);
}
inline std::size_t peer_counters_place(RankId rank, unsigned lane, RankId size) {
  return kPeerCountersPlace +
         (std::size_t{rank} * observe::kThreadRecords + lane) * peer_counters_bytes(size);
}

/// The description of a job by the process that makes its memory.
struct JobFacts {
  RankId ranks = 1;
  std::uint32_t hosts = 1;
  pid_t job = 0;         ///< the number that the user knows the job by
  pid_t supervisor = 0;  ///< 0: there is none
  bool is_launcher = false;
  std::string socket = {};    ///< for questions (job/inspection/inquiry.hpp); empty: there is none
  std::string launcher = {};  ///< of an agent: the launcher that it belongs to
  std::string program;
};

/// Writes the description without mapping the memory. Ignores errors, because no job depends on it.
void describe_job(int memory_fd, const JobFacts& facts);

/// The program that this process runs, with its arguments.
std::string own_command_line();
/// "./program -x 3"
std::string command_line(const std::vector<std::string>& command);

/// Reads the description; nothing, with a word in `*why`, if it is missing or malformed.
std::optional<observe::JobHeader> read_job_header(int memory_fd, std::string* why);

}  // namespace aqueduct::job
