// The calls in one file of dumpi2ascii. Each is a few lines:
//
//   MPI_Send entering at walltime 8153.049312345, cputime 0.004400000 seconds in thread 0.
//   int count=16
//   MPI_Datatype datatype=11 (MPI_DOUBLE)
//   int dest=1
//   int tag=7
//   MPI_Comm comm=2 (MPI_COMM_WORLD)
//   MPI_Send returning at walltime 8153.049313345, cputime 0.004400100 seconds in thread 0.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aqueduct::replay {

struct MpiStatus {
  std::int64_t source = 0;
  std::int64_t tag = 0;
};

struct MpiCall {
  std::string name;
  std::int64_t begin = 0;  ///< nanoseconds
  std::int64_t end = 0;
  std::uint32_t thread = 0;
  std::map<std::string, std::string, std::less<>> arguments;  ///< without types and sizes of arrays

  /// The number that an argument begins with; nothing if there is none.
  std::optional<std::int64_t> number(std::string_view argument) const;
  /// What stands in parentheses behind it: the name of a constant.
  std::string_view constant(std::string_view argument) const;
  /// The numbers of a list; empty if it was ignored.
  std::vector<std::int64_t> list(std::string_view argument) const;
  /// Likewise.
  std::vector<MpiStatus> statuses(std::string_view argument) const;
};

/// Nothing, with a reason in `*why`, if the text is malformed or cut off.
std::optional<std::vector<MpiCall>> mpi_calls(std::string_view text, std::string* why);

}  // namespace aqueduct::replay
