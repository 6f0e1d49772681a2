// What a curve is about. A system has one colour and one kind of line in all figures of all papers, on a
// white page, on a dark one, and told apart by its dashes when printed in grey.
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
  kPutSyncSend,  ///< AM Long over Aries, by its protocols
  kReassembly,
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

/// The class of the style sheet that gives an element the system's colour as its current one.
std::string class_of(System system);

/// The value of stroke-dasharray; empty for a solid line.
const char* dashes_of(System system);

enum class Theme : std::uint8_t { kLight, kDark };

/// Rules of a style sheet with the colours of all systems.
std::string colour_rules(Theme theme);

}  // namespace aqueduct::figures
