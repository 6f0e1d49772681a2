/* A client's messages to the trace and statistics files, which GASNET_TRACEFILE and GASNET_STATSFILE name.
 *
 *   GASNETT_TRACE_PRINTF(format, ...)          a line, if category H is on
 *   GASNETT_TRACE_PRINTF_FORCE(format, ...)    a line in any case
 *   GASNETT_STATS_PRINTF, _PRINTF_FORCE        the same for the statistics
 *   GASNETT_TRACE_ENABLED                      whether category H is traced
 *   GASNETT_TRACE_GETMASK(), _SETMASK(text)    the categories, also GASNETT_STATS_*
 *   GASNETT_TRACE_GET_TRACELOCAL(),            whether accesses to the own memory are traced
 *   GASNETT_TRACE_SET_TRACELOCAL(value)
 *   GASNETT_TRACE_SETSOURCELINE(file, line),   where this thread is in its source
 *   GASNETT_TRACE_GETSOURCELINE(&file, &line)
 *   GASNETT_TRACE_FREEZESOURCELINE(),          ignore SETSOURCELINE in between
 *   GASNETT_TRACE_UNFREEZESOURCELINE()
 *   GASNETT_STATS_DUMP(reset)                  statistics now, and then from 0 again
 *   GASNETT_STATS_INIT(function)               the client's own, to be asked for at the end
 *
 * Any thread, also in handlers. Where neither file is written, messages cost a load and a branch, their
 * arguments are not evaluated, and masks are empty. The text of a source file's name must stay valid.
 */
#ifndef AQUEDUCT_TOOLS_TRACE_H_
#define AQUEDUCT_TOOLS_TRACE_H_

#include <stddef.h>
#include <stdint.h>

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/compatibility.h"
#include "aqueduct/detail/watched.h"
#include "aqueduct/tools/failure.h"

/* Writes statistics of the client, by calling its argument as printf. */
typedef void (*gasnett_stats_callback_t)(void (*print)(const char* format, ...));

AQ_BEGIN_C_

AQ_API_DATA_ void (*gasnett_stats_callback)(void (*print)(const char* format, ...));

AQ_API_ int aq_trace_enabled_(void);
AQ_API_ void aq_trace_printf_(const char* format, ...) AQ_PRINTF_(1, 2);
AQ_API_ void aq_trace_printf_force_(const char* format, ...) AQ_PRINTF_(1, 2);
AQ_API_ void aq_stats_printf_(const char* format, ...) AQ_PRINTF_(1, 2);
AQ_API_ void aq_stats_printf_force_(const char* format, ...) AQ_PRINTF_(1, 2);
AQ_API_ const char* aq_trace_mask_(void);
AQ_API_ const char* aq_stats_mask_(void);
AQ_API_ void aq_set_trace_mask_(const char* mask);
AQ_API_ void aq_set_stats_mask_(const char* mask);
AQ_API_ int aq_traces_local_(void);
AQ_API_ void aq_set_traces_local_(int value);
AQ_API_ void aq_set_source_line_(const char* file, unsigned int line);
AQ_API_ void aq_get_source_line_(const char** file_p, unsigned int* line_p);
AQ_API_ void aq_freeze_source_line_(int is_frozen);
AQ_API_ void aq_stats_dump_(int reset);

AQ_END_C_

/* clang-format off */

/* A message to a file that may not be there. */
#define AQ_IF_WATCHED_(call) (AQ_IS_WATCHED_ ? (call) : (void)0)

#define GASNETT_TRACE_ENABLED (AQ_IS_WATCHED_ && aq_trace_enabled_())
#define GASNETT_TRACE_PRINTF(...) AQ_IF_WATCHED_(aq_trace_printf_(__VA_ARGS__))
#define GASNETT_TRACE_PRINTF_FORCE(...) AQ_IF_WATCHED_(aq_trace_printf_force_(__VA_ARGS__))
#define GASNETT_TRACE_GETMASK() aq_trace_mask_()
#define GASNETT_TRACE_SETMASK(mask) aq_set_trace_mask_(mask)
#define GASNETT_TRACE_GET_TRACELOCAL() aq_traces_local_()
#define GASNETT_TRACE_SET_TRACELOCAL(value) aq_set_traces_local_(value)
#define GASNETT_TRACE_SETSOURCELINE(file, line) AQ_IF_WATCHED_(aq_set_source_line_((file), (line)))
#define GASNETT_TRACE_GETSOURCELINE(file_p, line_p) aq_get_source_line_((file_p), (line_p))
#define GASNETT_TRACE_FREEZESOURCELINE() AQ_IF_WATCHED_(aq_freeze_source_line_(1))
#define GASNETT_TRACE_UNFREEZESOURCELINE() AQ_IF_WATCHED_(aq_freeze_source_line_(0))

#define GASNETT_STATS_INIT(function) ((void)(gasnett_stats_callback = (function)))
#define GASNETT_STATS_PRINTF(...) AQ_IF_WATCHED_(aq_stats_printf_(__VA_ARGS__))
#define GASNETT_STATS_PRINTF_FORCE(...) AQ_IF_WATCHED_(aq_stats_printf_force_(__VA_ARGS__))
#define GASNETT_STATS_GETMASK() aq_stats_mask_()
#define GASNETT_STATS_SETMASK(mask) aq_set_stats_mask_(mask)
#define GASNETT_STATS_DUMP(reset) AQ_IF_WATCHED_(aq_stats_dump_(reset))

/* clang-format on */

#endif
