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
thread_local Caller own_caller;

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

Caller& caller(Recorder& of) { return simulated == nullptr ? own_caller : of.caller; }

std::uint64_t capacity() {
  return static_cast<std::uint64_t>(
      env::integer({"AQUEDUCT_TRACE_EVENTS"}, 16, kMostEvents).value_or(kDefaultCapacity));
}

/// Those of text traces, so that calls are not inlined, and pass the hooks.
constexpr std::uint32_t kWatchedBits =
    kWatched | bit(Category::kGet) | bit(Category::kPut) | bit(Category::kAtomic) | bit(Category::kSync) |
    bit(Category::kCollective) | bit(Category::kBarrier) | bit(Category::kMessage) | bit(Category::kPoll);
void watch() { __atomic_fetch_or(&aq_trace_watched_, kWatchedBits, __ATOMIC_RELAXED); }

/// The innermost slice that is open, if there is one and a timeline is written.
Slice* innermost() {
  Recorder* const to = is_on() ? recorder() : nullptr;
  return to != nullptr ? caller(*to).open : nullptr;
}

std::uint8_t depth_below(const Slice* outer, std::uint8_t depth_of_outer) {
  constexpr std::uint8_t kMost = 255;
  return outer == nullptr ? 0 : static_cast<std::uint8_t>(std::min<int>(depth_of_outer + 1, kMost));
}

/// The fruitless calls are over, and something else begins: they are a wait if they took long.
void end_polling(Recorder& to, Caller& from) {
  if (!from.is_polling) return;
  from.is_polling = false;
  if (from.polling_until - from.polling_since < to.microsecond()) return;
  Record record;
  record.kind = Kind::kWait;
  record.local = kLooked | kIsLoop;
  record.begin = from.polling_since;
  record.duration = from.polling_until - from.polling_since;
  to.add("polling", record);
}

[[noreturn]] void refuse(const std::string& path, std::size_t bytes, int error) {
  fatal("environment", "AQUEDUCT_TRACE: cannot write '%s' (%zu KiB, see AQUEDUCT_TRACE_EVENTS): %s",
        path.c_str(), bytes >> 10, std::strerror(error));
}

}  // namespace

std::uint32_t watched_bits() { return is_on() ? kWatchedBits : 0; }

void add_inside(Slice* slice) {
  if (slice == nullptr) return;
  slice->has_found_ = true;
  ++slice->inside_;
}

namespace {

/// In the slice that is open, of which it is said.
void add_instant(Kind kind, Record said) {
  Recorder* const to = recorder();
  if (to == nullptr) return;
  Caller& from = caller(*to);
  if (from.open == nullptr) end_polling(*to, from);
  Record record = from.open != nullptr ? from.open->record() : Record{};
  record.depth = depth_below(from.open, record.depth);
  record.begin = to->now();
  record.duration = 0;
  record.kind = kind;
  record.key = said.key;
  if (kind == Kind::kTeam) record.peer = said.peer, record.bytes = said.bytes;
  add_inside(from.open);
  if (from.open == nullptr) record.name = to->number_of("operation");
  to->add(record);
}

void add_event(Kind kind, const void* event) {
  Record said;
  said.key = reinterpret_cast<std::uintptr_t>(event);
  add_instant(kind, said);
}

}  // namespace

void Slice::begin(const char* name, Kind kind) {
  Recorder* const to = recorder();
  if (to == nullptr) return;
  record_.name = to->number_of(name);
  record_.kind = kind;
  record_.begin = to->now();
  Caller& from = caller(*to);
  outer_ = from.open;
  record_.depth = depth_below(outer_, outer_ != nullptr ? outer_->record_.depth : std::uint8_t{0});
  if (kind == Kind::kLook) record_.local = kLooked;
  if (from.is_polling && outer_ == nullptr) {
    if (kind == Kind::kLook && record_.begin - from.polling_until <= to->microsecond()) {
      record_.begin = from.polling_since;
      record_.local |= kIsLoop;
      from.is_polling = false;
    } else {
      end_polling(*to, from);
    }
  }
  from.open = this;
}

void Slice::end() {
  Recorder& to = *recorder();
  Caller& from = caller(to);
  from.open = outer_;
  if (is_kept_) to.forget_open();
  const std::uint64_t now = to.now();
  if (record_.kind == Kind::kLook && !has_found_) {
    if (outer_ != nullptr) return;
    from.is_polling = true;
    from.polling_since = record_.begin;
    from.polling_until = now;
    return;
  }
  if (record_.kind == Kind::kLook) record_.kind = Kind::kWait;
  record_.duration = now - record_.begin;
  // Waits for what is complete already would fill the ring.
  if (record_.kind == Kind::kWait && !has_found_ && record_.duration < to.microsecond()) return;
  add_inside(outer_);
  to.add(record_);
}

void keep_open() {
  Slice* const slice = innermost();
  if (slice == nullptr) return;
  slice->is_kept_ = true;
  recorder()->keep_open(slice->record_);
}

void note_end_of_wait() {
  if (Slice* const slice = innermost(); slice != nullptr) slice->has_found_ = true;
}

void note_implicit(std::uint32_t categories) {
  note_end_of_wait();
  if (Slice* const slice = innermost(); slice != nullptr) {
    slice->record().local |= kImplicit;
    slice->record().detail = categories;
  }
}

void describe(std::uint32_t peer, std::uint64_t bytes) {
  if (Slice* const slice = innermost(); slice != nullptr) {
    slice->record().peer = peer;
    slice->record().bytes = bytes;
  }
}

void describe_message(std::uint32_t peer, std::uint64_t bytes, std::uint64_t key, std::uint8_t handler,
                      unsigned arguments, Local local) {
  if (Slice* const slice = innermost(); slice != nullptr) {
    Record& record = slice->record();
    record.peer = peer;
    record.bytes = bytes;
    record.key = key;
    record.detail = handler;
    record.extra = static_cast<std::uint16_t>(arguments);
    record.local = static_cast<std::uint8_t>(local);
  }
}

void describe_barrier(std::uint32_t team, std::uint64_t number) {
  if (Slice* const slice = innermost(); slice != nullptr) {
    slice->record().kind = Kind::kBarrier;
    slice->record().key = team;
    slice->record().detail = static_cast<std::uint32_t>(number);
  }
}

void describe_collective(std::uint32_t peer, std::uint64_t bytes, std::uint32_t team, std::uint16_t kind) {
  if (Slice* const slice = innermost(); slice != nullptr) {
    slice->record().peer = peer;
    slice->record().bytes = bytes;
    slice->record().key = team;
    slice->record().extra = static_cast<std::uint16_t>(kind + 1);
  }
}

void describe_atomic(std::uint32_t peer, std::uint32_t opcode, std::uint16_t type) {
  if (Slice* const slice = innermost(); slice != nullptr) {
    slice->record().peer = peer;
    slice->record().detail = opcode;
    slice->record().extra = type;
  }
}

void describe_local(Local local) {
  if (Slice* const slice = innermost(); slice != nullptr)
    slice->record().local = static_cast<std::uint8_t>(local);
}

void started(const void* event) {
  if (is_on()) [[unlikely]]
    add_event(Kind::kStarted, event);
}
void completed(const void* event) {
  if (is_on()) [[unlikely]]
    add_event(Kind::kCompleted, event);
}
void released(const void* event) {
  if (is_on()) [[unlikely]]
    add_event(Kind::kReleased, event);
}
void joined_team(std::uint32_t team, std::uint32_t rank, std::uint64_t members) {
  if (!is_on()) [[likely]]
    return;
  Record said;
  said.key = team;
  said.peer = rank;
  said.bytes = members;
  add_instant(Kind::kTeam, said);
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

std::string write_simulated(const std::string& file, bool has_failed) {
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
  return write(file, std::move(parts), has_failed ? 1 : 0).error;
}

}  // namespace aqueduct::trace::timeline
