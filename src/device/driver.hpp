// What the library asks of the driver of devices with memory of their own: one table for all families.
//
// A driver is a library of the system that is loaded when the first kind of its family is made, and never
// linked: nothing of its toolkit is needed to build this one. Each family fills the table from the functions
// that its library exports; a function that is missing makes the driver too old.
//
// A context is a device as this process uses it: for CUDA its primary context, for Level Zero one of the
// client's. Calls that need one are made between enter() and leave() (Entered does both), which put back
// whatever the calling thread had current. A stream does what it is given in order; a mark in it is reached
// when everything before it is done. Nothing here waits for a device but wait().
//
// Threads: any, at the same time, as far as the drivers allow that; all families here do.
#pragma once
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

namespace aqueduct::device {

/// What a call of the driver answered: its number, 0 if all is well, and which call that was.
struct [[nodiscard]] Outcome {
  int code = 0;
  const char* call = nullptr;

  bool failed() const { return code != 0; }
};

enum class Family : std::uint8_t { kCuda, kHip, kZe };
inline constexpr unsigned kFamilies = 3;

using Context = void*;
using Stream = void*;
using Mark = void*;
/// A device, by its number; or, where clients have handles of it (Level Zero), by these, and which of its
/// memories.
struct DeviceChoice {
  int ordinal = 0;
  void* device = nullptr;
  void* context = nullptr;
  std::uint32_t memory = 0;

  auto operator<=>(const DeviceChoice&) const = default;
};
/// What a driver does not tell.
inline constexpr std::size_t kUnknownBytes = ~std::size_t{0};

/// Tells devices of a machine apart, the same in all processes.
using DeviceId = std::array<std::uint8_t, 16>;

/// Where an address lies, as the driver sees it.
struct Location {
  bool is_device = false;  ///< memory of a device, which its host cannot read
  int ordinal = -1;        ///< of which
  void* base = nullptr;    ///< the allocation that it belongs to
  std::size_t bytes = 0;
};

/// What another process of the machine needs to map an allocation. Plain bytes, sent between ranks.
struct Export {
  enum class Form : std::uint8_t { kNone, kHandle, kDescriptor };
  Form form = Form::kNone;
  std::array<std::uint8_t, 64> handle{};  ///< kHandle, or what else belongs to a descriptor
  std::int32_t process = 0;               ///< kDescriptor: whose descriptor it is
  std::int32_t descriptor = -1;
  std::uint64_t bytes = 0;   ///< of the allocation
  std::uint64_t offset = 0;  ///< of the memory that was exported, in its allocation
};

class Driver {
 public:
  virtual ~Driver() = default;

  // About the driver and its devices; no context is needed.
  virtual const char* family_name() const = 0;  ///< "CUDA"
  /// "12.4"
  virtual std::string version() = 0;
  virtual Outcome count(int* devices) = 0;
  virtual Outcome name(int ordinal, std::string* text) = 0;
  virtual Outcome id(int ordinal, DeviceId* found) = 0;
  /// What a code means, in the driver's words: "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  virtual std::string meaning(int code) = 0;
  /// Whether `outcome` says that there is no room: what a client may try again with less.
  virtual bool is_exhausted(const Outcome& outcome) const = 0;

  /// Finds the number of a device that a client names; false, with the reason, if it is none.
  virtual bool find(DeviceChoice* choice, std::string* why);
  /// Without handles of a client's, the driver makes what it needs.
  virtual Outcome open(const DeviceChoice& choice, Context* context) = 0;
  virtual void close(int ordinal, Context context) = 0;
  /// `*token` is what leave() needs.
  virtual Outcome enter(Context context, void** token) = 0;
  virtual void leave(void* token) = 0;

  // In a context.
  virtual Outcome allocate(std::size_t bytes, void** memory) = 0;
  virtual Outcome free(void* memory) = 0;
  /// Each may be kUnknownBytes.
  virtual Outcome memory_size(std::size_t* free, std::size_t* total) = 0;
  /// An address that the driver does not know is host memory.
  virtual Outcome locate(const void* address, Location* found) = 0;
  /// Fails if that memory cannot be mapped by others.
  virtual Outcome export_memory(const Location& memory, Export* exported) = 0;
  /// Maps another process's allocation; `*base` is where it begins here.
  virtual Outcome import_memory(const Export& exported, int ordinal, void** base) = 0;
  virtual Outcome release_import(const Export& exported, void* base) = 0;
  /// Keeps host memory in place, so that devices copy from and to it at full speed.
  virtual Outcome pin(void* memory, std::size_t bytes) = 0;
  virtual Outcome unpin(void* memory) = 0;
  virtual Outcome allocate_pinned(std::size_t bytes, void** memory) = 0;
  virtual Outcome free_pinned(void* memory) = 0;

  virtual Outcome make_stream(Stream* stream) = 0;
  virtual Outcome destroy_stream(Stream stream) = 0;
  virtual Outcome copy(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  virtual Outcome make_mark(Mark* mark) = 0;
  virtual Outcome destroy_mark(Mark mark) = 0;
  virtual Outcome record(Mark mark, Stream stream) = 0;
  virtual Outcome is_reached(Mark mark, bool* yes) = 0;
  virtual Outcome is_idle(Stream stream, bool* yes) = 0;
  virtual Outcome wait(Stream stream) = 0;
};

/// The driver of a family, loaded with the first call for it. Null, and the reason in `*why`, where it cannot
/// be: no library, one that lacks functions, one that does not start. Any thread.
Driver* driver(Family family, std::string* why);
/// Whether this machine looks as if it had a device, or somebody names a driver: a few looks at files. What
/// is not seen here can be used all the same, only slower over networks (core/staging.hpp).
bool may_be_here();
/// The environment variable that names another library of the family, and the name without it.
const char* library_variable(Family family);
const char* library_name(Family family);

/// In a context from here to the end of the block.
class Entered {
 public:
  Entered(Driver& driver, Context context) : driver_(driver), outcome(driver.enter(context, &token_)) {}
  ~Entered() {
    if (!outcome.failed()) driver_.leave(token_);
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  Driver& driver_;
  void* token_ = nullptr;

 public:
  const Outcome outcome;
};

}  // namespace aqueduct::device
