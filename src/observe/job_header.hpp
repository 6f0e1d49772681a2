// What a job says about itself in its shared memory: who has started it, and what it is. `aqueduct ps` finds
// the jobs of a user by it.
//
// Who writes   Whoever makes the memory: a supervisor, an agent, a warden, the launcher of several
//              hosts, or a rank that is alone. Once, before a rank starts.
// Who reads    The commands of the same user, who copy it and check everything.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/types.hpp"

namespace aqueduct::observe {

struct alignas(kPage) JobHeader {
  static constexpr std::uint64_t kMagic = 0x3145'4c42'4154'5141;  // "AQTABLE1"
  static constexpr std::uint32_t kVersion = 4;  ///< of all that the memory says about the job

  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t ranks;       ///< of the job
  std::uint32_t hosts;       ///< machines that it runs on
  std::uint32_t job;         ///< the process that the user has started, or the warden: what the job is called
  std::uint32_t supervisor;  ///< the process that answers at `socket`; 0: there is none
  std::uint32_t is_launcher;  ///< not 0: all ranks are behind agents, also those of this host
  std::uint64_t started_s;    ///< seconds since 1970
  char socket[48];    ///< the name, without the zero before it, of the socket that answers for the job
  char launcher[64];  ///< of an agent: the host of the launcher, and its process there; else empty
  char program[128];  ///< as it was started

  static void set_text(char* to, std::size_t room, std::string_view text) {
    const std::size_t length = text.size() < room - 1 ? text.size() : room - 1;
    std::memcpy(to, text.data(), length);
    std::memset(to + length, 0, room - length);
  }
};
static_assert(sizeof(JobHeader) == kPage);

}  // namespace aqueduct::observe
