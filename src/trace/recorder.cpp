#include "trace/recorder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <new>

namespace aqueduct::trace::timeline {
namespace {

constexpr std::uint64_t kBetweenAnchors = 4096;

std::atomic<std::uint32_t> threads{0};

/// Small numbers, in the order in which threads come along; the last one stands for all further ones.
std::uint8_t this_thread() {
  static thread_local const std::uint32_t number = threads.fetch_add(1);
  return static_cast<std::uint8_t>(number < 255 ? number : 255);
}

/// Of this boot of this machine: so long its clock is one.
std::uint64_t host_identity() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  return std::hash<std::string>()(text);
}

}  // namespace

std::string part_name(const std::string& file, std::uint32_t rank) {
  return file + "." + std::to_string(rank) + ".part";
}

Recorder::Recorder(void* memory, std::uint64_t capacity, std::uint32_t rank, std::uint32_t ranks,
                   Clock& clock, bool may_count_cycles)
    : header_(new (memory) PartHeader),
      records_(reinterpret_cast<Record*>(header_ + 1)),
      clock_(clock),
      counts_cycles_(may_count_cycles && gasnet_tools::cycles_are_steady()) {
  header_->rank = rank;
  header_->ranks = ranks;
  header_->capacity = capacity;
  header_->host = host_identity();
  gethostname(header_->host_name, sizeof header_->host_name - 1);
  drop_anchor();
  header_->first = header_->last;
  if (counts_cycles_) measure_microsecond();
  std::memcpy(header_->magic, kPartMagic, sizeof kPartMagic);
}

void Recorder::measure_microsecond() {
  constexpr std::uint64_t kLongEnoughNs = 20'000;
  const Anchor first = header_->first;
  do drop_anchor();
  while (header_->last.ns - first.ns < kLongEnoughNs);
  microsecond_ = (header_->last.time - first.time) * 1000 / (header_->last.ns - first.ns);
}

void Recorder::drop_anchor() {
  if (!counts_cycles_) {
    const std::uint64_t ns = clock_.now_ns();
    header_->last = {ns, ns};
    return;
  }
  // The reading that was disturbed least.
  Anchor best;
  std::uint64_t least = ~std::uint64_t{0};
  for (int sample = 0; sample < 4; ++sample) {
    const std::uint64_t before = gasnet_tools::read_cycles();
    const std::uint64_t ns = clock_.now_ns();
    const std::uint64_t took = gasnet_tools::read_cycles() - before;
    if (took < least) best = {before + took / 2, ns};
    least = std::min(least, took);
  }
  header_->last = best;
}

std::uint16_t Recorder::number_of(const char* name) {
  const std::size_t first = std::hash<const char*>()(name) % kNames;
  for (std::size_t i = 0; i < kNames; ++i) {
    const std::size_t at = (first + i) % kNames;
    const char* there = names_[at].load(std::memory_order_acquire);
    if (there == name) return static_cast<std::uint16_t>(at);
    if (there != nullptr) continue;
    if (names_[at].compare_exchange_strong(there, name)) {
      std::strncpy(header_->names[at], name, kNameBytes - 1);
      return static_cast<std::uint16_t>(at);
    }
    if (there == name) return static_cast<std::uint16_t>(at);
  }
  return static_cast<std::uint16_t>(first);  // more names than anybody registers: one stands for another
}

namespace {

/// The kind last: who looks when the writer has been killed sees a whole record or none.
void store(Record& place, Record record) {
  const Kind kind = record.kind;
  record.kind = Kind::kNone;
  place = record;
  __atomic_store_n(reinterpret_cast<std::uint8_t*>(&place.kind), static_cast<std::uint8_t>(kind),
                   __ATOMIC_RELEASE);
}

}  // namespace

void Recorder::keep_open(Record record) {
  if (this_thread() >= kOpenSlices) return;
  record.thread = this_thread();
  store(header_->open[record.thread], record);
  drop_anchor();
}

void Recorder::forget_open() {
  if (this_thread() < kOpenSlices) header_->open[this_thread()].kind = Kind::kNone;
}

void Recorder::add(const char* name, Record record) {
  record.name = number_of(name);
  add(record);
}

void Recorder::add(Record record) {
  record.thread = this_thread();
  const std::uint64_t number = header_->written.fetch_add(1, std::memory_order_relaxed);
  if (number % kBetweenAnchors == kBetweenAnchors - 1) drop_anchor();
  store(records_[number % header_->capacity], record);
}

}  // namespace aqueduct::trace::timeline
