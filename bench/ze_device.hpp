// The first device of Level Zero, for benchmarks: clients of this class bring handles of their own.
#pragma once

namespace aqueduct::bench {

/// The device and a context for it, which live as long as the process. False if there is none. The library
/// is that which AQUEDUCT_ZE_LIBRARY names, or libze_loader.so.1.
bool find_ze_device(void** device, void** context);

}  // namespace aqueduct::bench
