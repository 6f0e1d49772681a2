// A stand-in for the driver of devices, on machines that have none.
//
// Memory of a device is a file without a name, mapped twice: where clients know it no access is allowed, so
// that a host that touches it traps; the driver alone copies, through the other mapping. Handles name process
// and descriptor, and work between processes.
//
// Copies wait in their streams until somebody asks, and then those of all streams go on in an order that a
// seed decides; what a copy reads and writes is looked at when it is done, not when it is asked for. Calls
// check that the thread has a context, and that a stream is one of it. Host memory that is pinned is copied
// within one registration.
//
//   STAND_IN_SEED        the order of streams; each process adds its rank
//   STAND_IN_DEVICES     how many there are (2)
//   STAND_IN_MEMORY      bytes of each (1 GiB)
//   STAND_IN_EXPORTS=no  memory cannot be mapped by others
//   STAND_IN_FAIL        NAME:N:CODE - the N-th call of that function answers CODE; from 700 on every later call does
//
// Codes are those that CUDA and HIP have in common.
#pragma once
#include <cstddef>
#include <cstdint>

namespace stand_in {

inline constexpr int kOk = 0, kInvalidValue = 1, kOutOfMemory = 2, kInvalidDevice = 101,
                     kInvalidContext = 201, kInvalidHandle = 400, kNotReady = 600, kAlreadyRegistered = 712,
                     kNotRegistered = 713, kNotSupported = 801;

struct Stream;
struct Mark;
struct Allocation;

struct Handle {
  unsigned char bytes[64];
};

/// Counts a call; the code that it is to fail with, or kOk.
int called(const char* function);

int device_count();
void name_of(int device, char* text, int bytes);
void id_of(int device, void* bytes16);

// The current device of the calling thread, -1: none.
int current();
void set_current(int device);

int allocate(std::size_t bytes, void** address);
int release(void* address);
int info(std::size_t* free, std::size_t* total);
/// The device of an address, -1 for the host's; and its allocation.
int find(const void* address, void** base, std::size_t* bytes);
int export_handle(void* address, Handle* handle);
int import_handle(const Handle& handle, void** address);
int close_import(void* address);
/// The same with a handle that begins with a descriptor, which whoever imports must have taken over.
int export_descriptor(void* address, Handle* handle);
int import_descriptor(const Handle& handle, void** address);

// Memory that is mapped by hand.
int create(std::size_t bytes, int device, bool may_be_exported, Allocation** made);
int retain(void* address, Allocation** found);
int share(Allocation* allocation, int* descriptor);
int take_shared(int descriptor, Allocation** made);
int drop(Allocation* allocation);
int reserve(std::size_t bytes, void** address);
int unreserve(void* address, std::size_t bytes);
int map(void* address, std::size_t bytes, Allocation* allocation);
int unmap(void* address);

int pin(void* address, std::size_t bytes);
int unpin(void* address);
/// Of this process.
std::size_t pinned_bytes();
/// Where the driver itself has memory of a device; null where it is none, or too short. For what stands in
/// for a network that reaches it.
void* inside_of(const void* address, std::size_t bytes);
int allocate_pinned(std::size_t bytes, void** address);
int free_pinned(void* address);

int make_stream(Stream** stream);
int destroy_stream(Stream* stream);
int query(Stream* stream);
int wait(Stream* stream);
int copy(void* to, const void* from, std::size_t bytes, Stream* stream);
/// A copy that is done at return.
int copy_now(void* to, const void* from, std::size_t bytes);
int make_mark(Mark** mark);
int destroy_mark(Mark* mark);
int record(Mark* mark, Stream* stream);
int query(Mark* mark);

}  // namespace stand_in
