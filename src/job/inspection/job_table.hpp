// Where a job's shared memory says what the job is, what its ranks wait for and what they have counted
// (observe/job_header.hpp, observe/record.hpp, observe/counters.hpp), and how it is written there.
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

/// The counters of one thread of `rank` with each of `size` peers: so many bytes from this place on.
inline std::size_t peer_counters_bytes(RankId size) {
  return round_up(std::size_t{size} * sizeof(observe::PeerCounters), kPage);
}
inline std::size_t peer_counters_place(RankId rank, unsigned lane, RankId size) {
  return kPeerCountersPlace +
         (std::size_t{rank} * observe::kThreadRecords + lane) * peer_counters_bytes(size);
}

/// What somebody who makes a job's memory says of the job.
struct JobFacts {
  RankId ranks = 1;
  std::uint32_t hosts = 1;
  pid_t job = 0;         ///< what the user calls it by
  pid_t supervisor = 0;  ///< 0: there is none
  bool is_launcher = false;
  std::string socket = {};    ///< where questions are answered (job/inspection/inquiry.hpp); empty: nowhere
  std::string launcher = {};  ///< of an agent: whose it is
  std::string program;
};

/// Writes it, without mapping the memory. What cannot be written is left out: nobody but the curious needs
/// it.
void describe_job(int memory_fd, const JobFacts& facts);

/// The program that this process runs, with its arguments.
std::string own_command_line();
/// "./program -x 3"
std::string command_line(const std::vector<std::string>& command);

/// Reads it back; nothing, with a word in `*why`, if it is not there or makes no sense.
std::optional<observe::JobHeader> read_job_header(int memory_fd, std::string* why);

}  // namespace aqueduct::job
