#include "device/cuda.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace aqueduct::test {
namespace {

using Address = unsigned long long;

void* library = nullptr;

template <class... Args>
int call_if_there(const char* name, Args... args) {
  void* const function = ::dlsym(library, name);
  return function ? reinterpret_cast<int (*)(Args...)>(function)(args...) : -1;
}

template <class... Args>
void call(const char* name, Args... args) {
  const int code = call_if_there(name, args...);
  if (code == 0) return;
  std::fprintf(stderr, "%s answers %d\n", name, code);
  std::abort();
}

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

struct Properties {
  int type = 1, handle_types = 0, location_type = 1, location_id = 0;
  void* handle_data = nullptr;
  unsigned char flags[8] = {};
};
struct AccessOf {
  int location_type = 1, location_id = 0;
  unsigned flags = 3;
};

class InContext {
 public:
  explicit InContext(const Cuda& cuda) : cuda_(cuda) { cuda.push(cuda.context()); }
  ~InContext() { cuda_.pop(); }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

 private:
  const Cuda& cuda_;
};

}  // namespace

const Cuda* Cuda::find() {
  static const Cuda* const found = []() -> const Cuda* {
    const char* const name = std::getenv("AQUEDUCT_CUDA_LIBRARY");
    library = ::dlopen(name ? name : "libcuda.so.1", RTLD_NOW);
    if (!library) return nullptr;
    int devices = 0;
    if (call_if_there("cuInit", 0u) != 0 || call_if_there("cuDeviceGetCount", &devices) != 0 || devices == 0)
      return nullptr;
    static Cuda made;
    call("cuDevicePrimaryCtxRetain", &made.context_, 0);
    const InContext here(made);
    call("cuStreamCreate", &made.stream_, 1u);
    return &made;
  }();
  return found;
}

void* Cuda::allocate(std::size_t bytes) const {
  const InContext here(*this);
  Address address = 0;
  call("cuMemAlloc_v2", &address, bytes);
  return reinterpret_cast<void*>(address);
}

void* Cuda::allocate_by_hand(std::size_t bytes, bool may_be_exported) const {
  const InContext here(*this);
  Properties properties;
  properties.handle_types = may_be_exported ? 1 : 0;
  Address handle = 0, address = 0;
  if (call_if_there("cuMemCreate", &handle, bytes, &properties, 0ull) != 0) return nullptr;
  const AccessOf access;
  call("cuMemAddressReserve", &address, bytes, std::size_t{0}, Address{0}, 0ull);
  call("cuMemMap", address, bytes, std::size_t{0}, handle, 0ull);
  call("cuMemSetAccess", address, bytes, &access, std::size_t{1});
  return reinterpret_cast<void*>(address);
}

void Cuda::write(void* device, const void* from, std::size_t bytes) const {
  const InContext here(*this);
  call("cuMemcpyAsync", address_of(device), address_of(from), bytes, stream_);
  call("cuStreamSynchronize", stream_);
}

void Cuda::read(void* to, const void* device, std::size_t bytes) const {
  const InContext here(*this);
  call("cuMemcpyAsync", address_of(to), address_of(device), bytes, stream_);
  call("cuStreamSynchronize", stream_);
}

std::vector<unsigned char> Cuda::read(const void* device, std::size_t bytes) const {
  std::vector<unsigned char> found(bytes);
  read(found.data(), device, bytes);
  return found;
}

std::optional<std::size_t> Cuda::pinned_bytes() const {
  void* const function = ::dlsym(library, "stand_in_pinned_bytes");
  if (!function) return std::nullopt;
  return reinterpret_cast<std::size_t (*)()>(function)();
}

void* Cuda::current() const {
  void* context = nullptr;
  call("cuCtxGetCurrent", &context);
  return context;
}

void Cuda::find_ze(int ordinal, void** device, void** context) const {
  static void* const made = [] {
    void* driver = nullptr;
    std::uint32_t one = 1;
    call("zeInit", 0u);
    call("zeDriverGet", &one, &driver);
    void* fresh = nullptr;
    const struct {
      std::uint32_t type = 0xd;
      const void* next = nullptr;
      std::uint32_t flags = 0;
    } description;
    call("zeContextCreate", driver, &description, &fresh);
    return fresh;
  }();
  std::uint32_t count = 16;
  void* devices[16] = {};
  call("zeDeviceGet", static_cast<void*>(nullptr), &count, &devices[0]);
  *device = ordinal >= 0 && ordinal < 2 ? devices[ordinal] : nullptr;
  *context = made;
}

void Cuda::push(void* context) const { call("cuCtxPushCurrent_v2", context); }
void Cuda::pop() const {
  void* popped = nullptr;
  call("cuCtxPopCurrent_v2", &popped);
}

}  // namespace aqueduct::test
