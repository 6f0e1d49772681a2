#include "trace/trace.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "aqueduct/tools/environment.h"
#include "base/clock.hpp"
#include "base/env.hpp"
#include "base/fatal.hpp"
#include "base/stdio_flush.hpp"
#include "gasnet_tools/heap_report.hpp"
#include "gasnet_tools/rank_list.hpp"
#include "trace/state.hpp"

extern "C" {
uint32_t aq_trace_watched_ = 0;
}

namespace aqueduct::trace {
namespace {

constexpr std::size_t kLineBytes = 2048;

// Composes a line piece by piece; what does not fit is cut.
class Line {
 public:
  void append(const char* format, va_list arguments) {
    const int length = std::vsnprintf(text_ + used_, kLineBytes - used_, format, arguments);
    if (length > 0) used_ = std::min(used_ + static_cast<std::size_t>(length), kLineBytes - 1);
  }
  void append(const char* format, ...) __attribute__((format(printf, 2, 3))) {
    va_list arguments;
    va_start(arguments, format);
    append(format, arguments);
    va_end(arguments);
  }
  const char* text() const { return text_; }
  std::size_t length() const { return used_; }

 private:
  std::size_t used_ = 0;
  char text_[kLineBytes];
};

pid_t thread_number() {
  static thread_local const pid_t number = gettid();
  return number;
}

// "3(4711) 0.001234s> [hello.c:12] (P) "
void append_heading(Line& line, const Stream& stream, Category category) {
  const std::uint64_t elapsed_ns = machine_clock().now_ns() - state().start_ns;
  line.append("%u(%d) %.6fs> ", state().rank, static_cast<int>(thread_number()),
              static_cast<double>(elapsed_ns) / 1e9);
  if (stream.takes(Category::kSourceLine)) {
    if (const SourceLine& said = source_line(); said.file != nullptr) {
      line.append("[%s:%u] ", said.file, said.line);
    } else if (const CallSite& site = current_call_site(); site.file != nullptr) {
      line.append("[%s:%d] ", site.file, site.line);
    }
  }
  line.append("(%c) ", static_cast<char>(category));
}

Mask mask_from_environment(const char* variable) {
  const char* text = gasnett_getenv_withdefault(variable, kLetters);
  const std::optional<Mask> mask = parse_mask(text);
  if (!mask)
    fatal("environment", "%s='%s' is not a list of letters of %s, perhaps after a ^", variable, text,
          kLetters);
  return *mask;
}

/// Opens the file that a variable names, if it does and this rank is among those that write one.
void open_journal(Journal& journal, const char* file, const char* nodes, bool every_line) {
  const char* name = gasnett_getenv_withdefault(file, nullptr);
  if (name == nullptr || *name == '\0') return;
  if (!gasnet_tools::rank_is_listed(nodes, state().rank)) return;
  journal.open(file, name, state().rank, every_line);
}

void open_stream(Stream& stream, const char* file, const char* nodes, const char* mask,
                 bool every_line = false) {
  open_journal(stream.journal, file, nodes, every_line);
  if (stream.journal.is_open()) set_mask(stream, mask_from_environment(mask));
}

void write_heap_report() {
  if (!state().heap_report.is_open()) return;
  gasnet_tools::report_heap(
      true,
      [](void*, const char* text) {
        Line line;
        line.append("%u> %s", state().rank, text);
        state().heap_report.write(line.text(), line.length());
      },
      nullptr);
  state().heap_report.flush();
}

}  // namespace

State& state() {
  static State& the_one = *new State;
  return the_one;
}

SourceLine& source_line() {
  static thread_local SourceLine line;
  return line;
}

void set_mask(Stream& stream, Mask mask) {
  if (!stream.journal.is_open()) return;
  stream.mask.store(mask, std::memory_order_relaxed);
  format_mask(mask, stream.mask_text);
  __atomic_store_n(&aq_trace_watched_,
                   state().trace.mask.load() | state().counts.mask.load() | timeline::watched_bits(),
                   __ATOMIC_RELAXED);
}

void write_line(Stream& stream, Category category, const char* name, const char* format, va_list arguments) {
  Line line;
  append_heading(line, stream, category);
  if (name != nullptr) line.append("%s: ", name);
  line.append(format, arguments);
  stream.journal.write(line.text(), line.length());
}

void note(Category category, const char* name, std::uint64_t amount, const char* format, ...) {
  State& all = state();
  if (all.counts.takes(category)) all.statistics.count(category, name, amount);
  if (!all.trace.takes(category)) return;
  va_list arguments;
  va_start(arguments, format);
  write_line(all.trace, category, name, format, arguments);
  va_end(arguments);
}

void note_transfer(Category direction, const char* name, std::uint32_t target, const void* to,
                   const void* from, std::size_t bytes) {
  State& all = state();
  timeline::describe(target, bytes);
  const bool is_put = direction == Category::kPut;
  if (target == all.rank && !all.traces_local.load(std::memory_order_relaxed)) {
    if (all.counts.takes(direction)) all.statistics.count(direction, name, bytes);
    return;
  }
  note(direction, name, bytes, "%s rank %u, %zu bytes, %p %s %p", is_put ? "to" : "from", target, bytes,
       is_put ? to : from, is_put ? "from" : "to", is_put ? from : to);
  if (is_put) detail(name, from, bytes);
}

std::uint64_t Timed::now_ns() { return machine_clock().now_ns(); }

void Timed::note_end() const {
  const std::uint64_t elapsed_ns = now_ns() - start_ns_;
  note(category_, name_, elapsed_ns, "took %.3f us", static_cast<double>(elapsed_ns) / 1e3);
}

void detail(const char* what, const void* data, std::size_t bytes) {
  Stream& trace = state().trace;
  if (!trace.takes(Category::kDetail) || bytes == 0) return;
  constexpr std::size_t kMost = 64;
  Line line;
  append_heading(line, trace, Category::kDetail);
  line.append("%s:", what);
  for (std::size_t i = 0; i < std::min(bytes, kMost); ++i)
    line.append("%s%02x", i % 8 == 0 ? " " : "", static_cast<const unsigned char*>(data)[i]);
  if (bytes > kMost) line.append(" ... (%zu bytes)", bytes);
  trace.journal.write(line.text(), line.length());
}

bool is_watching() {
  return state().trace.journal.is_open() || state().counts.journal.is_open() || timeline::is_on();
}

void open(std::uint32_t rank) {
  State& all = state();
  all.rank = rank;
  open_stream(all.trace, "GASNET_TRACEFILE", "GASNET_TRACENODES", "GASNET_TRACEMASK",
              gasnett_getenv_yesno_withdefault("GASNET_TRACEFLUSH", 0) != 0);
  open_stream(all.counts, "GASNET_STATSFILE", "GASNET_STATSNODES", "GASNET_STATSMASK");
  open_journal(all.heap_report, "GASNET_MALLOCFILE", "GASNET_MALLOCNODES", false);
  if (is_watching())
    all.traces_local = gasnett_getenv_yesno_withdefault("GASNET_TRACELOCAL", 1) != 0;
  else if (!all.heap_report.is_open())
    return;
  set_last_words(finish);
  std::atexit(finish);
}

void start_clock() { state().start_ns = machine_clock().now_ns(); }

void write_statistics(bool reset) {
  State& all = state();
  if (!all.counts.journal.is_open()) return;
  const auto print = [&](const char* line) {
    Line whole;
    whole.append("%u> %s", all.rank, line);
    all.counts.journal.write(whole.text(), whole.length());
  };
  Line heading;
  heading.append("(I) statistics after %.6f s, of categories %s",
                 static_cast<double>(machine_clock().now_ns() - all.start_ns) / 1e9, all.counts.mask_text);
  print(heading.text());
  all.statistics.report(all.counts.mask.load(), reset, print);
}

void finish() {
  static std::atomic<bool> is_finished{false};
  if (is_finished.exchange(true)) return;
  if (gasnett_stats_callback != nullptr && state().counts.journal.is_open())
    gasnett_stats_callback(aq_stats_printf_force_);
  write_statistics(false);
  state().trace.journal.flush();
  state().counts.journal.flush();
  write_heap_report();
}

}  // namespace aqueduct::trace
