// The staging room: host memory behind this rank's segment, part of the same mapping and within what the
// network knows of the segment, so that messages of peers reach it on every network. Transfers to and from
// devices elsewhere are staged there (extended/device/transfers.hpp).
//
// It is made with the segment, before anybody knows whether a kind of device memory will be made: only on
// machines that look as if they had a device (device::may_be_here()). It is address space until it is used;
// but a network that pins what it is told of pins it, too. Clients do not see it: whatever they name is
// checked against the segment alone. A rank without one is sent its data in Medium messages.
#pragma once
#include <cstddef>
#include <cstdint>

namespace aqueduct::core {

class Rank;

/// The size of the room behind a segment of `segment_bytes`; 0: there is none (AQUEDUCT_DEVICE_STAGING=0, a
/// simulation, no device, no place left in this rank's shared memory).
std::size_t staging_bytes(const Rank& rank, std::size_t segment_bytes);

/// The most that it may be here: room in shared memory that is not for created segments.
std::size_t most_staging_bytes(const Rank& rank);

}  // namespace aqueduct::core
