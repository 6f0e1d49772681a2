#include "stand_in.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>

namespace stand_in {

struct Allocation {
  int device = 0;
  int descriptor = -1;
  std::size_t bytes = 0;
  bool may_be_exported = true;
  bool is_imported = false;
  int users = 1;
};

struct Stream {
  struct Copy {
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
  };
  int device = 0;
  std::deque<Copy> waiting;
  std::uint64_t asked = 0, done = 0;
};

struct Mark {
  Stream* stream = nullptr;
  std::uint64_t position = 0;
};

namespace {

struct Mapping {
  Allocation* allocation = nullptr;
  std::size_t bytes = 0;
  std::byte* inside = nullptr;  // the driver's own mapping
  bool by_hand = false;
};

std::uint64_t number(const char* name, std::uint64_t fallback) {
  const char* const text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : fallback;
}

std::uint64_t seed() {
  return number("STAND_IN_SEED", 1) * 1000003 + number("AQUEDUCT_RANK", 0) +
         static_cast<unsigned>(::getpid());
}

struct State {
  std::mutex mutex;
  std::mt19937_64 random{seed()};
  std::map<std::byte*, Mapping> mappings;
  std::map<std::byte*, std::size_t> pinned;
  std::map<void*, std::size_t> host;
  std::set<Stream*> streams;
  std::map<int, std::size_t> used;
  std::map<std::string, std::uint64_t> calls;
  int broken = kOk;
};
State& state() {
  static State* const made = new State;
  return *made;
}

thread_local int current_device = -1;

std::size_t round_up(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

// With the lock held:

Mapping* mapping_of(const void* address, std::byte** base) {
  auto& mappings = state().mappings;
  auto next = mappings.upper_bound(static_cast<std::byte*>(const_cast<void*>(address)));
  if (next == mappings.begin()) return nullptr;
  --next;
  if (static_cast<const std::byte*>(address) >= next->first + next->second.bytes) return nullptr;
  *base = next->first;
  return &next->second;
}

int map_at(std::byte* base, Allocation* allocation, std::size_t bytes, bool by_hand) {
  void* const inside = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, allocation->descriptor, 0);
  if (inside == MAP_FAILED) return kOutOfMemory;
  state().mappings[base] = {allocation, bytes, static_cast<std::byte*>(inside), by_hand};
  return kOk;
}

void drop_locked(Allocation* allocation) {
  if (--allocation->users != 0) return;
  if (!allocation->is_imported) state().used[allocation->device] -= allocation->bytes;
  ::close(allocation->descriptor);
  delete allocation;
}

Allocation* new_allocation(int device, std::size_t bytes) {
  if (state().used[device] + bytes > number("STAND_IN_MEMORY", std::uint64_t{1} << 30)) return nullptr;
  const int descriptor = ::memfd_create("stand-in device", MFD_CLOEXEC);
  if (descriptor < 0 || ::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) return nullptr;
  state().used[device] += bytes;
  auto* const made = new Allocation;
  made->device = device;
  made->descriptor = descriptor;
  made->bytes = bytes;
  return made;
}

// The memory itself, or null: [address, address + bytes) crosses an allocation's or a registration's end.
std::byte* inside(const void* address, std::size_t bytes) {
  std::byte* base = nullptr;
  auto* const at = static_cast<std::byte*>(const_cast<void*>(address));
  if (Mapping* const mapping = mapping_of(address, &base))
    return at + bytes <= base + mapping->bytes ? mapping->inside + (at - base) : nullptr;
  for (const auto& [pinned, length] : state().pinned) {
    if (at + bytes <= pinned || at >= pinned + length) continue;
    if (at < pinned || at + bytes > pinned + length) return nullptr;
  }
  return at;
}

void do_first(Stream& stream) {
  const Stream::Copy copy = stream.waiting.front();
  stream.waiting.pop_front();
  std::byte* const to = inside(copy.to, copy.bytes);
  const std::byte* const from = inside(copy.from, copy.bytes);
  if (to && from) {
    std::memmove(to, from, copy.bytes);
  } else {
    state().broken = 700;  // the memory is not there any more
  }
  ++stream.done;
}

void go_on() {
  State& all = state();
  for (Stream* const stream : all.streams) {
    while (!stream->waiting.empty() && all.random() % 3 != 0) do_first(*stream);
  }
}

}  // namespace

int called(const char* function) {
  State& all = state();
  const std::lock_guard guard(all.mutex);
  if (all.broken != kOk) return all.broken;
  const char* const wish = std::getenv("STAND_IN_FAIL");
  if (!wish) return kOk;
  char name[64];
  unsigned long long which = 0;
  int code = 0;
  if (std::sscanf(wish, "%63[^:]:%llu:%d", name, &which, &code) != 3 || std::strcmp(name, function) != 0)
    return kOk;
  if (++all.calls[function] != which) return kOk;
  if (code >= 700 && code < 800) all.broken = code;
  return code;
}

int device_count() { return static_cast<int>(number("STAND_IN_DEVICES", 2)); }
void name_of(int device, char* text, int bytes) {
  std::snprintf(text, static_cast<std::size_t>(bytes), "stand-in %d", device);
}
void id_of(int device, void* bytes16) {
  std::memset(bytes16, 0, 16);
  static_cast<unsigned char*>(bytes16)[0] = static_cast<unsigned char>(device + 1);
}

int current() { return current_device; }
void set_current(int device) { current_device = device; }

int allocate(std::size_t bytes, void** address) {
  if (current_device < 0) return kInvalidContext;
  const std::lock_guard guard(state().mutex);
  const std::size_t length = round_up(bytes);
  Allocation* const made = new_allocation(current_device, length);
  if (!made) return kOutOfMemory;
  void* const base = ::mmap(nullptr, length, PROT_NONE, MAP_SHARED, made->descriptor, 0);
  if (base == MAP_FAILED || map_at(static_cast<std::byte*>(base), made, length, false) != kOk)
    return kOutOfMemory;
  *address = base;
  return kOk;
}

int release(void* address) {
  if (current_device < 0) return kInvalidContext;
  const std::lock_guard guard(state().mutex);
  const auto found = state().mappings.find(static_cast<std::byte*>(address));
  if (found == state().mappings.end() || found->second.allocation->is_imported) return kInvalidValue;
  ::munmap(found->second.inside, found->second.bytes);
  ::munmap(address, found->second.bytes);
  drop_locked(found->second.allocation);
  state().mappings.erase(found);
  return kOk;
}

int info(std::size_t* free, std::size_t* total) {
  if (current_device < 0) return kInvalidContext;
  const std::lock_guard guard(state().mutex);
  *total = number("STAND_IN_MEMORY", std::uint64_t{1} << 30);
  *free = *total - state().used[current_device];
  return kOk;
}

int find(const void* address, void** base, std::size_t* bytes) {
  const std::lock_guard guard(state().mutex);
  std::byte* first = nullptr;
  const Mapping* const mapping = mapping_of(address, &first);
  if (!mapping) return -1;
  if (base) *base = first;
  if (bytes) *bytes = mapping->bytes;
  return mapping->allocation->device;
}

namespace {
struct Named {
  std::uint64_t process, descriptor, bytes, device;
};
}  // namespace

int export_handle(void* address, Handle* handle) {
  if (current_device < 0) return kInvalidContext;
  const char* const exports = std::getenv("STAND_IN_EXPORTS");
  const std::lock_guard guard(state().mutex);
  std::byte* base = nullptr;
  const Mapping* const mapping = mapping_of(address, &base);
  if (!mapping || mapping->by_hand || mapping->allocation->is_imported) return kInvalidValue;
  if (exports && std::strcmp(exports, "no") == 0) return kNotSupported;
  const Named named{static_cast<std::uint64_t>(::getpid()),
                    static_cast<std::uint64_t>(mapping->allocation->descriptor), mapping->bytes,
                    static_cast<std::uint64_t>(mapping->allocation->device)};
  std::memset(handle, 0, sizeof *handle);
  std::memcpy(handle, &named, sizeof named);
  return kOk;
}

namespace {
// Takes the descriptor.
int import_file(int descriptor, const Named& named, void** address) {
  const std::lock_guard guard(state().mutex);
  auto* const made = new Allocation;
  made->device = static_cast<int>(named.device);
  made->descriptor = descriptor;
  made->bytes = named.bytes;
  made->is_imported = true;
  void* const base = ::mmap(nullptr, named.bytes, PROT_NONE, MAP_SHARED, descriptor, 0);
  if (base == MAP_FAILED || map_at(static_cast<std::byte*>(base), made, named.bytes, false) != kOk)
    return kOutOfMemory;
  *address = base;
  return kOk;
}
}  // namespace

int import_handle(const Handle& handle, void** address) {
  if (current_device < 0) return kInvalidContext;
  Named named;
  std::memcpy(&named, &handle, sizeof named);
  if (named.process == static_cast<std::uint64_t>(::getpid())) return kInvalidContext;
  const std::string path =
      "/proc/" + std::to_string(named.process) + "/fd/" + std::to_string(named.descriptor);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  return descriptor < 0 ? kInvalidValue : import_file(descriptor, named, address);
}

// What begins with a descriptor, of whoever has it now.
int export_descriptor(void* address, Handle* handle) {
  if (const int code = export_handle(address, handle)) return code;
  Named named;
  std::memcpy(&named, handle, sizeof named);
  const int descriptor = ::fcntl(static_cast<int>(named.descriptor), F_DUPFD_CLOEXEC, 0);
  std::memset(handle, 0, sizeof *handle);
  std::memcpy(handle, &descriptor, sizeof descriptor);
  std::memcpy(handle->bytes + 8, &named, sizeof named);
  return descriptor < 0 ? kInvalidValue : kOk;
}
int import_descriptor(const Handle& handle, void** address) {
  if (current_device < 0) return kInvalidContext;
  int descriptor = -1;
  Named named;
  std::memcpy(&descriptor, &handle, sizeof descriptor);
  std::memcpy(&named, handle.bytes + 8, sizeof named);
  const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  return own < 0 ? kInvalidValue : import_file(own, named, address);
}

int close_import(void* address) {
  if (current_device < 0) return kInvalidContext;
  const std::lock_guard guard(state().mutex);
  const auto found = state().mappings.find(static_cast<std::byte*>(address));
  if (found == state().mappings.end() || !found->second.allocation->is_imported) return kInvalidValue;
  ::munmap(found->second.inside, found->second.bytes);
  ::munmap(address, found->second.bytes);
  drop_locked(found->second.allocation);
  state().mappings.erase(found);
  return kOk;
}

int create(std::size_t bytes, int device, bool may_be_exported, Allocation** made) {
  const std::lock_guard guard(state().mutex);
  *made = new_allocation(device, round_up(bytes));
  if (!*made) return kOutOfMemory;
  (*made)->may_be_exported = may_be_exported;
  return kOk;
}
int retain(void* address, Allocation** found) {
  const std::lock_guard guard(state().mutex);
  std::byte* base = nullptr;
  const Mapping* const mapping = mapping_of(address, &base);
  if (!mapping || !mapping->by_hand) return kInvalidValue;
  *found = mapping->allocation;
  ++mapping->allocation->users;
  return kOk;
}
int share(Allocation* allocation, int* descriptor) {
  if (!allocation->may_be_exported) return kNotSupported;
  *descriptor = ::fcntl(allocation->descriptor, F_DUPFD_CLOEXEC, 0);
  return *descriptor < 0 ? kInvalidValue : kOk;
}
int take_shared(int descriptor, Allocation** made) {
  *made = new Allocation;
  (*made)->device = current_device;
  (*made)->descriptor = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  (*made)->is_imported = true;
  return (*made)->descriptor < 0 ? kInvalidValue : kOk;
}
int drop(Allocation* allocation) {
  const std::lock_guard guard(state().mutex);
  drop_locked(allocation);
  return kOk;
}
int reserve(std::size_t bytes, void** address) {
  void* const base = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *address = base;
  return base == MAP_FAILED ? kOutOfMemory : kOk;
}
int unreserve(void* address, std::size_t bytes) {
  return ::munmap(address, bytes) == 0 ? kOk : kInvalidValue;
}
int map(void* address, std::size_t bytes, Allocation* allocation) {
  const std::lock_guard guard(state().mutex);
  ++allocation->users;
  return map_at(static_cast<std::byte*>(address), allocation, bytes, true);
}
int unmap(void* address) {
  const std::lock_guard guard(state().mutex);
  const auto found = state().mappings.find(static_cast<std::byte*>(address));
  if (found == state().mappings.end() || !found->second.by_hand) return kInvalidValue;
  ::munmap(found->second.inside, found->second.bytes);
  drop_locked(found->second.allocation);
  state().mappings.erase(found);
  return kOk;
}

int pin(void* address, std::size_t bytes) {
  if (current_device < 0) return kInvalidContext;
  const std::lock_guard guard(state().mutex);
  auto* const at = static_cast<std::byte*>(address);
  for (const auto& [pinned, length] : state().pinned) {
    if (at < pinned + length && pinned < at + bytes) return kAlreadyRegistered;
  }
  state().pinned[at] = bytes;
  return kOk;
}
int unpin(void* address) {
  if (current_device < 0) return kInvalidContext;
  const std::lock_guard guard(state().mutex);
  return state().pinned.erase(static_cast<std::byte*>(address)) == 1 ? kOk : kNotRegistered;
}
std::size_t pinned_bytes() {
  const std::lock_guard guard(state().mutex);
  std::size_t bytes = 0;
  for (const auto& [pinned, length] : state().pinned) bytes += length;
  return bytes;
}
void* inside_of(const void* address, std::size_t bytes) {
  const std::lock_guard guard(state().mutex);
  std::byte* base = nullptr;
  return mapping_of(address, &base) ? inside(address, bytes) : nullptr;
}
int allocate_pinned(std::size_t bytes, void** address) {
  if (current_device < 0) return kInvalidContext;
  void* const memory = std::aligned_alloc(4096, round_up(bytes));
  if (!memory) return kOutOfMemory;
  const std::lock_guard guard(state().mutex);
  state().pinned[static_cast<std::byte*>(memory)] = round_up(bytes);
  *address = memory;
  return kOk;
}
int free_pinned(void* address) {
  const std::lock_guard guard(state().mutex);
  if (state().pinned.erase(static_cast<std::byte*>(address)) != 1) return kInvalidValue;
  std::free(address);
  return kOk;
}

int make_stream(Stream** stream) {
  if (current_device < 0) return kInvalidContext;
  const std::lock_guard guard(state().mutex);
  *stream = new Stream;
  (*stream)->device = current_device;
  state().streams.insert(*stream);
  return kOk;
}
int destroy_stream(Stream* stream) {
  const std::lock_guard guard(state().mutex);
  if (state().streams.erase(stream) != 1) return kInvalidHandle;
  while (!stream->waiting.empty()) do_first(*stream);
  delete stream;
  return kOk;
}

namespace {
int check_stream(Stream* stream) {
  if (current_device < 0) return kInvalidContext;
  return state().streams.contains(stream) && stream->device == current_device ? kOk : kInvalidHandle;
}
}  // namespace

int query(Stream* stream) {
  const std::lock_guard guard(state().mutex);
  if (const int code = check_stream(stream)) return code;
  go_on();
  if (state().broken != kOk) return state().broken;
  return stream->waiting.empty() ? kOk : kNotReady;
}
int wait(Stream* stream) {
  const std::lock_guard guard(state().mutex);
  if (const int code = check_stream(stream)) return code;
  while (!stream->waiting.empty()) go_on();
  return state().broken;
}
int copy(void* to, const void* from, std::size_t bytes, Stream* stream) {
  const std::lock_guard guard(state().mutex);
  if (const int code = check_stream(stream)) return code;
  if (!inside(to, bytes) || !inside(from, bytes)) return kInvalidValue;
  stream->waiting.push_back({static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes});
  ++stream->asked;
  return kOk;
}
int copy_now(void* to, const void* from, std::size_t bytes) {
  if (current_device < 0) return kInvalidContext;
  const std::lock_guard guard(state().mutex);
  std::byte* const there = inside(to, bytes);
  const std::byte* const here = inside(from, bytes);
  if (!there || !here) return kInvalidValue;
  std::memmove(there, here, bytes);
  return kOk;
}
int make_mark(Mark** mark) {
  if (current_device < 0) return kInvalidContext;
  *mark = new Mark;
  return kOk;
}
int destroy_mark(Mark* mark) {
  delete mark;
  return kOk;
}
int record(Mark* mark, Stream* stream) {
  const std::lock_guard guard(state().mutex);
  if (const int code = check_stream(stream)) return code;
  *mark = {stream, stream->asked};
  return kOk;
}
int query(Mark* mark) {
  const std::lock_guard guard(state().mutex);
  go_on();
  if (state().broken != kOk) return state().broken;
  return mark->stream->done >= mark->position ? kOk : kNotReady;
}

}  // namespace stand_in
