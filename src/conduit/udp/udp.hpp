// udp: active messages between hosts over datagrams (fabric/udp/), with a kernel and nothing else. Ranks of
// one host talk through shared memory.
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::udp {
extern const Description kDescription;
}
