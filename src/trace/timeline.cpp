#include "trace/timeline.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "base/context.hpp"
#include "base/env.hpp"
#include "base/fatal.hpp"
#include "trace/merge.hpp"
#include "trace/recorder.hpp"
#include "trace/trace.hpp"

namespace aqueduct::trace::timeline {
namespace {

constexpr std::int64_t kMostEvents = std::int64_t{1} << 28;

Recorder* own_recorder = nullptr;  ///< of a live process
thread_local Slice* own_open = nullptr;

/// The ranks of a simulation, by their numbers.
struct Simulated {
  struct Part {
    std::unique_ptr<Recorder> recorder;
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  std::vector<Part> parts;
};
Simulated* simulated = nullptr;

/// Of whoever calls; null while it has none.
Recorder* recorder() {
  if (simulated == nullptr) return own_recorder;
  const auto rank = static_cast<std::size_t>(current_context.reporting_rank);
  return rank < simulated->parts.size() ? simulated->parts[rank].recorder.get() : nullptr;
}

Slice*& open_slice(Recorder& of) { return simulated == nullptr ? own_open : of.open; }

std::uint64_t capacity() {
  return static_cast<std::uint64_t>(
      env::integer({"AQUEDUCT_TRACE_EVENTS"}, 16, kMostEvents).value_or(kDefaultCapacity));
}

/// Those of text traces, so that calls are not inlined, and pass the hooks.
constexpr std::uint32_t kWatchedBits =
    kWatched | bit(Category::kGet) | bit(Category::kPut) | bit(Category::kAtomic) | bit(Category::kSync) |
    bit(Category::kCollective) | bit(Category::kBarrier) | bit(Category::kMessage);
void watch() { __atomic_fetch_or(&aq_trace_watched_, kWatchedBits, __ATOMIC_RELAXED); }

std::uint32_t saturated(std::uint64_t bytes) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, ~std::uint32_t{0}));
}

/// The innermost slice that is open, if there is one and a timeline is written.
Slice* innermost() {
  Recorder* const to = is_on() ? recorder() : nullptr;
  return to != nullptr ? open_slice(*to) : nullptr;
}

void add_instant(Kind kind, const void* event) {
  Recorder* const to = recorder();
  if (to == nullptr) return;
  Slice* const open = open_slice(*to);
  Record record = open != nullptr ? open->record() : Record{};
  record.begin = to->now();
  record.duration = 0;
  record.kind = kind;
  record.key = reinterpret_cast<std::uintptr_t>(event);
  to->add(open != nullptr ? open->name() : "operation", record);
}

[[noreturn]] void refuse(const std::string& path, std::size_t bytes, int error) {
  fatal("environment", "AQUEDUCT_TRACE: cannot write '%s' (%zu KiB, see AQUEDUCT_TRACE_EVENTS): %s",
        path.c_str(), bytes >> 10, std::strerror(error));
}

}  // namespace

std::uint32_t watched_bits() { return is_on() ? kWatchedBits : 0; }

void Slice::begin(const char* name, Kind kind) {
  Recorder* const to = recorder();
  if (to == nullptr) return;
  name_ = name;
  record_.kind = kind;
  record_.begin = to->now();
  Slice*& open = open_slice(*to);
  outer_ = open;
  open = this;
}

void Slice::end() {
  Recorder& to = *recorder();
  open_slice(to) = outer_;
  if (is_kept_) to.forget_open();
  record_.duration = to.now() - record_.begin;
  // Calls that look whether something is done, and are at once, would fill the ring.
  if (record_.kind != Kind::kWait || record_.duration >= to.microsecond()) to.add(name_, record_);
}

void keep_open() {
  Slice* const slice = innermost();
  if (slice == nullptr) return;
  slice->is_kept_ = true;
  recorder()->keep_open(slice->name_, slice->record_);
}

void describe(std::uint32_t peer, std::uint64_t bytes) {
  if (Slice* const slice = innermost(); slice != nullptr) {
    slice->record().peer = peer;
    slice->record().bytes = saturated(bytes);
  }
}

void describe_message(std::uint32_t peer, std::uint64_t bytes, std::uint64_t key, std::uint8_t handler) {
  if (Slice* const slice = innermost(); slice != nullptr) {
    slice->record().peer = peer;
    slice->record().bytes = saturated(bytes);
    slice->record().key = key;
    slice->record().detail = handler;
  }
}

void describe_barrier(std::uint32_t team, std::uint64_t number) {
  if (Slice* const slice = innermost(); slice != nullptr) {
    slice->record().kind = Kind::kBarrier;
    slice->record().key = team;
    slice->record().detail = static_cast<std::uint32_t>(number);
  }
}

void started(const void* event) {
  if (is_on()) [[unlikely]]
    add_instant(Kind::kStarted, event);
}
void completed(const void* event) {
  if (is_on()) [[unlikely]]
    add_instant(Kind::kCompleted, event);
}

std::uint64_t message_key(std::uint32_t source, std::uint32_t target, bool is_reply, std::uint8_t handler,
                          const std::int32_t* args, unsigned nargs, std::uint64_t payload_bytes) {
  // FNV-1a over words, which is enough to tell messages apart.
  std::uint64_t key = 14695981039346656037ULL;
  const auto mix = [&](std::uint64_t word) {
    key = (key ^ word) * 1099511628211ULL;
    key ^= key >> 29;
  };
  mix(std::uint64_t{source} << 32 | target);
  mix(std::uint64_t{is_reply} << 8 | handler);
  mix(payload_bytes);
  for (unsigned i = 0; i < nargs; ++i) mix(static_cast<std::uint32_t>(args[i]));
  return key;
}

void open(std::uint32_t rank, std::uint32_t ranks) {
  const std::string file = env::text({"AQUEDUCT_TRACE"}, "");
  if (file.empty()) return;
  const std::uint64_t events = capacity();
  const std::size_t bytes = part_bytes(events);
  const std::string path = part_name(file, rank);
  const int fd = ::open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0666);
  if (fd < 0) refuse(path, bytes, errno);
  // Room is taken now: a full disk must not show as a signal later.
  if (const int error = posix_fallocate(fd, 0, static_cast<off_t>(bytes)); error != 0) {
    unlink(path.c_str());
    refuse(path, bytes, error);
  }
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (memory == MAP_FAILED) refuse(path, bytes, errno);
  madvise(memory, bytes, MADV_DONTDUMP);
  own_recorder = new Recorder(memory, events, rank, ranks, machine_clock(),
                              true);  // threads may record until the very end
  watch();
}

void leave() {
  if (own_recorder != nullptr) own_recorder->drop_anchor();
}

void watch_simulation() {
  if (simulated == nullptr) simulated = new Simulated;
  watch();
}

void open_simulated(std::uint32_t rank, std::uint32_t ranks, Clock& clock) {
  if (simulated == nullptr) return;
  if (simulated->parts.size() < ranks) simulated->parts.resize(ranks);
  Simulated::Part& part = simulated->parts[rank];
  const std::uint64_t events = capacity();
  part.bytes = part_bytes(events);
  part.memory =
      mmap(nullptr, part.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (part.memory == MAP_FAILED)
    fatal("environment", "no memory for the timeline of rank %u (AQUEDUCT_TRACE_EVENTS)", rank);
  part.recorder = std::make_unique<Recorder>(part.memory, events, rank, ranks, clock, false);
  part.recorder->header().is_virtual = 1;
}

void end_simulation() {
  if (simulated == nullptr) return;
  for (const Simulated::Part& part : simulated->parts) {
    if (part.recorder) part.recorder->drop_anchor();
  }
}

std::string write_simulated(const std::string& file) {
  std::vector<Part> parts;
  for (const Simulated::Part& part : simulated->parts) {
    if (part.memory == nullptr) continue;
    parts.push_back(read_part(part.memory, part.bytes));
    munmap(part.memory, part.bytes);
  }
  delete simulated;
  simulated = nullptr;
  __atomic_store_n(&aq_trace_watched_, 0, __ATOMIC_RELAXED);
  if (parts.empty()) return "the simulation has no ranks that a timeline could show";
  return write(file, std::move(parts)).error;
}

}  // namespace aqueduct::trace::timeline
