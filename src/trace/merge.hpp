// Puts the parts that ranks have left (trace/recorder.hpp) together into one timeline, in the JSON form of
// Chrome's trace events, which Perfetto opens (ui.perfetto.dev):
//
//   a process for each rank, a thread for each of its threads
//   slices      calls and handlers, with peer and bytes; a wait in which a rank was killed lasts until the end of
//               what is known of its host, and says that it is unfinished
//   flows       from the call that sends a message to the handler that it runs
//   spans       operations from their start to the completion of their event
//   counters    operations in flight
//
// Times count from when all ranks had met. Clocks of hosts differ: how much is estimated from messages that
// went both ways, as in NTP; the message that was fastest in each direction counts, half of the sum is the
// way, half of the difference the offset.
//
// Within a process, events stand in the order in which they began, and `depth` (0 where it is not said) is
// the number of slices that an event lies in: with that the timeline can be replayed (docs/replay.md).
// Further arguments of events, where they are not 0:
//
//   message     the same number for the call that sends a message and for its handler
//   arguments   of a message                      local      of a put or message: 1 its source is left alone
//   collective  its kind, from 1 on                          until it is complete, 2 the caller asks for that
//   opcode, type    of an atomic                  looked     1: a call that looks; 2: after fruitless ones
//   implicit    the categories that were complete           as well
//   refused     it was not started         went on after    of a wait: so many handlers ran in it while its
//                                                           condition was still false
//   true at once   of a wait: its condition was true when it began
//
// `otherData` says which form this is (kForm), how many ranks the job had, and its exit code if that is
// known.
//
// Sends and handlers with the same key are the same message but for its place in their order: they are paired
// one by one, from the first, or, where a ring has lost its beginning, from the last.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "trace/recorder.hpp"

namespace aqueduct::trace::timeline {

/// A part as it was read.
struct Part {
  std::uint32_t rank = 0;
  std::uint32_t ranks = 0;
  Anchor first;  ///< when all ranks had met
  Anchor last;
  std::uint64_t host = 0;
  std::string host_name;
  bool is_virtual = false;
  std::uint64_t lost = 0;  ///< records that were overwritten
  std::vector<std::string> names;
  std::vector<Record> unfinished;  ///< slices that were open when it ended, without durations
  std::vector<Record> records;     ///< in the order of their beginnings, in nanoseconds once they are written
};

/// The form of the events in a file, which changes whenever older readers would misunderstand it.
inline constexpr int kForm = 2;
/// An exit code that nobody knows.
inline constexpr int kUnknownExit = -1;

/// Reads a part from memory. The result has no `names` if the bytes are no part.
Part read_part(const void* memory, std::size_t bytes);

/// The outcome; each text is one line, or empty.
struct Merged {
  std::string error;      ///< nothing was written
  std::string warning;    ///< something is missing in it
  bool is_empty = false;  ///< no rank has left a part, which is the error
};

/// Writes FILE from the parts that lie beside it, and removes them if all went well.
Merged merge(const std::string& file, int exit_code = kUnknownExit);
/// The same from parts that were read.
Merged write(const std::string& file, std::vector<Part> parts, int exit_code = kUnknownExit);

/// For whoever has supervised a job: merges if AQUEDUCT_TRACE is set, says what went wrong on stderr, and
/// answers the job's exit code, or 1 if that was 0 and there is no trace. It says nothing where a job has
/// failed and no rank has left a part.
int finish_job(int exit_code);

}  // namespace aqueduct::trace::timeline
