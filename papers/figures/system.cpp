#include "system.hpp"

#include <fmt/format.h>

#include <iterator>

namespace aqueduct::figures {
namespace {

struct Look {
  System system;
  const char* light;
  const char* dark;
  const char* dashes;
};

// Colours that readers with any colour sense can tell apart where they meet in a chart.
constexpr Look kLooks[] = {
    {System::kPut, "#0072b2", "#56b4e9", ""},
    {System::kGet, "#d55e00", "#f0803c", "8 3"},
    {System::kBidirectionalPut, "#7a3e9d", "#c99be6", "3 2.5"},
    {System::kPutStream, "#8a6d00", "#e6c229", "10 3 2 3"},
    {System::kAcceleratedPut, "#00838f", "#4dd0e1", "6 3"},
    {System::kPortalsConduit, "#009e73", "#35c99f", ""},
    {System::kTemporaryDescriptors, "#9a5b00", "#e0a04a", "6 3"},
    {System::kMpiConduit, "#b3263d", "#ff7a8c", "8 3"},
    {System::kMpi, "#4a5564", "#b6c0cd", "3 2.5"},
    {System::kBystanders, "#1b6e3c", "#6fcf97", ""},
    {System::kPutSyncSend, "#a4133c", "#ff8fa3", ""},
    {System::kReassembly, "#1d4ed8", "#8ab4ff", "8 3"},
    {System::kSmallPutSyncSend, "#e0637f", "#ffc2cd", ""},
    {System::kLargePutSyncSend, "#5c0a22", "#d1566f", ""},
    {System::kSmallReassembly, "#5b93f5", "#c3d8ff", "4 3"},
    {System::kLargeReassembly, "#0b2566", "#5a82d6", "12 4 3 4"},
    {System::kRendezvousGet, "#5b5f66", "#c4cad3", "3 2.5"},
    {System::kVelo, "#0b6e4f", "#5fd3a8", ""},
    {System::kExtollConduit, "#c1440e", "#ff9a66", "8 3"},
    {System::kFirstAm, "#6b4fa0", "#b9a3e3", "3 2.5"},
    {System::kVerbs, "#00668c", "#66c7ea", ""},
    {System::kIbvConduit, "#a8326b", "#f08ab8", "8 3"},
    {System::kUdp, "#4f6d00", "#b5d334", ""},
    {System::kUdpConduit, "#8f4b00", "#e8a04c", "10 3 2 3"},
    {System::kAsyncChaining, "#b45309", "#fbbf6b", "10 3 2 3"},
    {System::kOrdered, "#0f766e", "#5eead4", ""},
};

const Look& look_of(System system) {
  for (const Look& look : kLooks) {
    if (look.system == system) return look;
  }
  return kLooks[0];
}

}  // namespace

std::string class_of(System system) { return fmt::format("s{}", static_cast<unsigned>(system)); }

const char* dashes_of(System system) { return look_of(system).dashes; }

std::string colour_rules(Theme theme) {
  std::string rules;
  for (const Look& look : kLooks) {
    fmt::format_to(std::back_inserter(rules), ".{} {{ color: {}; }}\n", class_of(look.system),
                   theme == Theme::kLight ? look.light : look.dark);
  }
  return rules;
}

}  // namespace aqueduct::figures
