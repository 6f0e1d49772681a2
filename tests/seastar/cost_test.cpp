// Every cost of the SeaStar by arithmetic: a change of one of them moves an operation by as often as the
// operation pays it, and nothing else. The table is the way of a message as docs/portals.md has it, in
// numbers.
//
// What is done while the host still leaves an interrupt costs no time of its own: "no exit" takes that
// interval away, so that it shows.
#include <gtest/gtest.h>

#include "papers/bench/portals/simulated.hpp"
#include "sim/units.hpp"
#include "stage.hpp"

namespace aqueduct::portals3::seastar::test {
namespace {

using bench::portals::Pattern;

constexpr double kChangeNs = 100;

enum class Exit { kUsual, kNone };

struct Operation {
  const char* name;
  BridgeKind bridge;
  Pattern pattern;
  std::size_t bytes;
  Exit exit;
};

/// How often an operation pays a cost.
struct Row {
  Operation operation;
  const char* cost;  ///< as an override has it
  double times;
};

constexpr Operation kPut{"ShortPut", BridgeKind::kQk, Pattern::kPut, 0, Exit::kUsual};
constexpr Operation kLongPut{"PutAboveInline", BridgeKind::kQk, Pattern::kPut, 13, Exit::kUsual};
constexpr Operation kDeposit{"PutAboveInlineWithoutExit", BridgeKind::kQk, Pattern::kPut, 13, Exit::kNone};
constexpr Operation kGet{"ShortGet", BridgeKind::kQk, Pattern::kGet, 0, Exit::kUsual};
constexpr Operation kBoth{"ShortPutsBothWays", BridgeKind::kQk, Pattern::kBidirectionalPut, 0, Exit::kUsual};
constexpr Operation kStream{"StreamOfShortPuts", BridgeKind::kQk, Pattern::kPutStream, 0, Exit::kUsual};
constexpr Operation kLinux{"ShortPutOnLinux", BridgeKind::kUk, Pattern::kPut, 0, Exit::kUsual};
/// Ten pages, of 64 bytes each.
constexpr Operation kPages{"PutOfTenPagesOnLinux", BridgeKind::kUk, Pattern::kPut, 640, Exit::kNone};
constexpr Operation kKernel{"ShortPutOfTheKernel", BridgeKind::kK, Pattern::kPut, 0, Exit::kUsual};
constexpr Operation kFast{"AcceleratedShortPut", BridgeKind::kAccelerated, Pattern::kPut, 0, Exit::kUsual};
constexpr Operation kFastLong{"AcceleratedPutAboveInline", BridgeKind::kAccelerated, Pattern::kPut, 13,
                              Exit::kUsual};

const Row kRows[] = {
    // One command, one interrupt at the target; the event of the own send is not waited for.
    {kPut, "costs.trap", 3},
    {kPut, "costs.call_put", 1},
    {kPut, "costs.call_event", 2},
    {kPut, "costs.push_command", 1},
    {kPut, "nic.crossing", 2},
    {kPut, "costs.firmware_transmit", 1},
    {kPut, "injection.per_message", 1},
    {kPut, "link.hop", 1},
    {kPut, "costs.firmware_header", 1},
    {kPut, "costs.interrupt_entry", 1},
    {kPut, "costs.match", 1},
    {kPut, "costs.match.each", 1},
    {kPut, "costs.complete", 1},
    {kPut, "costs.interrupt_exit", 1},
    {kPut, "costs.firmware_transmitted", 0},
    {kPut, "costs.firmware_deposit", 0},
    {kPut, "costs.firmware_deposited", 0},
    {kPut, "costs.system_call", 0},
    {kPut, "costs.call_get", 0},
    {kPut, "costs.call_other", 0},
    {kPut, "costs.pin", 0},
    {kPut, "costs.push_page.each", 0},
    {kPut, "costs.firmware_page.each", 0},
    {kPut, "costs.firmware_match", 0},
    {kPut, "costs.firmware_event", 0},
    {kPut, "costs.firmware_overflow", 0},
    // Two interrupts at the target; in the first a command goes back. The deposit happens while the host
    // leaves it.
    {kLongPut, "costs.push_command", 2},
    {kLongPut, "costs.interrupt_entry", 2},
    {kLongPut, "costs.interrupt_exit", 2},
    {kLongPut, "costs.match", 1},
    {kLongPut, "costs.complete", 1},
    {kLongPut, "costs.firmware_deposit", 0},
    {kLongPut, "nic.crossing", 2},
    {kDeposit, "costs.push_command", 2},
    {kDeposit, "nic.crossing", 4},
    {kDeposit, "costs.firmware_header", 1},
    {kDeposit, "costs.firmware_deposit", 1},
    {kDeposit, "costs.firmware_deposited", 1},
    {kDeposit, "costs.interrupt_entry", 2},
    {kDeposit, "costs.complete", 1},
    // There and back; nobody waits for the exit of the target's interrupt.
    {kGet, "costs.trap", 3},
    {kGet, "costs.call_get", 1},
    {kGet, "costs.call_put", 0},
    {kGet, "costs.push_command", 2},
    {kGet, "nic.crossing", 4},
    {kGet, "costs.firmware_transmit", 2},
    {kGet, "injection.per_message", 2},
    {kGet, "link.hop", 2},
    {kGet, "costs.firmware_header", 2},
    {kGet, "costs.interrupt_entry", 2},
    {kGet, "costs.match", 2},
    {kGet, "costs.match.each", 1},
    {kGet, "costs.complete", 1},
    {kGet, "costs.interrupt_exit", 1},
    // The interrupt of the own send comes before that of the other's put.
    {kBoth, "costs.interrupt_entry", 2},
    {kBoth, "costs.complete", 2},
    {kBoth, "costs.interrupt_exit", 2},
    {kBoth, "costs.match", 1},
    // The receiver's processor is what a stream waits for.
    {kStream, "costs.interrupt_entry", 1},
    {kStream, "costs.match", 1},
    {kStream, "costs.complete", 1},
    {kStream, "costs.interrupt_exit", 1},
    {kStream, "link.hop", 0},
    {kStream, "costs.firmware_header", 0},
    // A process on Linux looks at its event queues by itself.
    {kLinux, "costs.system_call", 1},
    {kLinux, "costs.trap", 0},
    {kKernel, "costs.system_call", 0},
    {kKernel, "costs.trap", 0},
    // The sender's list of pages and that of the deposit.
    {kPages, "costs.push_page.each", 20},
    {kPages, "costs.firmware_page.each", 20},
    {kPages, "costs.push_command", 2},
    // No trap, no interrupt: the interface matches and writes the event. That the put has begun is known
    // before.
    {kFast, "costs.trap", 0},
    {kFast, "costs.interrupt_entry", 0},
    {kFast, "costs.interrupt_exit", 0},
    {kFast, "costs.match", 0},
    {kFast, "costs.complete", 0},
    {kFast, "costs.call_put", 1},
    {kFast, "costs.call_event", 1},
    {kFast, "costs.push_command", 1},
    {kFast, "nic.crossing", 2},
    {kFast, "costs.firmware_transmit", 1},
    {kFast, "costs.firmware_header", 1},
    {kFast, "costs.firmware_match", 1},
    {kFast, "costs.firmware_match.each", 1},
    {kFast, "costs.firmware_event", 1},
    {kFastLong, "nic.crossing", 2},
    {kFastLong, "costs.firmware_deposit", 1},
    {kFastLong, "costs.firmware_deposited", 1},
    {kFastLong, "costs.firmware_event", 1},
};

std::vector<std::string> settings_of(const Operation& operation) {
  std::vector<std::string> settings{"nic.page_bytes=64B"};
  if (operation.exit == Exit::kNone) settings.push_back("costs.interrupt_exit=0ns");
  return settings;
}

double ns_of(const Operation& operation, const std::vector<std::string>& settings) {
  const sim::NetworkModel model = network("seastar-redstorm", settings);
  const bench::portals::Task task{operation.pattern, operation.bytes};
  return bench::portals::measure({.model = &model, .bridge = operation.bridge}, {&task, 1}).front().ns;
}

/// The number, or the variable part of it, and a hundred nanoseconds.
std::string dearer(const std::string& cost) {
  const bool is_each = cost.ends_with(".each");
  const std::string name = is_each ? cost.substr(0, cost.size() - 5) : cost;
  const sim::NetworkModel model = network("seastar-redstorm");
  for (const sim::Number& number : model.numbers()) {
    if (number.name != name) continue;
    const std::uint64_t before = is_each ? number.fs_per_byte / 1000 : number.value;
    return cost + "=" + std::to_string(before + static_cast<std::uint64_t>(kChangeNs) * sim::kNanosecond) +
           "ps";
  }
  ADD_FAILURE() << "there is no number " << name;
  return "";
}

class Costs : public ::testing::TestWithParam<Row> {};

TEST_P(Costs, MoveAnOperationByAsOftenAsItPaysThem) {
  const Row& row = GetParam();
  std::vector<std::string> settings = settings_of(row.operation);
  const double before = ns_of(row.operation, settings);
  settings.push_back(dearer(row.cost));
  EXPECT_NEAR(ns_of(row.operation, settings) - before, row.times * kChangeNs, kExact)
      << row.cost << " in " << row.operation.name;
}

INSTANTIATE_TEST_SUITE_P(Of, Costs, ::testing::ValuesIn(kRows), [](const auto& row) {
  std::string name = std::string(row.param.operation.name) + "_" + row.param.cost;
  std::ranges::replace(name, '.', '_');
  return name;
});

/// Every number of the file that the SeaStar charges is in the table.
TEST(CostTable, NamesEveryCostOfTheInterface) {
  const sim::NetworkModel model = network("seastar-redstorm");
  for (const sim::Cost& cost : model.costs()) {
    // Between ranks of a node, and what making a descriptor costs (mechanism_test.cpp).
    if (cost.name.starts_with("neighbour_") || cost.name == "unpin" || cost.name == "page_list") continue;
    const bool is_there = std::ranges::any_of(
        kRows, [&](const Row& row) { return std::string(row.cost).starts_with("costs." + cost.name); });
    EXPECT_TRUE(is_there) << cost.name;
  }
}

}  // namespace
}  // namespace aqueduct::portals3::seastar::test
