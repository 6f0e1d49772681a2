// The client's own messages and settings (aqueduct/tools/trace.h).
#include <cstdarg>

#include "aqueduct/tools/trace.h"
#include "base/fatal.hpp"
#include "trace/state.hpp"

using namespace aqueduct;
using namespace aqueduct::trace;

namespace {

void change_mask(const char* where, Stream& stream, const char* text) {
  if (!stream.journal.is_open() || text == nullptr) return;
  const std::optional<Mask> mask = parse_mask(text);
  if (!mask) fatal(where, "'%s' is not a list of letters of %s, perhaps after a ^", text, kLetters);
  set_mask(stream, *mask);
}

}  // namespace

#define AQUEDUCT_WRITE_LINE(stream, category)               \
  if (!(stream).takes(category)) return;                    \
  va_list arguments;                                        \
  va_start(arguments, format);                              \
  write_line(stream, category, nullptr, format, arguments); \
  va_end(arguments)

extern "C" {

void (*gasnett_stats_callback)(void (*print)(const char* format, ...)) = nullptr;

int aq_trace_enabled_(void) { return state().trace.takes(Category::kClient); }

void aq_trace_printf_(const char* format, ...) { AQUEDUCT_WRITE_LINE(state().trace, Category::kClient); }
void aq_trace_printf_force_(const char* format, ...) {
  AQUEDUCT_WRITE_LINE(state().trace, Category::kAlways);
}
void aq_stats_printf_(const char* format, ...) { AQUEDUCT_WRITE_LINE(state().counts, Category::kClient); }
void aq_stats_printf_force_(const char* format, ...) {
  AQUEDUCT_WRITE_LINE(state().counts, Category::kAlways);
}

const char* aq_trace_mask_(void) { return state().trace.mask_text; }
const char* aq_stats_mask_(void) { return state().counts.mask_text; }
void aq_set_trace_mask_(const char* mask) { change_mask("GASNETT_TRACE_SETMASK", state().trace, mask); }
void aq_set_stats_mask_(const char* mask) { change_mask("GASNETT_STATS_SETMASK", state().counts, mask); }

int aq_traces_local_(void) { return state().traces_local.load(); }
void aq_set_traces_local_(int value) { state().traces_local = value != 0; }

void aq_set_source_line_(const char* file, unsigned int line) {
  SourceLine& here = source_line();
  if (here.is_frozen) return;
  here.file = file;
  here.line = line;
}
void aq_get_source_line_(const char** file_p, unsigned int* line_p) {
  if (file_p) *file_p = source_line().file;
  if (line_p) *line_p = source_line().line;
}
void aq_freeze_source_line_(int is_frozen) { source_line().is_frozen = is_frozen != 0; }

void aq_stats_dump_(int reset) { write_statistics(reset != 0); }
}
