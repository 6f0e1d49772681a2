// Whether memory is there, without touching it.
//
// What the system says is true at that moment: another thread may map or unmap the next. Slow (it reads the
// system's list of mappings): for set-up, never for each transfer. Any thread.
#pragma once
#include <cstddef>
#include <cstdint>

namespace aqueduct::conduit::portals {

enum class Access : std::uint8_t { kRead, kWrite };

/// True if all of [address, address + bytes) is mapped and may be read, or written. Where the system does not
/// tell its mappings: true.
bool is_mapped(std::uintptr_t address, std::size_t bytes, Access access);

}  // namespace aqueduct::conduit::portals
