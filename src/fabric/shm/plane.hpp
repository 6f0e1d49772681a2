// Planes: uses of the fabric in one job that do not meet. Each has memory of its own among what the job
// shares.
#pragma once
#include <cstdint>
#include <memory>

#include "fabric/shm/port.hpp"
#include "job/place/membership.hpp"

namespace aqueduct::fabric::shm {

/// The port of this rank in a plane; once per process and plane. Ends the job with one line if there is no
/// address space for it.
std::unique_ptr<ShmPort> open_port(const job::Membership& membership, Plane plane);

}  // namespace aqueduct::fabric::shm
