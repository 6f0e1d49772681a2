// loopback: one rank that talks to itself through the smallest possible conduit.
//
// It exists to prove the contract: it implements only what is required, asks for no neighbourhood, and so
// carries all of Extended through the reference implementations. Its queues are short on purpose, to exercise
// kRetry.
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::loopback {
extern const Description kDescription;
}
