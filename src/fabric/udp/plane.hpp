// The port of a live rank over UDP: opens its socket, tells the others where that is and learns where theirs
// are, and agrees with them on what seals datagrams.
//
// The job's key comes with the rank's place.
#pragma once
#include <memory>

#include "base/clock.hpp"
#include "fabric/udp/port.hpp"
#include "job/bootstrap/bootstrap.hpp"
#include "job/place/membership.hpp"

namespace aqueduct::fabric::udp {

/// Once per process and plane, by all ranks of the job together. What does not work or differs between ranks
/// ends the job with one line.
std::unique_ptr<UdpPort> open_port(const job::Membership& place, Plane plane, job::Bootstrap& bootstrap,
                                   Clock& clock);

}  // namespace aqueduct::fabric::udp
