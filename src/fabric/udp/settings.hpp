// What the environment says of the network between hosts. A value that cannot be ends the job with one line
// that says what can.
#pragma once
#include "fabric/udp/seal.hpp"
#include "job/place/membership.hpp"

namespace aqueduct::fabric::udp {

/// How long a peer may be silent.
inline constexpr const char* kTimeoutVariable = "AQUEDUCT_UDP_TIMEOUT";

/// AQUEDUCT_UDP_SECURITY: by default all datagrams are authenticated.
Security security_setting();

/// Where this rank's sockets are, port 0: at the interface that AQUEDUCT_UDP_INTERFACE names; without it at
/// the address from which the rank reaches the rendezvous, and at the loopback interface in a job of one
/// machine.
net::Address local_address_setting(const job::Membership& place);

}  // namespace aqueduct::fabric::udp
