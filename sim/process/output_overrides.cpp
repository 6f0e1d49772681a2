// Output that does not go through the C library's streams.
#include <printf.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdarg>

#include "sim/process/groups.hpp"
#include "sim/process/process.hpp"

namespace aqueduct::sim::process {
namespace {

bool is_output(int descriptor) { return descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO; }

ssize_t write_bytes(int descriptor, const void* bytes, std::size_t count) {
  if (!is_output(descriptor)) return ::write(descriptor, bytes, count);
  Process::current().streams().write(descriptor, {static_cast<const char*>(bytes), count});
  return static_cast<ssize_t>(count);
}

ssize_t write_parts(int descriptor, const iovec* parts, int count) {
  if (!is_output(descriptor)) return ::writev(descriptor, parts, count);
  ssize_t written = 0;
  for (int i = 0; i < count; ++i) written += write_bytes(descriptor, parts[i].iov_base, parts[i].iov_len);
  return written;
}

// Conversions of printf that a library brings along, as libquadmath does: the C library would call them for
// all ranks, and after the rank has gone. The library is told that there is no room for them.
int refuse_modifier(const wchar_t*) { return -1; }
int refuse_type(void (*)(void*, va_list*)) { return -1; }
int refuse_specifier(int, printf_function*, printf_arginfo_size_function*) { return -1; }

}  // namespace

OverrideGroup output_overrides() {
  static const Override table[] = {replaces("write", write_bytes), replaces("writev", write_parts),
                                   replaces("register_printf_modifier", refuse_modifier),
                                   replaces("register_printf_type", refuse_type),
                                   replaces("register_printf_specifier", refuse_specifier)};
  return table;
}

}  // namespace aqueduct::sim::process
