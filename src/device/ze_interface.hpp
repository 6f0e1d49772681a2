// What is used of Level Zero's core interface: its structures, with the layout of the specification, and its
// numbers. Handles are pointers.
#pragma once
#include <cstddef>
#include <cstdint>

namespace aqueduct::device::ze {

using Result = std::uint32_t;

inline constexpr Result kNotReady = 1, kDeviceLost = 0x70000001, kOutOfHostMemory = 0x70000002,
                        kOutOfDeviceMemory = 0x70000003, kUnsupported = 0x78000003, kBadArgument = 0x78000004;
inline constexpr std::uint32_t kGpuOnly = 1, kGpu = 1, kDeviceMemory = 2, kAsynchronous = 2, kHostVisible = 1,
                               kScopeHost = 4, kCompute = 1, kCopy = 2;

/// Which structure it is, as each of them begins.
enum class Type : std::uint32_t {
  kDeviceProperties = 0x3,
  kQueueGroupProperties = 0x6,
  kMemoryProperties = 0x7,
  kContext = 0xd,
  kQueue = 0xe,
  kEventPool = 0x10,
  kEvent = 0x11,
  kDeviceAllocation = 0x15,
  kHostAllocation = 0x16,
  kAllocationProperties = 0x17,
};

struct DeviceProperties {
  Type type = Type::kDeviceProperties;
  void* next = nullptr;
  std::uint32_t kind = 0, vendor = 0, number = 0, flags = 0, sub_device = 0, clock = 0;
  std::uint64_t largest_allocation = 0;
  std::uint32_t contexts = 0, priority = 0, threads = 0, width = 0, units = 0, sub_slices = 0, slices = 0;
  std::uint64_t resolution = 0;
  std::uint32_t time_bits = 0, kernel_time_bits = 0;
  std::uint8_t uuid[16] = {};
  char name[256] = {};
};
struct QueueGroupProperties {
  Type type = Type::kQueueGroupProperties;
  void* next = nullptr;
  std::uint32_t flags = 0;
  std::size_t largest_pattern = 0;
  std::uint32_t queues = 0;
};
struct MemoryProperties {
  Type type = Type::kMemoryProperties;
  void* next = nullptr;
  std::uint32_t flags = 0, clock = 0, width = 0;
  std::uint64_t bytes = 0;
  char name[256] = {};
};
struct AllocationProperties {
  Type type = Type::kAllocationProperties;
  void* next = nullptr;
  std::uint32_t kind = 0;
  std::uint64_t id = 0, page_bytes = 0;
};
/// Of a context, and of an allocation of the host's.
struct Plain {
  Type type{};
  const void* next = nullptr;
  std::uint32_t flags = 0;
};
struct Queue {
  Type type = Type::kQueue;
  const void* next = nullptr;
  std::uint32_t group = 0, index = 0, flags = 0, mode = kAsynchronous, priority = 0;
};
struct EventPool {
  Type type = Type::kEventPool;
  const void* next = nullptr;
  std::uint32_t flags = kHostVisible, count = 1;
};
struct Event {
  Type type = Type::kEvent;
  const void* next = nullptr;
  std::uint32_t index = 0, signal = kScopeHost, wait = 0;
};
struct DeviceAllocation {
  Type type = Type::kDeviceAllocation;
  const void* next = nullptr;
  std::uint32_t flags = 0, memory = 0;
};
/// Begins with a descriptor of the process that has made it.
struct IpcHandle {
  unsigned char bytes[64];
};

}  // namespace aqueduct::device::ze
