// The stand-in under the names of Level Zero's core interface. A driver with the devices, of which any
// context has all; events of a stream are marks in it.
#include <cstdlib>
#include <cstring>

#include "device/ze_interface.hpp"
#include "stand_in.hpp"

using namespace stand_in;
using aqueduct::device::ze::AllocationProperties;
using aqueduct::device::ze::DeviceAllocation;
using aqueduct::device::ze::DeviceProperties;
using aqueduct::device::ze::MemoryProperties;
using aqueduct::device::ze::Queue;
using aqueduct::device::ze::QueueGroupProperties;

namespace {

char the_driver;
char the_devices[16];
int number_of(const void* device) { return static_cast<int>(static_cast<const char*>(device) - the_devices); }

/// On a device for the time of a call.
class On {
 public:
  explicit On(int device) : before_(current()) { set_current(device); }
  ~On() { set_current(before_); }
  On(const On&) = delete;
  On& operator=(const On&) = delete;

 private:
  int before_;
};

struct List {
  int device;
  Stream* stream;
};
struct Event {
  Mark* mark = nullptr;
  int device = -1;  // of the list that signals it; -1: none does
};

unsigned answer(int code) {
  if (code == kOutOfMemory) return aqueduct::device::ze::kOutOfDeviceMemory;
  if (code == kNotReady) return aqueduct::device::ze::kNotReady;
  if (code >= 700 && code < 800) return aqueduct::device::ze::kDeviceLost;
  return static_cast<unsigned>(code == kOk ? 0 : aqueduct::device::ze::kBadArgument);
}

// Asked for the number, or for as many as the caller has room for.
unsigned list_all(std::uint32_t* count, void** found, std::uint32_t there, char* first) {
  if (!found) {
    *count = there;
    return 0;
  }
  for (std::uint32_t i = 0; i < *count && i < there; ++i) found[i] = first + i;
  return 0;
}

unsigned signal(const List& list, Event* event) {
  if (!event) return 0;
  event->device = list.device;
  const On on(list.device);
  return answer(record(event->mark, list.stream));
}

}  // namespace

#define CALL(name, ...) extern "C" __attribute__((visibility("default"))) unsigned name(__VA_ARGS__)
#define MAY_FAIL \
  if (const int code = called(__func__)) return answer(code)

CALL(zeInit, std::uint32_t) {
  MAY_FAIL;
  return 0;
}
CALL(zeDriverGet, std::uint32_t* count, void** drivers) { return list_all(count, drivers, 1, &the_driver); }
CALL(zeDriverGetApiVersion, void*, std::uint32_t* version) {
  *version = 1u << 16 | 4;
  return 0;
}
CALL(zeDeviceGet, void*, std::uint32_t* count, void** devices) {
  return list_all(count, devices, static_cast<std::uint32_t>(device_count()), the_devices);
}
CALL(zeDeviceGetSubDevices, void*, std::uint32_t* count, void**) {
  *count = 0;
  return 0;
}
CALL(zeDeviceGetProperties, void* device, DeviceProperties* properties) {
  properties->kind = aqueduct::device::ze::kGpu;
  name_of(number_of(device), properties->name, sizeof properties->name);
  id_of(number_of(device), properties->uuid);
  return 0;
}
CALL(zeDeviceGetMemoryProperties, void* device, std::uint32_t* count, MemoryProperties* properties) {
  *count = 1;
  if (!properties) return 0;
  const On on(number_of(device));
  std::size_t free = 0;
  return answer(info(&free, &properties->bytes));
}
CALL(zeDeviceGetCommandQueueGroupProperties, void*, std::uint32_t* count, QueueGroupProperties* properties) {
  *count = 2;
  if (!properties) return 0;
  properties[0].flags = aqueduct::device::ze::kCompute | aqueduct::device::ze::kCopy;
  properties[1].flags = aqueduct::device::ze::kCopy;
  properties[0].queues = properties[1].queues = 1;
  return 0;
}
// Intel's own calls, which only this function knows.
static unsigned import_pointer(void*, void* address, std::size_t bytes) {
  if (const int code = called("zexDriverImportExternalPointer")) return answer(code);
  const On on(0);
  return answer(pin(address, bytes));
}
static unsigned release_pointer(void*, void* address) {
  const On on(0);
  return answer(unpin(address));
}
CALL(zeDriverGetExtensionFunctionAddress, void*, const char* name, void** function) {
  *function = nullptr;
  if (!std::strcmp(name, "zexDriverImportExternalPointer"))
    *function = reinterpret_cast<void*>(&import_pointer);
  if (!std::strcmp(name, "zexDriverReleaseImportedPointer"))
    *function = reinterpret_cast<void*>(&release_pointer);
  return *function ? 0 : aqueduct::device::ze::kBadArgument;
}
CALL(zeContextCreate, void*, const void*, void** context) {
  MAY_FAIL;
  *context = new int;
  return 0;
}
CALL(zeContextDestroy, void* context) {
  delete static_cast<int*>(context);
  return 0;
}
CALL(zeMemAllocDevice, void*, const DeviceAllocation*, std::size_t bytes, std::size_t, void* device,
     void** memory) {
  MAY_FAIL;
  const On on(number_of(device));
  return answer(allocate(bytes, memory));
}
CALL(zeMemAllocHost, void*, const void*, std::size_t bytes, std::size_t, void** memory) {
  MAY_FAIL;
  const On on(0);
  return answer(allocate_pinned(bytes, memory));
}
CALL(zeMemFree, void*, void* memory) {
  const int device = find(memory, nullptr, nullptr);
  const On on(device < 0 ? 0 : device);
  return answer(device < 0 ? free_pinned(memory) : release(memory));
}
CALL(zeMemGetAllocProperties, void*, const void* address, AllocationProperties* properties, void** device) {
  const int found = find(address, nullptr, nullptr);
  properties->kind = found < 0 ? 0 : aqueduct::device::ze::kDeviceMemory;
  if (found >= 0) *device = the_devices + found;
  return 0;
}
CALL(zeMemGetAddressRange, void*, const void* address, void** base, std::size_t* bytes) {
  return find(address, base, bytes) < 0 ? aqueduct::device::ze::kBadArgument : 0;
}
CALL(zeMemGetIpcHandle, void*, const void* address, Handle* handle) {
  MAY_FAIL;
  const On on(find(address, nullptr, nullptr));
  return answer(export_descriptor(const_cast<void*>(address), handle));
}
CALL(zeMemOpenIpcHandle, void*, void* device, Handle handle, std::uint32_t, void** address) {
  MAY_FAIL;
  const On on(number_of(device));
  return answer(import_descriptor(handle, address));
}
CALL(zeMemCloseIpcHandle, void*, const void* address) {
  const On on(find(address, nullptr, nullptr));
  return answer(close_import(const_cast<void*>(address)));
}
CALL(zeCommandListCreateImmediate, void*, void* device, const Queue* queue, void** list) {
  MAY_FAIL;
  if (queue->group != 1) return aqueduct::device::ze::kBadArgument;  // the one that does nothing but copy
  const On on(number_of(device));
  auto* const made = new List{number_of(device), nullptr};
  *list = made;
  return answer(make_stream(&made->stream));
}
CALL(zeCommandListDestroy, void* list) {
  auto* const doomed = static_cast<List*>(list);
  const int code = destroy_stream(doomed->stream);
  delete doomed;
  return answer(code);
}
CALL(zeCommandListAppendMemoryCopy, void* list, void* to, const void* from, std::size_t bytes, void* event,
     std::uint32_t, void**) {
  MAY_FAIL;
  const List& into = *static_cast<List*>(list);
  const On on(into.device);
  if (const int code = copy(to, from, bytes, into.stream)) return answer(code);
  return signal(into, static_cast<Event*>(event));
}
CALL(zeCommandListAppendBarrier, void* list, void* event, std::uint32_t, void**) {
  MAY_FAIL;
  return signal(*static_cast<List*>(list), static_cast<Event*>(event));
}
CALL(zeEventPoolCreate, void*, const void*, std::uint32_t, void**, void** pool) {
  MAY_FAIL;
  *pool = new int;
  return 0;
}
CALL(zeEventPoolDestroy, void* pool) {
  delete static_cast<int*>(pool);
  return 0;
}
CALL(zeEventCreate, void*, const void*, void** event) {
  MAY_FAIL;
  auto* const made = new Event;
  *event = made;
  const On on(0);
  return answer(make_mark(&made->mark));
}
CALL(zeEventDestroy, void* event) {
  auto* const doomed = static_cast<Event*>(event);
  const int code = destroy_mark(doomed->mark);
  delete doomed;
  return answer(code);
}
CALL(zeEventHostReset, void* event) {
  static_cast<Event*>(event)->device = -1;
  return 0;
}
CALL(zeEventQueryStatus, void* event) {
  MAY_FAIL;
  const Event& asked = *static_cast<Event*>(event);
  if (asked.device < 0) return aqueduct::device::ze::kNotReady;
  const On on(asked.device);
  return answer(query(asked.mark));
}
CALL(zeEventHostSynchronize, void* event, std::uint64_t) {
  const Event& asked = *static_cast<Event*>(event);
  int code = kNotReady;
  while (code == kNotReady) {
    const On on(asked.device);
    code = query(asked.mark);
  }
  return answer(code);
}
