// udp: active messages between hosts over datagrams (fabric/udp/); it needs nothing but a kernel. Ranks of
// one host use shared memory.
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::udp {
extern const Description kDescription;
}
