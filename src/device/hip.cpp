// HIP, by its runtime interface, whose calls work on the device that is current for a thread. Compiled, and
// tried with the stand-in of tests/device; untested on hardware.
#include <algorithm>
#include <cstdint>

#include "device/library.hpp"

namespace aqueduct::device {
namespace hip {
namespace {

using Result = int;

constexpr Result kOutOfMemory = 2;
constexpr Result kNotReady = 600;
constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kEventDisableTiming = 2;
constexpr unsigned kHostPortable = 1;
constexpr unsigned kIpcLazyPeerAccess = 1;
constexpr int kCopyDefault = 4;
constexpr int kMemoryType = 2, kIsManaged = 8, kDeviceOrdinal = 9;  // attributes of a pointer
constexpr int kFirstWithCudasMemoryTypes = 60000000;                // a version

struct IpcHandle {
  unsigned char bytes[64];
};

class Hip final : public Driver {
 public:
  explicit Hip(Library& library) {
    library.find("hipInit", init_);
    library.find("hipDriverGetVersion", version_);
    library.find("hipGetDeviceCount", count_);
    library.find("hipDeviceGetName", name_);
    library.find("hipDeviceGetUuid", uuid_);
    library.find("hipGetErrorName", error_name_);
    library.find("hipGetErrorString", error_text_);
    library.find("hipGetDevice", current_);
    library.find("hipSetDevice", set_current_);
    library.find("hipMalloc", alloc_);
    library.find("hipFree", free_);
    library.find("hipMemGetInfo", info_);
    library.find("hipMemGetAddressRange", range_);
    library.find("hipPointerGetAttribute", attribute_);
    library.find("hipIpcGetMemHandle", get_handle_);
    library.find("hipIpcOpenMemHandle", open_handle_);
    library.find("hipIpcCloseMemHandle", close_handle_);
    library.find("hipHostRegister", register_);
    library.find("hipHostUnregister", unregister_);
    library.find("hipHostMalloc", host_alloc_);
    library.find("hipHostFree", host_free_);
    library.find("hipStreamCreateWithFlags", stream_create_);
    library.find("hipStreamDestroy", stream_destroy_);
    library.find("hipStreamQuery", stream_query_);
    library.find("hipStreamSynchronize", stream_synchronize_);
    library.find("hipMemcpyAsync", copy_);
    library.find("hipEventCreateWithFlags", event_create_);
    library.find("hipEventDestroy", event_destroy_);
    library.find("hipEventRecord", event_record_);
    library.find("hipEventQuery", event_query_);
  }

  Outcome start() { return {init_(0), "hipInit"}; }

  const char* family_name() const override { return "HIP"; }
  std::string version() override {
    const int number = version_number();
    return std::to_string(number / 10000000) + "." + std::to_string(number / 100000 % 100);
  }
  Outcome count(int* devices) override { return {count_(devices), "hipGetDeviceCount"}; }
  Outcome name(int ordinal, std::string* text) override {
    char buffer[256] = "";
    const Outcome outcome{name_(buffer, sizeof buffer, ordinal), "hipDeviceGetName"};
    *text = buffer;
    return outcome;
  }
  Outcome id(int ordinal, DeviceId* found) override {
    return {uuid_(found->data(), ordinal), "hipDeviceGetUuid"};
  }
  std::string meaning(int code) override {
    return std::string(error_name_(code)) + " (" + error_text_(code) + ")";
  }
  bool is_exhausted(const Outcome& outcome) const override { return outcome.code == kOutOfMemory; }

  // A context stands for an ordinal, plus one.
  Outcome open(const DeviceChoice& choice, Context* context) override {
    *context = reinterpret_cast<Context>(static_cast<std::intptr_t>(choice.ordinal) + 1);
    return {};
  }
  void close(int, Context) override {}
  Outcome enter(Context context, void** token) override {
    *token = nullptr;
    const int ordinal = static_cast<int>(reinterpret_cast<std::intptr_t>(context)) - 1;
    int before = 0;
    if (const Outcome outcome{current_(&before), "hipGetDevice"}; outcome.failed()) return outcome;
    if (before == ordinal) return {};
    *token = reinterpret_cast<void*>(static_cast<std::intptr_t>(before) + 1);
    return {set_current_(ordinal), "hipSetDevice"};
  }
  void leave(void* token) override {
    if (token) (void)set_current_(static_cast<int>(reinterpret_cast<std::intptr_t>(token)) - 1);
  }

  Outcome allocate(std::size_t bytes, void** memory) override { return {alloc_(memory, bytes), "hipMalloc"}; }
  Outcome free(void* memory) override { return {free_(memory), "hipFree"}; }
  Outcome memory_size(std::size_t* free, std::size_t* total) override {
    return {info_(free, total), "hipMemGetInfo"};
  }
  Outcome locate(const void* address, Location* found) override {
    *found = {};
    unsigned type = 0, managed = 0;
    auto* const pointer = const_cast<void*>(address);
    if (attribute_(&type, kMemoryType, pointer) != 0) return {};
    (void)attribute_(&managed, kIsManaged, pointer);
    const unsigned of_device = version_number() >= kFirstWithCudasMemoryTypes ? 2 : 1;
    if (type != of_device || managed != 0) return {};
    found->is_device = true;
    const Outcome outcome{attribute_(&found->ordinal, kDeviceOrdinal, pointer), "hipPointerGetAttribute"};
    if (outcome.failed()) return outcome;
    return {range_(&found->base, &found->bytes, pointer), "hipMemGetAddressRange"};
  }

  Outcome export_memory(const Location& memory, Export* exported) override {
    exported->bytes = memory.bytes;
    exported->form = Export::Form::kHandle;
    IpcHandle handle;
    const Outcome outcome{get_handle_(&handle, memory.base), "hipIpcGetMemHandle"};
    if (outcome.failed()) exported->form = Export::Form::kNone;
    std::copy(std::begin(handle.bytes), std::end(handle.bytes), exported->handle.begin());
    return outcome;
  }
  Outcome import_memory(const Export& exported, int, void** base) override {
    IpcHandle handle;
    std::copy(exported.handle.begin(), exported.handle.end(), handle.bytes);
    return {open_handle_(base, handle, kIpcLazyPeerAccess), "hipIpcOpenMemHandle"};
  }
  Outcome release_import(const Export&, void* base) override {
    return {close_handle_(base), "hipIpcCloseMemHandle"};
  }

  Outcome pin(void* memory, std::size_t bytes) override {
    return {register_(memory, bytes, kHostPortable), "hipHostRegister"};
  }
  Outcome unpin(void* memory) override { return {unregister_(memory), "hipHostUnregister"}; }
  Outcome allocate_pinned(std::size_t bytes, void** memory) override {
    return {host_alloc_(memory, bytes, kHostPortable), "hipHostMalloc"};
  }
  Outcome free_pinned(void* memory) override { return {host_free_(memory), "hipHostFree"}; }

  Outcome make_stream(Stream* stream) override {
    return {stream_create_(stream, kStreamNonBlocking), "hipStreamCreateWithFlags"};
  }
  Outcome destroy_stream(Stream stream) override { return {stream_destroy_(stream), "hipStreamDestroy"}; }
  Outcome copy(void* to, const void* from, std::size_t bytes, Stream stream) override {
    return {copy_(to, from, bytes, kCopyDefault, stream), "hipMemcpyAsync"};
  }
  Outcome make_mark(Mark* mark) override {
    return {event_create_(mark, kEventDisableTiming), "hipEventCreateWithFlags"};
  }
  Outcome destroy_mark(Mark mark) override { return {event_destroy_(mark), "hipEventDestroy"}; }
  Outcome record(Mark mark, Stream stream) override {
    return {event_record_(mark, stream), "hipEventRecord"};
  }
  Outcome is_reached(Mark mark, bool* yes) override {
    return answered(event_query_(mark), "hipEventQuery", yes);
  }
  Outcome is_idle(Stream stream, bool* yes) override {
    return answered(stream_query_(stream), "hipStreamQuery", yes);
  }
  Outcome wait(Stream stream) override { return {stream_synchronize_(stream), "hipStreamSynchronize"}; }

 private:
  static Outcome answered(Result result, const char* call, bool* yes) {
    *yes = result == 0;
    return {result == kNotReady ? 0 : result, call};
  }
  int version_number() {
    int number = 0;
    (void)version_(&number);
    return number;
  }

  Result (*init_)(unsigned) = nullptr;
  Result (*version_)(int*) = nullptr;
  Result (*count_)(int*) = nullptr;
  Result (*name_)(char*, int, int) = nullptr;
  Result (*uuid_)(void*, int) = nullptr;
  const char* (*error_name_)(Result) = nullptr;
  const char* (*error_text_)(Result) = nullptr;
  Result (*current_)(int*) = nullptr;
  Result (*set_current_)(int) = nullptr;
  Result (*alloc_)(void**, std::size_t) = nullptr;
  Result (*free_)(void*) = nullptr;
  Result (*info_)(std::size_t*, std::size_t*) = nullptr;
  Result (*range_)(void**, std::size_t*, void*) = nullptr;
  Result (*attribute_)(void*, int, void*) = nullptr;
  Result (*get_handle_)(IpcHandle*, void*) = nullptr;
  Result (*open_handle_)(void**, IpcHandle, unsigned) = nullptr;
  Result (*close_handle_)(void*) = nullptr;
  Result (*register_)(void*, std::size_t, unsigned) = nullptr;
  Result (*unregister_)(void*) = nullptr;
  Result (*host_alloc_)(void**, std::size_t, unsigned) = nullptr;
  Result (*host_free_)(void*) = nullptr;
  Result (*stream_create_)(Stream*, unsigned) = nullptr;
  Result (*stream_destroy_)(Stream) = nullptr;
  Result (*stream_query_)(Stream) = nullptr;
  Result (*stream_synchronize_)(Stream) = nullptr;
  Result (*copy_)(void*, const void*, std::size_t, int, Stream) = nullptr;
  Result (*event_create_)(Mark*, unsigned) = nullptr;
  Result (*event_destroy_)(Mark) = nullptr;
  Result (*event_record_)(Mark, Stream) = nullptr;
  Result (*event_query_)(Mark) = nullptr;
};

}  // namespace
}  // namespace hip

std::unique_ptr<Driver> hip_driver(Library& library, std::string* why) {
  auto driver = std::make_unique<hip::Hip>(library);
  if (library.missing()) return nullptr;
  if (const Outcome outcome = driver->start(); outcome.failed()) {
    *why = "the HIP driver does not start: hipInit: " + driver->meaning(outcome.code);
    return nullptr;
  }
  return driver;
}

}  // namespace aqueduct::device
