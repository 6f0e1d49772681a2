// The stand-in under the names of CUDA's driver interface.
#include <cstdio>
#include <vector>

#include "stand_in.hpp"

using namespace stand_in;

namespace {

using Address = unsigned long long;

struct Context {
  int device;
  int users;
};
Context contexts[16] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};
thread_local std::vector<Context*> current_contexts;

void follow() {
  set_current(current_contexts.empty() || !current_contexts.back() ? -1 : current_contexts.back()->device);
}
void* pointer(Address address) { return reinterpret_cast<void*>(address); }

struct Properties {
  int type, handle_types, location_type, location_id;
};
struct AccessOf {
  int location_type, location_id;
  unsigned flags;
};

}  // namespace

#define CALL(name, ...) extern "C" __attribute__((visibility("default"))) int name(__VA_ARGS__)
#define MAY_FAIL \
  if (const int code = called(__func__)) return code

CALL(cuInit, unsigned) {
  MAY_FAIL;
  return kOk;
}
CALL(cuDriverGetVersion, int* version) {
  *version = 12040;
  return kOk;
}
CALL(cuDeviceGetCount, int* count) {
  MAY_FAIL;
  *count = device_count();
  return kOk;
}
CALL(cuDeviceGet, int* device, int ordinal) {
  *device = ordinal;
  return ordinal < device_count() ? kOk : kInvalidDevice;
}
CALL(cuDeviceGetName, char* text, int bytes, int device) {
  MAY_FAIL;
  name_of(device, text, bytes);
  return kOk;
}
CALL(cuDeviceGetUuid, void* id, int device) {
  MAY_FAIL;
  id_of(device, id);
  return kOk;
}
CALL(cuGetErrorName, int code, const char** name) {
  *name = code == kOutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == kInvalidContext ? "CUDA_ERROR_INVALID_CONTEXT"
          : code == kInvalidValue   ? "CUDA_ERROR_INVALID_VALUE"
          : code >= 700             ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                    : "CUDA_ERROR_UNKNOWN";
  return kOk;
}
CALL(cuGetErrorString, int, const char** text) {
  *text = "said by the stand-in";
  return kOk;
}
CALL(cuDevicePrimaryCtxRetain, void** context, int device) {
  MAY_FAIL;
  if (device < 0 || device >= device_count()) return kInvalidDevice;
  ++contexts[device].users;
  *context = &contexts[device];
  return kOk;
}
CALL(cuDevicePrimaryCtxRelease_v2, int device) {
  --contexts[device].users;
  return kOk;
}
CALL(cuCtxGetCurrent, void** context) {
  *context = current_contexts.empty() ? nullptr : current_contexts.back();
  return kOk;
}
CALL(cuCtxSetCurrent, void* context) {
  if (!current_contexts.empty()) current_contexts.pop_back();
  current_contexts.push_back(static_cast<Context*>(context));
  follow();
  return kOk;
}
CALL(cuCtxPushCurrent_v2, void* context) {
  MAY_FAIL;
  if (static_cast<Context*>(context)->users == 0) return kInvalidContext;
  current_contexts.push_back(static_cast<Context*>(context));
  follow();
  return kOk;
}
CALL(cuCtxPopCurrent_v2, void** context) {
  if (current_contexts.empty()) return kInvalidContext;
  *context = current_contexts.back();
  current_contexts.pop_back();
  follow();
  return kOk;
}
CALL(cuMemAlloc_v2, Address* address, std::size_t bytes) {
  MAY_FAIL;
  void* made = nullptr;
  const int code = allocate(bytes, &made);
  *address = reinterpret_cast<Address>(made);
  return code;
}
CALL(cuMemFree_v2, Address address) {
  MAY_FAIL;
  return release(pointer(address));
}
CALL(cuMemGetInfo_v2, std::size_t* free, std::size_t* total) { return info(free, total); }
CALL(cuMemGetAddressRange_v2, Address* base, std::size_t* bytes, Address address) {
  void* first = nullptr;
  if (find(pointer(address), &first, bytes) < 0) return kInvalidValue;
  *base = reinterpret_cast<Address>(first);
  return kOk;
}
CALL(cuPointerGetAttribute, void* data, int attribute, Address address) {
  const int device = find(pointer(address), nullptr, nullptr);
  if (device < 0) return kInvalidValue;
  *static_cast<int*>(data) = attribute == 2 ? 2 : attribute == 9 ? device : 0;
  return kOk;
}
CALL(cuIpcGetMemHandle, Handle* handle, Address address) {
  MAY_FAIL;
  return export_handle(pointer(address), handle);
}
CALL(cuIpcOpenMemHandle_v2, Address* address, Handle handle, unsigned) {
  MAY_FAIL;
  void* made = nullptr;
  const int code = import_handle(handle, &made);
  *address = reinterpret_cast<Address>(made);
  return code;
}
CALL(cuIpcCloseMemHandle, Address address) { return close_import(pointer(address)); }
CALL(cuMemCreate, Allocation** made, std::size_t bytes, const Properties* properties, unsigned long long) {
  MAY_FAIL;
  return create(bytes, properties->location_id, properties->handle_types == 1, made);
}
CALL(cuMemRetainAllocationHandle, Allocation** found, void* address) { return retain(address, found); }
CALL(cuMemExportToShareableHandle, int* descriptor, Allocation* allocation, int, unsigned long long) {
  return share(allocation, descriptor);
}
CALL(cuMemImportFromShareableHandle, Allocation** made, void* descriptor, int) {
  return take_shared(static_cast<int>(reinterpret_cast<std::intptr_t>(descriptor)), made);
}
CALL(cuMemAddressReserve, Address* address, std::size_t bytes, std::size_t, Address, unsigned long long) {
  void* made = nullptr;
  const int code = reserve(bytes, &made);
  *address = reinterpret_cast<Address>(made);
  return code;
}
CALL(cuMemAddressFree, Address address, std::size_t bytes) { return unreserve(pointer(address), bytes); }
CALL(cuMemMap, Address address, std::size_t bytes, std::size_t, Allocation* allocation, unsigned long long) {
  return map(pointer(address), bytes, allocation);
}
CALL(cuMemUnmap, Address address, std::size_t) { return unmap(pointer(address)); }
CALL(cuMemSetAccess, Address, std::size_t, const AccessOf*, std::size_t) { return kOk; }
CALL(cuMemRelease, Allocation* allocation) { return drop(allocation); }
CALL(cuMemHostRegister_v2, void* address, std::size_t bytes, unsigned) {
  MAY_FAIL;
  return pin(address, bytes);
}
// For tests.
extern "C" __attribute__((visibility("default"))) std::size_t stand_in_pinned_bytes() {
  return pinned_bytes();
}
extern "C" __attribute__((visibility("default"))) void* stand_in_inside(const void* address,
                                                                        std::size_t bytes) {
  return inside_of(address, bytes);
}
CALL(cuMemHostUnregister, void* address) { return unpin(address); }
CALL(cuMemHostAlloc, void** address, std::size_t bytes, unsigned) {
  MAY_FAIL;
  return allocate_pinned(bytes, address);
}
CALL(cuMemFreeHost, void* address) { return free_pinned(address); }
CALL(cuStreamCreate, Stream** stream, unsigned) {
  MAY_FAIL;
  return make_stream(stream);
}
CALL(cuStreamDestroy_v2, Stream* stream) { return destroy_stream(stream); }
CALL(cuStreamQuery, Stream* stream) {
  MAY_FAIL;
  return query(stream);
}
CALL(cuStreamSynchronize, Stream* stream) {
  MAY_FAIL;
  return wait(stream);
}
CALL(cuMemcpyAsync, Address to, Address from, std::size_t bytes, Stream* stream) {
  MAY_FAIL;
  return copy(pointer(to), pointer(from), bytes, stream);
}
// What programs of others call beside the library.
CALL(cuCtxGetDevice, int* device) {
  *device = current();
  return *device < 0 ? kInvalidContext : kOk;
}
CALL(cuMemcpyHtoD_v2, Address to, const void* from, std::size_t bytes) {
  return copy_now(pointer(to), from, bytes);
}
CALL(cuMemcpyDtoH_v2, void* to, Address from, std::size_t bytes) {
  return copy_now(to, pointer(from), bytes);
}
CALL(cuEventCreate, Mark** mark, unsigned) {
  MAY_FAIL;
  return make_mark(mark);
}
CALL(cuEventDestroy_v2, Mark* mark) { return destroy_mark(mark); }
CALL(cuEventRecord, Mark* mark, Stream* stream) {
  MAY_FAIL;
  return record(mark, stream);
}
CALL(cuEventQuery, Mark* mark) {
  MAY_FAIL;
  return query(mark);
}
