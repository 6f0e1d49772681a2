// Level Zero. Clients bring a device and a context of their own; a context here is the two of them, and what
// is current for a thread is known here alone. Compiled, and tried with the stand-in of tests/device;
// untested on hardware.
//
// A stream is an immediate command list in which each command waits for the one before it. The last one's
// event says whether the stream is idle; an event is used again when the one behind it has come, since that
// waits for it.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "device/library.hpp"
#include "device/passed_descriptor.hpp"
#include "device/ze_interface.hpp"

namespace aqueduct::device {
namespace ze {
namespace {

constexpr std::uint64_t kForever = ~std::uint64_t{0};
constexpr std::size_t kAlignment = 64;

struct Ours {
  void* context = nullptr;
  void* device = nullptr;
  int ordinal = 0;
  std::uint32_t memory = 0;  // which of the device's
  std::uint32_t group = 0;   // of queues that copy
  bool is_librarys = false;  // the context is
};
thread_local const Ours* current = nullptr;

struct OneEvent {
  void* pool = nullptr;
  void* event = nullptr;
};
struct OneStream {
  const Ours* ours = nullptr;
  void* list = nullptr;
  std::mutex mutex;             // of what follows
  std::deque<OneEvent> waited;  // the last command's is at the end
  std::vector<OneEvent> spare;
};

class Ze final : public Driver {
 public:
  explicit Ze(Library& library) {
    library.find("zeInit", init_);
    library.find("zeDriverGet", drivers_of_);
    library.find("zeDriverGetApiVersion", version_);
    library.find("zeDeviceGet", devices_of_);
    library.find("zeDeviceGetSubDevices", parts_of_);
    library.find("zeDeviceGetProperties", properties_);
    library.find("zeDeviceGetMemoryProperties", memories_);
    library.find("zeDeviceGetCommandQueueGroupProperties", groups_);
    library.find("zeContextCreate", context_create_);
    library.find("zeContextDestroy", context_destroy_);
    library.find("zeCommandListCreateImmediate", list_create_);
    library.find("zeCommandListDestroy", list_destroy_);
    library.find("zeCommandListAppendMemoryCopy", append_copy_);
    library.find("zeCommandListAppendBarrier", append_barrier_);
    library.find("zeEventPoolCreate", pool_create_);
    library.find("zeEventPoolDestroy", pool_destroy_);
    library.find("zeEventCreate", event_create_);
    library.find("zeEventDestroy", event_destroy_);
    library.find("zeEventQueryStatus", event_query_);
    library.find("zeEventHostSynchronize", event_wait_);
    library.find("zeEventHostReset", event_reset_);
    library.find("zeMemAllocDevice", alloc_device_);
    library.find("zeMemAllocHost", alloc_host_);
    library.find("zeMemFree", free_);
    library.find("zeMemGetAllocProperties", located_);
    library.find("zeMemGetAddressRange", range_);
    library.find("zeMemGetIpcHandle", get_handle_);
    library.find("zeMemOpenIpcHandle", open_handle_);
    library.find("zeMemCloseIpcHandle", close_handle_);
    library.find_if_there("zeDriverGetExtensionFunctionAddress", extension_);
  }

  Outcome start() {
    Outcome outcome = answer(init_(kGpuOnly), "zeInit");
    if (outcome.failed()) return outcome;
    std::uint32_t count = 0;
    outcome = answer(drivers_of_(&count, nullptr), "zeDriverGet");
    std::vector<void*> drivers(count);
    if (!outcome.failed()) outcome = answer(drivers_of_(&count, drivers.data()), "zeDriverGet");
    for (void* const driver : drivers) {
      for (void* const device : all_of(devices_of_, driver)) add(driver, device);
    }
    whole_ = devices_.size();
    for (std::size_t i = 0; i < whole_; ++i) {
      for (void* const part : all_of(parts_of_, devices_[i].device)) add(devices_[i].driver, part);
    }
    return outcome;
  }

  const char* family_name() const override { return "Level Zero"; }
  std::string version() override {
    std::uint32_t number = 0;
    if (devices_.empty() || version_(devices_[0].driver, &number) != 0) return "unknown";
    return std::to_string(number >> 16) + "." + std::to_string(number & 0xffff);
  }
  Outcome count(int* devices) override {
    *devices = static_cast<int>(whole_);
    return {};
  }
  Outcome name(int ordinal, std::string* text) override {
    DeviceProperties found;
    const Outcome outcome = properties_of(ordinal, &found);
    *text = found.name;
    return outcome;
  }
  Outcome id(int ordinal, DeviceId* id) override {
    DeviceProperties found;
    const Outcome outcome = properties_of(ordinal, &found);
    std::copy(std::begin(found.uuid), std::end(found.uuid), id->begin());
    return outcome;
  }
  std::string meaning(int code) override {
    switch (static_cast<Result>(code)) {
      case kDeviceLost:
        return "ZE_RESULT_ERROR_DEVICE_LOST";
      case kOutOfHostMemory:
        return "ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY";
      case kOutOfDeviceMemory:
        return "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY";
      case kUnsupported:
        return "ZE_RESULT_ERROR_UNSUPPORTED_FEATURE";
      case kBadArgument:
        return "ZE_RESULT_ERROR_INVALID_ARGUMENT";
    }
    char text[32];
    std::snprintf(text, sizeof text, "error 0x%x", static_cast<unsigned>(code));
    return text;
  }
  bool is_exhausted(const Outcome& outcome) const override {
    return outcome.code == static_cast<int>(kOutOfDeviceMemory);
  }

  bool find(DeviceChoice* choice, std::string* why) override {
    if (!choice->device || !choice->context) {
      *why = "a device and a context of Level Zero must be named";
      return false;
    }
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (devices_[i].device != choice->device) continue;
      choice->ordinal = static_cast<int>(i);
      return true;
    }
    *why = "gex_zeDevice is no device of Level Zero that this process sees";
    return false;
  }
  Outcome open(const DeviceChoice& choice, Context* context) override {
    const Known& known = devices_[static_cast<std::size_t>(choice.ordinal)];
    auto ours = std::make_unique<Ours>();
    ours->context = choice.context;
    ours->device = known.device;
    ours->ordinal = choice.ordinal;
    ours->memory = choice.memory;
    ours->group = group_that_copies(known.device);
    if (!ours->context) {
      const Plain description{Type::kContext};
      const Outcome outcome =
          answer(context_create_(known.driver, &description, &ours->context), "zeContextCreate");
      if (outcome.failed()) return outcome;
      ours->is_librarys = true;
    }
    *context = ours.release();
    return {};
  }
  void close(int, Context context) override {
    const std::unique_ptr<Ours> ours(static_cast<Ours*>(context));
    if (ours->is_librarys) (void)context_destroy_(ours->context);
  }
  Outcome enter(Context context, void** token) override {
    *token = const_cast<Ours*>(current);
    current = static_cast<const Ours*>(context);
    return {};
  }
  void leave(void* token) override { current = static_cast<const Ours*>(token); }

  Outcome allocate(std::size_t bytes, void** memory) override {
    DeviceAllocation description;
    description.memory = current->memory;
    return answer(alloc_device_(current->context, &description, bytes, kAlignment, current->device, memory),
                  "zeMemAllocDevice");
  }
  Outcome free(void* memory) override { return answer(free_(current->context, memory), "zeMemFree"); }
  Outcome memory_size(std::size_t* free, std::size_t* total) override {
    std::uint32_t count = 0;
    Outcome outcome = answer(memories_(current->device, &count, nullptr), "zeDeviceGetMemoryProperties");
    std::vector<MemoryProperties> found(count);
    if (!outcome.failed())
      outcome = answer(memories_(current->device, &count, found.data()), "zeDeviceGetMemoryProperties");
    *free = kUnknownBytes;
    *total = current->memory < found.size() ? found[current->memory].bytes : 0;
    return outcome;
  }
  Outcome locate(const void* address, Location* found) override {
    *found = {};
    AllocationProperties properties;
    void* device = nullptr;
    if (located_(current->context, address, &properties, &device) != 0) return {};
    if (properties.kind != kDeviceMemory) return {};
    found->is_device = true;
    const auto known = std::find_if(devices_.begin(), devices_.end(),
                                    [&](const Known& one) { return one.device == device; });
    found->ordinal = known == devices_.end() ? -1 : static_cast<int>(known - devices_.begin());
    return answer(range_(current->context, address, &found->base, &found->bytes), "zeMemGetAddressRange");
  }

  Outcome export_memory(const Location& memory, Export* exported) override {
    exported->bytes = memory.bytes;
    IpcHandle handle;
    const Outcome outcome = answer(get_handle_(current->context, memory.base, &handle), "zeMemGetIpcHandle");
    if (outcome.failed()) return outcome;
    exported->form = Export::Form::kDescriptor;
    exported->process = ::getpid();
    std::memcpy(&exported->descriptor, handle.bytes, sizeof exported->descriptor);
    std::copy(std::begin(handle.bytes), std::end(handle.bytes), exported->handle.begin());
    return {};
  }
  Outcome import_memory(const Export& exported, int, void** base) override {
    const std::int32_t descriptor = take_descriptor(exported.process, exported.descriptor);
    if (descriptor < 0) return {static_cast<int>(kUnsupported), "pidfd_getfd"};
    IpcHandle handle;
    std::copy(exported.handle.begin(), exported.handle.end(), handle.bytes);
    std::memcpy(handle.bytes, &descriptor, sizeof descriptor);
    const Outcome outcome =
        answer(open_handle_(current->context, current->device, handle, 0, base), "zeMemOpenIpcHandle");
    ::close(descriptor);
    return outcome;
  }
  Outcome release_import(const Export&, void* base) override {
    return answer(close_handle_(current->context, base), "zeMemCloseIpcHandle");
  }

  // The core interface has no call that keeps memory of the host in place; Intel's driver has two of its own,
  // and without them memory is used as it is.
  Outcome pin(void* memory, std::size_t bytes) override {
    const Known& known = devices_[static_cast<std::size_t>(current->ordinal)];
    constexpr const char* kCall = "zexDriverImportExternalPointer";
    if (!known.import || !known.release) return {static_cast<int>(kUnsupported), kCall};
    return answer(known.import(known.driver, memory, bytes), kCall);
  }
  Outcome unpin(void* memory) override {
    const Known& known = devices_[static_cast<std::size_t>(current->ordinal)];
    if (!known.release) return {};
    return answer(known.release(known.driver, memory), "zexDriverReleaseImportedPointer");
  }
  Outcome allocate_pinned(std::size_t bytes, void** memory) override {
    const Plain description{Type::kHostAllocation};
    return answer(alloc_host_(current->context, &description, bytes, kAlignment, memory), "zeMemAllocHost");
  }
  Outcome free_pinned(void* memory) override { return free(memory); }

  Outcome make_stream(Stream* stream) override {
    auto made = std::make_unique<OneStream>();
    made->ours = current;
    Queue description;
    description.group = current->group;
    const Outcome outcome = answer(list_create_(current->context, current->device, &description, &made->list),
                                   "zeCommandListCreateImmediate");
    if (!outcome.failed()) *stream = made.release();
    return outcome;
  }
  Outcome destroy_stream(Stream stream) override {
    const std::unique_ptr<OneStream> doomed(static_cast<OneStream*>(stream));
    for (const OneEvent& event : doomed->waited) destroy(event);
    for (const OneEvent& event : doomed->spare) destroy(event);
    return answer(list_destroy_(doomed->list), "zeCommandListDestroy");
  }
  Outcome copy(void* to, const void* from, std::size_t bytes, Stream stream) override {
    OneStream& one = *static_cast<OneStream*>(stream);
    const std::lock_guard guard(one.mutex);
    OneEvent event;
    Outcome outcome = take_event(one, &event);
    if (outcome.failed()) return outcome;
    void* before = one.waited.empty() ? nullptr : one.waited.back().event;
    outcome = answer(append_copy_(one.list, to, from, bytes, event.event, before ? 1 : 0, &before),
                     "zeCommandListAppendMemoryCopy");
    if (outcome.failed()) {
      one.spare.push_back(event);
    } else {
      one.waited.push_back(event);
    }
    return outcome;
  }
  Outcome make_mark(Mark* mark) override {
    auto made = std::make_unique<OneEvent>();
    const Outcome outcome = make_event(*current, made.get());
    if (!outcome.failed()) *mark = made.release();
    return outcome;
  }
  Outcome destroy_mark(Mark mark) override {
    const std::unique_ptr<OneEvent> doomed(static_cast<OneEvent*>(mark));
    destroy(*doomed);
    return {};
  }
  Outcome record(Mark mark, Stream stream) override {
    OneStream& one = *static_cast<OneStream*>(stream);
    const std::lock_guard guard(one.mutex);
    void* const event = static_cast<OneEvent*>(mark)->event;
    const Outcome outcome = answer(event_reset_(event), "zeEventHostReset");
    if (outcome.failed()) return outcome;
    return answer(append_barrier_(one.list, event, 0, nullptr), "zeCommandListAppendBarrier");
  }
  Outcome is_reached(Mark mark, bool* yes) override {
    return answered(event_query_(static_cast<OneEvent*>(mark)->event), yes);
  }
  Outcome is_idle(Stream stream, bool* yes) override {
    OneStream& one = *static_cast<OneStream*>(stream);
    const std::lock_guard guard(one.mutex);
    *yes = true;
    return one.waited.empty() ? Outcome{} : answered(event_query_(one.waited.back().event), yes);
  }
  Outcome wait(Stream stream) override {
    OneStream& one = *static_cast<OneStream*>(stream);
    const std::lock_guard guard(one.mutex);
    if (one.waited.empty()) return {};
    return answer(event_wait_(one.waited.back().event, kForever), "zeEventHostSynchronize");
  }

 private:
  struct Known {
    void* driver = nullptr;
    void* device = nullptr;
    Result (*import)(void*, void*, std::size_t) = nullptr;  // both null where the driver has none
    Result (*release)(void*, void*) = nullptr;
  };
  using List = Result (*)(void*, std::uint32_t*, void**);

  static Outcome answer(Result result, const char* call) { return {static_cast<int>(result), call}; }
  static Outcome answered(Result result, bool* yes) {
    *yes = result == 0;
    return {result == kNotReady ? 0 : static_cast<int>(result), "zeEventQueryStatus"};
  }

  static std::vector<void*> all_of(List list, void* of) {
    std::uint32_t count = 0;
    if (list(of, &count, nullptr) != 0) return {};
    std::vector<void*> found(count);
    if (count != 0 && list(of, &count, found.data()) != 0) return {};
    return found;
  }
  void add(void* driver, void* device) {
    DeviceProperties found;
    if (properties_(device, &found) != 0 || found.kind != kGpu) return;
    Known known{driver, device};
    find_extension(driver, "zexDriverImportExternalPointer", known.import);
    find_extension(driver, "zexDriverReleaseImportedPointer", known.release);
    devices_.push_back(known);
  }
  template <class Function>
  void find_extension(void* driver, const char* name, Function*& function) {
    void* found = nullptr;
    if (!extension_ || extension_(driver, name, &found) != 0) found = nullptr;
    function = reinterpret_cast<Function*>(found);
  }
  Outcome properties_of(int ordinal, DeviceProperties* found) {
    return answer(properties_(devices_[static_cast<std::size_t>(ordinal)].device, found),
                  "zeDeviceGetProperties");
  }
  // One that does nothing else, else the first that can.
  std::uint32_t group_that_copies(void* device) {
    std::uint32_t count = 0;
    if (groups_(device, &count, nullptr) != 0) return 0;
    std::vector<QueueGroupProperties> found(count);
    if (groups_(device, &count, found.data()) != 0) return 0;
    std::uint32_t any = 0;
    for (std::uint32_t i = count; i-- > 0;) {
      if (!(found[i].flags & (kCopy | kCompute)) || found[i].queues == 0) continue;
      if (!(found[i].flags & kCompute)) return i;
      any = i;
    }
    return any;
  }

  Outcome make_event(const Ours& ours, OneEvent* made) {
    const EventPool description;
    void* device = ours.device;
    Outcome outcome =
        answer(pool_create_(ours.context, &description, 1, &device, &made->pool), "zeEventPoolCreate");
    if (outcome.failed()) return outcome;
    const Event event;
    outcome = answer(event_create_(made->pool, &event, &made->event), "zeEventCreate");
    if (outcome.failed()) (void)pool_destroy_(made->pool);
    return outcome;
  }
  void destroy(const OneEvent& event) {
    (void)event_destroy_(event.event);
    (void)pool_destroy_(event.pool);
  }
  // Ready to be signaled.
  Outcome take_event(OneStream& stream, OneEvent* event) {
    while (stream.waited.size() > 1 && event_query_(stream.waited[1].event) == 0) {
      stream.spare.push_back(stream.waited.front());
      stream.waited.pop_front();
    }
    if (stream.spare.empty()) return make_event(*stream.ours, event);
    *event = stream.spare.back();
    stream.spare.pop_back();
    return answer(event_reset_(event->event), "zeEventHostReset");
  }

  std::vector<Known> devices_;  // whole ones first
  std::size_t whole_ = 0;

  Result (*init_)(std::uint32_t) = nullptr;
  Result (*drivers_of_)(std::uint32_t*, void**) = nullptr;
  Result (*version_)(void*, std::uint32_t*) = nullptr;
  Result (*devices_of_)(void*, std::uint32_t*, void**) = nullptr;
  Result (*parts_of_)(void*, std::uint32_t*, void**) = nullptr;
  Result (*properties_)(void*, DeviceProperties*) = nullptr;
  Result (*memories_)(void*, std::uint32_t*, MemoryProperties*) = nullptr;
  Result (*groups_)(void*, std::uint32_t*, QueueGroupProperties*) = nullptr;
  Result (*context_create_)(void*, const Plain*, void**) = nullptr;
  Result (*context_destroy_)(void*) = nullptr;
  Result (*list_create_)(void*, void*, const Queue*, void**) = nullptr;
  Result (*list_destroy_)(void*) = nullptr;
  Result (*append_copy_)(void*, void*, const void*, std::size_t, void*, std::uint32_t, void**) = nullptr;
  Result (*append_barrier_)(void*, void*, std::uint32_t, void**) = nullptr;
  Result (*pool_create_)(void*, const EventPool*, std::uint32_t, void**, void**) = nullptr;
  Result (*pool_destroy_)(void*) = nullptr;
  Result (*event_create_)(void*, const Event*, void**) = nullptr;
  Result (*event_destroy_)(void*) = nullptr;
  Result (*event_query_)(void*) = nullptr;
  Result (*event_wait_)(void*, std::uint64_t) = nullptr;
  Result (*event_reset_)(void*) = nullptr;
  Result (*alloc_device_)(void*, const DeviceAllocation*, std::size_t, std::size_t, void*, void**) = nullptr;
  Result (*alloc_host_)(void*, const Plain*, std::size_t, std::size_t, void**) = nullptr;
  Result (*free_)(void*, void*) = nullptr;
  Result (*located_)(void*, const void*, AllocationProperties*, void**) = nullptr;
  Result (*range_)(void*, const void*, void**, std::size_t*) = nullptr;
  Result (*get_handle_)(void*, const void*, IpcHandle*) = nullptr;
  Result (*open_handle_)(void*, void*, IpcHandle, std::uint32_t, void**) = nullptr;
  Result (*close_handle_)(void*, const void*) = nullptr;
  Result (*extension_)(void*, const char*, void**) = nullptr;
};

}  // namespace
}  // namespace ze

std::unique_ptr<Driver> ze_driver(Library& library, std::string* why) {
  auto driver = std::make_unique<ze::Ze>(library);
  if (library.missing()) return nullptr;
  if (const Outcome outcome = driver->start(); outcome.failed()) {
    *why = std::string("the Level Zero driver does not start: ") + outcome.call + ": " +
           driver->meaning(outcome.code);
    return nullptr;
  }
  return driver;
}

}  // namespace aqueduct::device
