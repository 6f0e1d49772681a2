// Endpoints with segments on a device, known to all ranks. Made once, since endpoints last.
#pragma once
#include <gasnet_mk.h>

#include "device/cuda.hpp"
#include "support/pattern.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {

inline constexpr std::size_t kDeviceBytes = std::size_t{8} << 20;

/// The endpoint whose segment is memory of the library's, of the client's, and of the client's by hand.
inline constexpr gex_EP_Index_t kLibrarys = 1, kClients = 2, kByHand = 3;
inline constexpr gex_EP_Index_t kEndpoints = 4;

struct DeviceWorld {
  const Cuda* cuda = nullptr;  ///< null: there is no device, and nothing else here
  gex_MK_t kind = GEX_MK_INVALID;
  gex_EP_t ep[kEndpoints] = {};
  gex_Segment_t segment[kEndpoints] = {};
};

/// For gex_MK_Create: a CUDA device, or with AQUEDUCT_TEST_HIP or AQUEDUCT_TEST_ZE one of HIP or Level Zero,
/// by the same stand-in.
gex_MK_Create_args_t device_args(int ordinal);

/// Collective on first use.
const DeviceWorld& device_world();

/// From a local endpoint to that of another process.
inline gex_TM_t between(gex_EP_Index_t local, gex_EP_Index_t remote) {
  return gex_TM_Pair(device_world().ep[local], remote);
}
/// Where the segment of an endpoint of job rank `rank` begins, plus `offset`.
std::byte* on_device(gex_EP_Index_t index, gex_Rank_t rank, std::size_t offset = 0);

class Devices : public Spmd {
 protected:
  void SetUp() override {
    Spmd::SetUp();
    if (!device_world().cuda) GTEST_SKIP() << "there is no device";
  }
  const Cuda& cuda() const { return *device_world().cuda; }
};

}  // namespace aqueduct::test
