// The system of a curve. Each system has one colour and one kind of line in all figures of all papers, on
// white and dark pages; dashes distinguish systems in grey prints.
#pragma once
#include <cstdint>
#include <string>

namespace aqueduct::figures {

enum class System : std::uint8_t {
  kPut,  ///< of Portals, in generic mode
  kGet,
  kBidirectionalPut,
  kPutStream,
  kAcceleratedPut,
  kPortalsConduit,
  kTemporaryDescriptors,  ///< the Portals conduit before Firehose
  kMpiConduit,
  kMpi,          ///< a program written to MPI
  kBystanders,   ///< traffic past a hot spot
  kPutSyncSend,  ///< from here on: AM Long over Aries, by protocol
  kReassembly,
  kSmallPutSyncSend,  ///< the same with the smallest and the largest payload of a figure
  kLargePutSyncSend,
  kSmallReassembly,
  kLargeReassembly,
  kRendezvousGet,
  kVelo,  ///< bare VELO and RMA
  kExtollConduit,
  kFirstAm,  ///< the extoll conduit with the first implementation of active messages
  kVerbs,
  kIbvConduit,
  kUdp,
  kUdpConduit,
  kAsyncChaining,
  kOrdered,
};

/// The CSS class that gives an element the system's colour.
std::string class_of(System system);

/// The value of stroke-dasharray; empty for a solid line.
const char* dashes_of(System system);

enum class Theme : std::uint8_t { kLight, kDark };

/// Rules of a style sheet with the colours of all systems.
std::string colour_rules(Theme theme);

}  // namespace aqueduct::figures
