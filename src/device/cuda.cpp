// CUDA, by its driver interface. Types and numbers are those of the interface; names are the symbols that the
// library exports, which carry the version of their arguments.
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "device/library.hpp"
#include "device/passed_descriptor.hpp"

namespace aqueduct::device {
namespace cuda {
namespace {

using Result = int;
using Address = unsigned long long;
using Handle = unsigned long long;

constexpr Result kOutOfMemory = 2;
constexpr Result kNotSupported = 801;
constexpr Result kNotReady = 600;
constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kEventDisableTiming = 2;
constexpr unsigned kHostPortable = 1;
constexpr unsigned kIpcLazyPeerAccess = 1;
constexpr int kMemoryType = 2, kDeviceOrdinal = 9, kIsManaged = 8;  // attributes of a pointer
constexpr unsigned kDeviceMemory = 2;
constexpr int kPosixDescriptor = 1;  // a type of handle
constexpr int kLocationDevice = 1;
constexpr unsigned kReadWrite = 3;

struct IpcHandle {
  unsigned char bytes[64];
};
struct AccessOf {
  int location_type;
  int location_id;
  unsigned flags;
};

class Cuda final : public Driver {
 public:
  explicit Cuda(Library& library) {
    library.find("cuInit", init_);
    library.find("cuDriverGetVersion", version_);
    library.find("cuDeviceGetCount", count_);
    library.find("cuDeviceGetName", name_);
    library.find("cuDeviceGetUuid", uuid_);
    library.find("cuGetErrorName", error_name_);
    library.find("cuGetErrorString", error_text_);
    library.find("cuDevicePrimaryCtxRetain", retain_);
    library.find("cuDevicePrimaryCtxRelease_v2", release_);
    library.find("cuCtxGetCurrent", current_);
    library.find("cuCtxPushCurrent_v2", push_);
    library.find("cuCtxPopCurrent_v2", pop_);
    library.find("cuMemAlloc_v2", alloc_);
    library.find("cuMemFree_v2", free_);
    library.find("cuMemGetInfo_v2", info_);
    library.find("cuMemGetAddressRange_v2", range_);
    library.find("cuPointerGetAttribute", attribute_);
    library.find("cuIpcGetMemHandle", get_handle_);
    library.find("cuIpcOpenMemHandle_v2", open_handle_);
    library.find("cuIpcCloseMemHandle", close_handle_);
    library.find("cuMemRetainAllocationHandle", allocation_);
    library.find("cuMemExportToShareableHandle", share_);
    library.find("cuMemImportFromShareableHandle", take_shared_);
    library.find("cuMemAddressReserve", reserve_);
    library.find("cuMemAddressFree", unreserve_);
    library.find("cuMemMap", map_);
    library.find("cuMemUnmap", unmap_);
    library.find("cuMemSetAccess", set_access_);
    library.find("cuMemRelease", release_allocation_);
    library.find("cuMemHostRegister_v2", register_);
    library.find("cuMemHostUnregister", unregister_);
    library.find("cuMemHostAlloc", host_alloc_);
    library.find("cuMemFreeHost", host_free_);
    library.find("cuStreamCreate", stream_create_);
    library.find("cuStreamDestroy_v2", stream_destroy_);
    library.find("cuStreamQuery", stream_query_);
    library.find("cuStreamSynchronize", stream_synchronize_);
    library.find("cuMemcpyAsync", copy_);
    library.find("cuEventCreate", event_create_);
    library.find("cuEventDestroy_v2", event_destroy_);
    library.find("cuEventRecord", event_record_);
    library.find("cuEventQuery", event_query_);
  }

  Outcome start() { return {init_(0), "cuInit"}; }

  const char* family_name() const override { return "CUDA"; }
  std::string version() override {
    int number = 0;
    if (version_(&number) != 0) return "unknown";
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  }
  Outcome count(int* devices) override { return {count_(devices), "cuDeviceGetCount"}; }
  Outcome name(int ordinal, std::string* text) override {
    char buffer[256] = "";
    const Outcome outcome{name_(buffer, sizeof buffer, ordinal), "cuDeviceGetName"};
    *text = buffer;
    return outcome;
  }
  Outcome id(int ordinal, DeviceId* found) override {
    return {uuid_(found->data(), ordinal), "cuDeviceGetUuid"};
  }
  std::string meaning(int code) override {
    const char* word = nullptr;
    const char* text = nullptr;
    if (error_name_(code, &word) != 0 || !word) return "error " + std::to_string(code);
    if (error_text_(code, &text) != 0 || !text) return word;
    return std::string(word) + " (" + text + ")";
  }
  bool is_exhausted(const Outcome& outcome) const override { return outcome.code == kOutOfMemory; }

  Outcome open(const DeviceChoice& choice, Context* context) override {
    return {retain_(context, choice.ordinal), "cuDevicePrimaryCtxRetain"};
  }
  void close(int ordinal, Context) override { (void)release_(ordinal); }
  Outcome enter(Context context, void** token) override {
    *token = nullptr;
    Context now = nullptr;
    if (current_(&now) == 0 && now == context) return {};
    *token = context;
    return {push_(context), "cuCtxPushCurrent"};
  }
  void leave(void* token) override {
    Context popped = nullptr;
    if (token) (void)pop_(&popped);
  }

  Outcome allocate(std::size_t bytes, void** memory) override {
    Address address = 0;
    const Outcome outcome{alloc_(&address, bytes), "cuMemAlloc"};
    *memory = reinterpret_cast<void*>(address);
    return outcome;
  }
  Outcome free(void* memory) override { return {free_(to_address(memory)), "cuMemFree"}; }
  Outcome memory_size(std::size_t* free, std::size_t* total) override {
    return {info_(free, total), "cuMemGetInfo"};
  }
  Outcome locate(const void* address, Location* found) override {
    *found = {};
    unsigned type = 0, managed = 0;
    if (attribute_(&type, kMemoryType, to_address(address)) != 0) return {};
    (void)attribute_(&managed, kIsManaged, to_address(address));
    if (type != kDeviceMemory || managed != 0) return {};
    found->is_device = true;
    Outcome outcome{attribute_(&found->ordinal, kDeviceOrdinal, to_address(address)),
                    "cuPointerGetAttribute"};
    if (outcome.failed()) return outcome;
    Address base = 0;
    outcome = {range_(&base, &found->bytes, to_address(address)), "cuMemGetAddressRange"};
    found->base = reinterpret_cast<void*>(base);
    return outcome;
  }

  // Memory of cuMemAlloc has a handle of its own; that of cuMemCreate is known by a descriptor, if it was
  // made so.
  Outcome export_memory(const Location& memory, Export* exported) override {
    exported->bytes = memory.bytes;
    IpcHandle handle;
    const Outcome by_handle{get_handle_(&handle, to_address(memory.base)), "cuIpcGetMemHandle"};
    if (!by_handle.failed()) {
      exported->form = Export::Form::kHandle;
      std::copy(std::begin(handle.bytes), std::end(handle.bytes), exported->handle.begin());
      return {};
    }
    Handle allocation = 0;
    if (allocation_(&allocation, memory.base) != 0) return by_handle;
    int descriptor = -1;
    const Outcome shared{share_(&descriptor, allocation, kPosixDescriptor, 0),
                         "cuMemExportToShareableHandle"};
    (void)release_allocation_(allocation);
    if (shared.failed()) return shared;
    exported->form = Export::Form::kDescriptor;
    exported->process = ::getpid();
    exported->descriptor = descriptor;
    return {};
  }
  Outcome import_memory(const Export& exported, int ordinal, void** base) override {
    if (exported.form == Export::Form::kDescriptor) return import_descriptor(exported, ordinal, base);
    IpcHandle handle;
    std::copy(exported.handle.begin(), exported.handle.end(), handle.bytes);
    Address address = 0;
    const Outcome outcome{open_handle_(&address, handle, kIpcLazyPeerAccess), "cuIpcOpenMemHandle"};
    *base = reinterpret_cast<void*>(address);
    return outcome;
  }
  Outcome release_import(const Export& exported, void* base) override {
    if (exported.form == Export::Form::kHandle)
      return {close_handle_(to_address(base)), "cuIpcCloseMemHandle"};
    const Outcome outcome{unmap_(to_address(base), exported.bytes), "cuMemUnmap"};
    (void)unreserve_(to_address(base), exported.bytes);
    return outcome;
  }

  Outcome pin(void* memory, std::size_t bytes) override {
    return {register_(memory, bytes, kHostPortable), "cuMemHostRegister"};
  }
  Outcome unpin(void* memory) override { return {unregister_(memory), "cuMemHostUnregister"}; }
  Outcome allocate_pinned(std::size_t bytes, void** memory) override {
    return {host_alloc_(memory, bytes, kHostPortable), "cuMemHostAlloc"};
  }
  Outcome free_pinned(void* memory) override { return {host_free_(memory), "cuMemFreeHost"}; }

  Outcome make_stream(Stream* stream) override {
    return {stream_create_(stream, kStreamNonBlocking), "cuStreamCreate"};
  }
  Outcome destroy_stream(Stream stream) override { return {stream_destroy_(stream), "cuStreamDestroy"}; }
  Outcome copy(void* to, const void* from, std::size_t bytes, Stream stream) override {
    return {copy_(to_address(to), to_address(from), bytes, stream), "cuMemcpyAsync"};
  }
  Outcome make_mark(Mark* mark) override {
    return {event_create_(mark, kEventDisableTiming), "cuEventCreate"};
  }
  Outcome destroy_mark(Mark mark) override { return {event_destroy_(mark), "cuEventDestroy"}; }
  Outcome record(Mark mark, Stream stream) override { return {event_record_(mark, stream), "cuEventRecord"}; }
  Outcome is_reached(Mark mark, bool* yes) override {
    return answered(event_query_(mark), "cuEventQuery", yes);
  }
  Outcome is_idle(Stream stream, bool* yes) override {
    return answered(stream_query_(stream), "cuStreamQuery", yes);
  }
  Outcome wait(Stream stream) override { return {stream_synchronize_(stream), "cuStreamSynchronize"}; }

 private:
  static Address to_address(const void* pointer) { return reinterpret_cast<Address>(pointer); }

  static Outcome answered(Result result, const char* call, bool* yes) {
    *yes = result == 0;
    return {result == kNotReady ? 0 : result, call};
  }

  Outcome import_descriptor(const Export& exported, int ordinal, void** base) {
    const int descriptor = take_descriptor(exported.process, exported.descriptor);
    if (descriptor < 0) return {kNotSupported, "pidfd_getfd"};
    Handle allocation = 0;
    Outcome outcome{take_shared_(&allocation, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),
                                 kPosixDescriptor),
                    "cuMemImportFromShareableHandle"};
    ::close(descriptor);
    if (outcome.failed()) return outcome;
    Address address = 0;
    outcome = {reserve_(&address, exported.bytes, 0, 0, 0), "cuMemAddressReserve"};
    if (!outcome.failed()) {
      outcome = {map_(address, exported.bytes, 0, allocation, 0), "cuMemMap"};
      const AccessOf access{kLocationDevice, ordinal, kReadWrite};
      if (!outcome.failed()) {
        outcome = {set_access_(address, exported.bytes, &access, 1), "cuMemSetAccess"};
        if (outcome.failed()) (void)unmap_(address, exported.bytes);
      }
      if (outcome.failed()) (void)unreserve_(address, exported.bytes);
    }
    (void)release_allocation_(allocation);
    *base = reinterpret_cast<void*>(address);
    return outcome;
  }

  Result (*init_)(unsigned) = nullptr;
  Result (*version_)(int*) = nullptr;
  Result (*count_)(int*) = nullptr;
  Result (*name_)(char*, int, int) = nullptr;
  Result (*uuid_)(void*, int) = nullptr;
  Result (*error_name_)(Result, const char**) = nullptr;
  Result (*error_text_)(Result, const char**) = nullptr;
  Result (*retain_)(Context*, int) = nullptr;
  Result (*release_)(int) = nullptr;
  Result (*current_)(Context*) = nullptr;
  Result (*push_)(Context) = nullptr;
  Result (*pop_)(Context*) = nullptr;
  Result (*alloc_)(Address*, std::size_t) = nullptr;
  Result (*free_)(Address) = nullptr;
  Result (*info_)(std::size_t*, std::size_t*) = nullptr;
  Result (*range_)(Address*, std::size_t*, Address) = nullptr;
  Result (*attribute_)(void*, int, Address) = nullptr;
  Result (*get_handle_)(IpcHandle*, Address) = nullptr;
  Result (*open_handle_)(Address*, IpcHandle, unsigned) = nullptr;
  Result (*close_handle_)(Address) = nullptr;
  Result (*allocation_)(Handle*, void*) = nullptr;
  Result (*share_)(void*, Handle, int, unsigned long long) = nullptr;
  Result (*take_shared_)(Handle*, void*, int) = nullptr;
  Result (*reserve_)(Address*, std::size_t, std::size_t, Address, unsigned long long) = nullptr;
  Result (*unreserve_)(Address, std::size_t) = nullptr;
  Result (*map_)(Address, std::size_t, std::size_t, Handle, unsigned long long) = nullptr;
  Result (*unmap_)(Address, std::size_t) = nullptr;
  Result (*set_access_)(Address, std::size_t, const AccessOf*, std::size_t) = nullptr;
  Result (*release_allocation_)(Handle) = nullptr;
  Result (*register_)(void*, std::size_t, unsigned) = nullptr;
  Result (*unregister_)(void*) = nullptr;
  Result (*host_alloc_)(void**, std::size_t, unsigned) = nullptr;
  Result (*host_free_)(void*) = nullptr;
  Result (*stream_create_)(Stream*, unsigned) = nullptr;
  Result (*stream_destroy_)(Stream) = nullptr;
  Result (*stream_query_)(Stream) = nullptr;
  Result (*stream_synchronize_)(Stream) = nullptr;
  Result (*copy_)(Address, Address, std::size_t, Stream) = nullptr;
  Result (*event_create_)(Mark*, unsigned) = nullptr;
  Result (*event_destroy_)(Mark) = nullptr;
  Result (*event_record_)(Mark, Stream) = nullptr;
  Result (*event_query_)(Mark) = nullptr;
};

}  // namespace
}  // namespace cuda

std::unique_ptr<Driver> cuda_driver(Library& library, std::string* why) {
  auto driver = std::make_unique<cuda::Cuda>(library);
  if (library.missing()) return nullptr;
  if (const Outcome outcome = driver->start(); outcome.failed()) {
    *why = "the CUDA driver does not start: cuInit: " + driver->meaning(outcome.code);
    return nullptr;
  }
  return driver;
}

}  // namespace aqueduct::device
