/* A client's messages to the trace and statistics files.
 *
 * This library writes neither, so that nothing here does anything; but every call is checked as if it did,
 * and costs nothing. Arguments of messages are not evaluated.
 *
 *   GASNETT_TRACE_PRINTF(format, ...), GASNETT_TRACE_PRINTF_FORCE     a line, if category H is on / in any
 * case GASNETT_STATS_PRINTF(format, ...), GASNETT_STATS_PRINTF_FORCE GASNETT_TRACE_ENABLED whether category H
 * is on: 0 GASNETT_TRACE_GETMASK(), _SETMASK(text), GASNETT_STATS_GETMASK(), _SETMASK(text)     the
 * categories: "" GASNETT_TRACE_GET_TRACELOCAL(), _SET_TRACELOCAL(value)            whether local accesses are
 * traced: 0 GASNETT_TRACE_SETSOURCELINE(file, line), _GETSOURCELINE(&file, &line)     where the client is in
 * its source; GASNETT_TRACE_FREEZESOURCELINE(), _UNFREEZESOURCELINE()                   ignore SETSOURCELINE
 * in between GASNETT_STATS_DUMP(reset)                      statistics now GASNETT_STATS_INIT(function) the
 * client's own statistics, to be asked for at the end
 */
#ifndef AQUEDUCT_TOOLS_TRACE_H_
#define AQUEDUCT_TOOLS_TRACE_H_

#include <stddef.h>

#include "aqueduct/attributes.h"
#include "aqueduct/compatibility.h"

/* Writes statistics of the client, by calling its argument as printf. */
typedef void (*gasnett_stats_callback_t)(void (*print)(const char* format, ...));

AQ_BEGIN_C_

AQ_API_DATA_ void (*gasnett_stats_callback)(void (*print)(const char* format, ...));

AQ_END_C_

/* Checked, never called. */
#define AQ_NO_PRINTF_(...) (1 ? (void)0 : _gasnett_trace_printf_noop(__VA_ARGS__))

AQ_INLINE_ void aq_no_text_(const char* text) { (void)text; }
AQ_INLINE_ void aq_no_number_(int number) { (void)number; }
AQ_INLINE_ void aq_no_source_line_(const char* file, unsigned int line) {
  (void)file;
  (void)line;
}
AQ_INLINE_ void aq_get_no_source_line_(const char** file, unsigned int* line) {
  if (file) *file = NULL;
  if (line) *line = 0;
}

#define GASNETT_TRACE_ENABLED 0
#define GASNETT_TRACE_PRINTF(...) AQ_NO_PRINTF_(__VA_ARGS__)
#define GASNETT_TRACE_PRINTF_FORCE(...) AQ_NO_PRINTF_(__VA_ARGS__)
#define GASNETT_TRACE_GETMASK() ""
#define GASNETT_TRACE_SETMASK(mask) aq_no_text_(mask)
#define GASNETT_TRACE_GET_TRACELOCAL() 0
#define GASNETT_TRACE_SET_TRACELOCAL(value) aq_no_number_(value)
#define GASNETT_TRACE_SETSOURCELINE(file, line) aq_no_source_line_((file), (line))
#define GASNETT_TRACE_GETSOURCELINE(file_p, line_p) aq_get_no_source_line_((file_p), (line_p))
#define GASNETT_TRACE_FREEZESOURCELINE() ((void)0)
#define GASNETT_TRACE_UNFREEZESOURCELINE() ((void)0)

#define GASNETT_STATS_INIT(function) ((void)(gasnett_stats_callback = (function)))
#define GASNETT_STATS_PRINTF(...) AQ_NO_PRINTF_(__VA_ARGS__)
#define GASNETT_STATS_PRINTF_FORCE(...) AQ_NO_PRINTF_(__VA_ARGS__)
#define GASNETT_STATS_GETMASK() ""
#define GASNETT_STATS_SETMASK(mask) aq_no_text_(mask)
#define GASNETT_STATS_DUMP(reset) aq_no_number_(reset)

#endif
