// loopback: one rank that talks to itself through the smallest possible conduit.
//
// It proves the contract: it implements only what is required and asks for no neighbourhood, so all of
// src/extended runs through the reference implementations. Its queues are short, to exercise kRetry.
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::loopback {
extern const Description kDescription;
}
