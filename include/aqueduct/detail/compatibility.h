/* Two names that are no part of the interface, but whose addresses existing programs take to keep compilers
 * quiet about unused functions. They do nothing. */
#ifndef AQUEDUCT_DETAIL_COMPATIBILITY_H_
#define AQUEDUCT_DETAIL_COMPATIBILITY_H_

#include "aqueduct/detail/attributes.h"

AQ_INLINE_ void _gasneti_threadkey_init(void) {}

AQ_INLINE_ __attribute__((__format__(__printf__, 1, 2))) void _gasnett_trace_printf_noop(const char* format,
                                                                                         ...) {
  (void)format;
}

#endif
