// The stand-in under the names of HIP's runtime interface.
#include "stand_in.hpp"

using namespace stand_in;

namespace {
int current_or_first() { return current() < 0 ? 0 : current(); }
// HIP always has a current device.
struct WithDevice {
  WithDevice() { set_current(current_or_first()); }
};
}  // namespace

#define CALL(name, ...) extern "C" __attribute__((visibility("default"))) int name(__VA_ARGS__)
#define MAY_FAIL                      \
  const WithDevice device_is_current; \
  if (const int code = called(__func__)) return code

CALL(hipInit, unsigned) {
  MAY_FAIL;
  return kOk;
}
CALL(hipDriverGetVersion, int* version) {
  *version = 60032830;
  return kOk;
}
CALL(hipGetDeviceCount, int* count) {
  MAY_FAIL;
  *count = device_count();
  return kOk;
}
CALL(hipDeviceGetName, char* text, int bytes, int device) {
  name_of(device, text, bytes);
  return kOk;
}
CALL(hipDeviceGetUuid, void* id, int device) {
  id_of(device, id);
  return kOk;
}
extern "C" __attribute__((visibility("default"))) const char* hipGetErrorName(int code) {
  return code == kOutOfMemory ? "hipErrorOutOfMemory" : "hipErrorUnknown";
}
extern "C" __attribute__((visibility("default"))) const char* hipGetErrorString(int) {
  return "said by the stand-in";
}
CALL(hipGetDevice, int* device) {
  *device = current_or_first();
  return kOk;
}
CALL(hipSetDevice, int device) {
  if (device < 0 || device >= device_count()) return kInvalidDevice;
  set_current(device);
  return kOk;
}
CALL(hipMalloc, void** address, std::size_t bytes) {
  MAY_FAIL;
  return allocate(bytes, address);
}
CALL(hipFree, void* address) {
  MAY_FAIL;
  return release(address);
}
CALL(hipMemGetInfo, std::size_t* free, std::size_t* total) {
  MAY_FAIL;
  return info(free, total);
}
CALL(hipMemGetAddressRange, void** base, std::size_t* bytes, void* address) {
  return find(address, base, bytes) < 0 ? kInvalidValue : kOk;
}
CALL(hipPointerGetAttribute, void* data, int attribute, void* address) {
  const int device = find(address, nullptr, nullptr);
  if (device < 0) return kInvalidValue;
  *static_cast<int*>(data) = attribute == 2 ? 2 : attribute == 9 ? device : 0;
  return kOk;
}
CALL(hipIpcGetMemHandle, Handle* handle, void* address) {
  MAY_FAIL;
  return export_handle(address, handle);
}
CALL(hipIpcOpenMemHandle, void** address, Handle handle, unsigned) {
  MAY_FAIL;
  return import_handle(handle, address);
}
CALL(hipIpcCloseMemHandle, void* address) {
  MAY_FAIL;
  return close_import(address);
}
CALL(hipHostRegister, void* address, std::size_t bytes, unsigned) {
  MAY_FAIL;
  return pin(address, bytes);
}
CALL(hipHostUnregister, void* address) {
  MAY_FAIL;
  return unpin(address);
}
CALL(hipHostMalloc, void** address, std::size_t bytes, unsigned) {
  MAY_FAIL;
  return allocate_pinned(bytes, address);
}
CALL(hipHostFree, void* address) { return free_pinned(address); }
CALL(hipStreamCreateWithFlags, Stream** stream, unsigned) {
  MAY_FAIL;
  return make_stream(stream);
}
CALL(hipStreamDestroy, Stream* stream) { return destroy_stream(stream); }
CALL(hipStreamQuery, Stream* stream) {
  MAY_FAIL;
  return query(stream);
}
CALL(hipStreamSynchronize, Stream* stream) {
  MAY_FAIL;
  return wait(stream);
}
CALL(hipMemcpyAsync, void* to, const void* from, std::size_t bytes, int, Stream* stream) {
  MAY_FAIL;
  return copy(to, from, bytes, stream);
}
CALL(hipEventCreateWithFlags, Mark** mark, unsigned) {
  MAY_FAIL;
  return make_mark(mark);
}
CALL(hipEventDestroy, Mark* mark) { return destroy_mark(mark); }
CALL(hipEventRecord, Mark* mark, Stream* stream) {
  MAY_FAIL;
  return record(mark, stream);
}
CALL(hipEventQuery, Mark* mark) {
  MAY_FAIL;
  return query(mark);
}
