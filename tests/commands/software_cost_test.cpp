// Every cost of software above Portals by arithmetic, on the simulated XT4, and above VELO, on the simulated
// FPGA cards: a microsecond more for a piece of work moves an operation by as many microseconds as the
// operation does it where somebody waits.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "command.hpp"

namespace aqueduct::test {
namespace {

struct Row {
  const char* operation;  ///< conduit and scenario, as the command has them
  const char* stage;      ///< of the Portals conduit, or the implementation of active messages over VELO
  const char* cost;
  double times;
};

constexpr const char* kPut = "--conduit portals --bytes 8 put";
constexpr const char* kMpiPut = "--conduit mpi-portals --bytes 8 put";
constexpr const char* kFarMpiPut = "--conduit mpi-portals --bytes 8 --set nic.cached_bytes=0B put";
constexpr const char* kTrip = "--conduit portals --bytes 8 round-trip";
constexpr const char* kPingAck = "--conduit portals --bytes 8 ping-ack";
constexpr const char* kVeloTrip = "--conduit extoll --bytes 8 round-trip";
constexpr const char* kOutside = "--conduit portals --bytes 8192 outside-put";

const Row kRows[] = {
    // The native put is no work of any software but the library's.
    {kPut, "firehose", "am_send", 0},
    {kPut, "firehose", "am_receive", 0},
    {kPut, "firehose", "mpi_send", 0},
    {kPut, "firehose", "mpi_arrival", 0},
    {kPut, "firehose", "copy", 0},
    // Over MPI it is a request and a reply, each made, sent, taken, and copied at both ends. Receives are
    // posted again
    // while nobody waits.
    {kMpiPut, "firehose", "am_send", 2},
    {kMpiPut, "firehose", "am_receive", 2},
    {kMpiPut, "firehose", "mpi_send", 2},
    {kMpiPut, "firehose", "mpi_arrival", 2},
    {kMpiPut, "firehose", "mpi_receive", 0},
    {kMpiPut, "firehose", "mpi_unexpected", 0},
    {kMpiPut, "firehose", "copy", 4},
    {kMpiPut, "firehose", "copy_far", 0},
    {kFarMpiPut, "firehose", "copy_far", 4},
    // A native request and its reply: a system call and a copy for each.
    {kTrip, "firehose", "am_send", 2},
    {kTrip, "firehose", "am_receive", 2},
    {kTrip, "firehose", "copy", 2},
    {kTrip, "firehose", "system_call", 2},
    {kTrip, "firehose", "mpi_send", 0},
    // Two messages; the receive of the answer is posted before the first is sent.
    {kPingAck, "firehose", "mpi_send", 2},
    {kPingAck, "firehose", "mpi_receive", 1},
    {kPingAck, "firehose", "copy", 1},
    {kPingAck, "firehose", "am_send", 0},
    // A Medium of 8 bytes and its reply over VELO: the first implementation sends head and payload by
    // themselves.
    {kVeloTrip, "first", "am_send", 2},
    {kVeloTrip, "first", "am_receive", 2},
    {kVeloTrip, "first", "am_lock", 6},
    {kVeloTrip, "first", "call_send", 4},
    {kVeloTrip, "first", "call_receive", 4},
    {kVeloTrip, "first", "send_velo", 4},
    {kVeloTrip, "first", "take_velo", 4},
    {kVeloTrip, "second", "am_send", 2},
    {kVeloTrip, "second", "am_receive", 2},
    {kVeloTrip, "second", "am_lock", 4},
    {kVeloTrip, "second", "call_send", 2},
    {kVeloTrip, "second", "call_receive", 2},
    {kVeloTrip, "second", "send_velo", 2},
    {kVeloTrip, "second", "take_velo", 2},
    // A descriptor for the put's two pages: made and unmade each time, or kept.
    {kOutside, "native", "system_call", 3},
    {kOutside, "native", "call_other", 2},
    {kOutside, "native", "pin", 1},
    {kOutside, "native", "pin.each", 2},
    {kOutside, "native", "unpin", 1},
    {kOutside, "native", "unpin.each", 2},
    {kOutside, "native", "page_list", 1},
    {kOutside, "firehose", "system_call", 1},
    {kOutside, "firehose", "call_other", 0},
    {kOutside, "firehose", "pin", 0},
    {kOutside, "firehose", "unpin", 0},
    {kOutside, "firehose", "page_list", 0},
};

/// Microseconds for one operation.
double time_of(const Row& row, const std::string& change) {
  const bool is_velo = row.operation == kVeloTrip;
  const Outcome outcome =
      command(std::string("sim --network ") + (is_velo ? "extoll-fpga" : "seastar-xt4 --bridge uk") +
                  " --nodes 2 --segment 1MiB --rounds 32 " + change + row.operation,
              {std::string(is_velo ? "AQUEDUCT_EXTOLL_AM=" : "AQUEDUCT_PORTALS_STAGE=") + row.stage});
  const std::size_t at = outcome.out.find("each          ");
  if (outcome.exit_code != 0 || at == std::string::npos) {
    ADD_FAILURE() << outcome.out << outcome.err;
    return NAN;
  }
  return std::stod(outcome.out.substr(at + 14));
}

/// The same where the piece of work costs so much.
double cost_with(const Row& row, double microseconds) {
  return time_of(row, "--set costs." + std::string(row.cost) + "=" + std::to_string(microseconds) + "us ");
}

class SoftwareCosts : public testing::TestWithParam<Row> {};

TEST_P(SoftwareCosts, MoveAnOperationByAsOftenAsItPaysThem) {
  constexpr double kExact = 0.0025;  // times are shown to the nanosecond
  const Row& row = GetParam();
  EXPECT_NEAR(cost_with(row, 2) - cost_with(row, 1), row.times, kExact)
      << row.cost << " of " << row.operation;
}

std::string name_of(const Row& row) {
  std::string name = std::string(row.cost) + " in " + row.operation + " " + row.stage;
  std::erase(name, '-');
  std::ranges::replace_if(
      name, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return name;
}

void PrintTo(const Row& row, std::ostream* out) { *out << name_of(row); }

INSTANTIATE_TEST_SUITE_P(Of, SoftwareCosts, testing::ValuesIn(kRows),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace aqueduct::test
