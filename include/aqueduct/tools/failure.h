/* The end of a process that cannot go on.
 *
 *   gasnett_fatalerror("no room for %d", n);         with the function, file and line of this call
 *   gasnett_fatalerror_nopos("no room for %d", n);   without
 *
 * Writes one line to stderr, "*** FATAL ERROR (proc 3): in main() at a.c:7: no room for 5", then waits for a
 * debugger if GASNET_FREEZE_ON_ERROR=1, writes a backtrace if GASNET_BACKTRACE=1, flushes stdio and calls
 * abort(). Any thread; a second thread that fails waits for the end.
 */
#ifndef AQUEDUCT_TOOLS_FAILURE_H_
#define AQUEDUCT_TOOLS_FAILURE_H_

#include <stddef.h>

#include "aqueduct/detail/attributes.h"

#define AQ_PRINTF_(format_index, first_index) \
  __attribute__((__format__(__printf__, format_index, first_index)))

AQ_BEGIN_C_

AQ_API_ void aq_fatal_error_(const char* function, const char* file, int line, const char* format,
                             ...) AQ_NORETURN_ AQ_PRINTF_(4, 5);
AQ_API_ void gasnett_fatalerror_nopos(const char* format, ...) AQ_NORETURN_ AQ_PRINTF_(1, 2);

/* Text like "main() at a.c:7", newly allocated. */
AQ_API_ char* aq_location_(const char* function, const char* file, int line);

/* Ends this process with all its threads at once; runs no atexit function and flushes nothing. */
AQ_API_ void gasnett_killmyprocess(int code) AQ_NORETURN_;

AQ_END_C_

#define gasnett_fatalerror(...) aq_fatal_error_(__func__, __FILE__, __LINE__, __VA_ARGS__)

/* Where this stands, as text that the caller may free(). */
#define gasnett_current_loc (aq_location_(__func__, __FILE__, __LINE__))

#endif
