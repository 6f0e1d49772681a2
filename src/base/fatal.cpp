#include "base/fatal.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/context.hpp"
#include "base/stdio_flush.hpp"

namespace aqueduct {
namespace {

constexpr std::size_t kLineBytes = 4000;

/// Writes the line and its newline at once, so that lines of several processes do not mix.
void write_line(const char* line) {
  char text[kLineBytes + 1];
  std::size_t length = strnlen(line, kLineBytes);
  std::memcpy(text, line, length);
  text[length++] = '\n';
  const char* rest = text;
  while (length > 0) {
    const ssize_t written = write(STDERR_FILENO, rest, length);
    if (written <= 0) return;
    rest += written;
    length -= static_cast<std::size_t>(written);
  }
}

void end_process(const char* line) {
  write_line(line);
  flush_stdio_or_exit(1);
  _exit(1);
}

std::atomic<FailureSink> failure_sink{end_process};
std::atomic<FailureWitness> failure_witness{nullptr};
std::atomic<int> rank_in_messages{-1};
std::atomic<pid_t> thread_that_fails{0};
std::atomic<int> peer_of_failure{-1};

/// "*** KIND (proc 3): in where() at file:7: text". Cuts what does not fit, which only text from the client
/// can cause.
void compose(char (&line)[kLineBytes], const char* kind, const char* where, const char* format,
             va_list arguments) {
  std::size_t used = 0;
  const auto append = [&](const char* piece, auto... values) {
    const int length = std::snprintf(line + used, kLineBytes - used, piece, values...);
    if (length > 0) used = std::min(used + static_cast<std::size_t>(length), kLineBytes - 1);
  };
  append("*** %s", kind);
  if (const int rank = reporting_rank(); rank >= 0) append(" (proc %d)", rank);
  append(": in %s()", where);
  if (const CallSite& site = current_call_site(); site.file != nullptr)
    append(" at %s:%d", site.file, site.line);
  append("%s", ": ");
  std::vsnprintf(line + used, kLineBytes - used, format, arguments);
}

[[noreturn]] void end_job(int peer, const char* where, const char* format, va_list arguments) {
  // The first thread to fail speaks for the process. A failure while failing ends the process on the spot.
  pid_t nobody = 0;
  if (!thread_that_fails.compare_exchange_strong(nobody, gettid())) {
    if (nobody == gettid()) _exit(1);
    for (;;) pause();
  }
  peer_of_failure.store(peer, std::memory_order_relaxed);
  char line[kLineBytes];
  compose(line, "FATAL ERROR", where, format, arguments);
  if (const FailureWitness witness = failure_witness.load()) witness(line);
  failure_sink.load()(line);
  _exit(1);
}

}  // namespace

void set_failure_sink(FailureSink sink) { failure_sink.store(sink != nullptr ? sink : end_process); }

void set_failure_witness(FailureWitness witness) { failure_witness.store(witness); }

CallSite& current_call_site() { return current_context.call_site; }

void set_reporting_rank(int rank) { rank_in_messages.store(rank, std::memory_order_relaxed); }
int reporting_rank() {
  if (current_context.reporting_rank >= 0) return current_context.reporting_rank;
  return rank_in_messages.load(std::memory_order_relaxed);
}

int failed_about() { return peer_of_failure.load(std::memory_order_relaxed); }

void fatal(const char* where, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  end_job(-1, where, format, arguments);
}

void fatal_about(unsigned peer, const char* where, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  end_job(static_cast<int>(peer), where, format, arguments);
}

void warn(const char* where, const char* format, ...) {
  // Read as everywhere else (base/env.hpp), except that a malformed value is no reason to fail while warning.
  const char* quiet = std::getenv("GASNET_QUIET");
  if (quiet != nullptr && std::strchr("1yY", quiet[0]) != nullptr && quiet[0] != '\0') return;
  char line[kLineBytes];
  va_list arguments;
  va_start(arguments, format);
  compose(line, "WARNING", where, format, arguments);
  va_end(arguments);
  write_line(line);
}

}  // namespace aqueduct
