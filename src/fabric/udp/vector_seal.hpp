// AES-256-GCM by Intel's multi-buffer library for IPsec (libIPSec_MB), which uses the vector instructions of
// x86 processors of any maker and takes a datagram in pieces: docs/decisions/sealing.md has what it was
// measured against. The bytes are the same as libsodium's, so hosts with and without it understand each
// other.
//
// The library is loaded when it is first asked for, and stays. Its header is needed when Aqueduct is
// compiled; without it, on other processors, and on those without instructions for AES there are no vector
// seals. A library that computes something else than the standard says is not used.
//
// Threads: any.
#pragma once
#include <memory>
#include <string>

#include "fabric/udp/seal.hpp"
#include "fabric/udp/seal_nonce.hpp"

namespace aqueduct::fabric::udp {

/// The library and its version, "libIPSec_MB 1.3.0"; empty, with the reason in `*why`, where there is none.
std::string vector_seal_library(std::string* why);

/// What to do where there is none although the processor could have it; else empty.
std::string vector_seal_advice();

/// Null, with the reason in `*why`, where vector_seal_library() is empty.
std::unique_ptr<Seal> make_vector_seal(const SealKey& key, bool encrypts, std::string* why);

}  // namespace aqueduct::fabric::udp
