/* Settings from the environment, and numbers with units.
 *
 * A variable that is not set, or set to nothing, yields the default. One that is malformed is fatal, with its
 * name, its value and what is accepted. With GASNET_VERBOSEENV=1 the first use of each variable is reported
 * on stderr, by rank 0 of a job. Any thread, at any time, while nobody changes the environment.
 */
#ifndef AQUEDUCT_TOOLS_ENVIRONMENT_H_
#define AQUEDUCT_TOOLS_ENVIRONMENT_H_

#include <stddef.h>
#include <stdint.h>

#include "aqueduct/detail/attributes.h"

AQ_BEGIN_C_

/* The value, or NULL. Not reported. The launcher has given all ranks of a job the same environment. */
AQ_API_ char* gasnett_getenv(const char* name);

/* Changes a variable in this process only. */
AQ_API_ void gasnett_setenv(const char* name, const char* value);
AQ_API_ void gasnett_unsetenv(const char* name);

/* Text; yes (1, y, yes) or no (0, n, no); a number as gasnett_parse_int reads it; a floating-point number or
 * a fraction (1.5, -1e4, 3/8). */
AQ_API_ char* gasnett_getenv_withdefault(const char* name, const char* fallback);
AQ_API_ int gasnett_getenv_yesno_withdefault(const char* name, int fallback);
AQ_API_ int64_t gasnett_getenv_int_withdefault(const char* name, int64_t fallback, uint64_t unit_bytes);
AQ_API_ double gasnett_getenv_dbl_withdefault(const char* name, double fallback);

/* Whether this process reports, and reports of settings that the client found out by other means;
 * `is_default` and `is_bytes` are truth values. */
AQ_API_ int gasnett_verboseenv(void);
AQ_API_ void gasnett_envstr_display(const char* name, const char* value, int is_default);
AQ_API_ void gasnett_envint_display(const char* name, int64_t value, int is_default, int is_bytes);
AQ_API_ void gasnett_envdbl_display(const char* name, double value, int is_default);

/* A number for people: with is_bytes, in the largest of B, KB, MB, GB and TB that loses nothing ("1536 MB").
 * Returns buf. */
AQ_API_ char* gasnett_format_number(int64_t value, char* buf, size_t bufsz, int is_bytes);

/* The number that the text starts with; 0 if it starts with none, the nearest one if it is too large.
 * unit_bytes 0: a whole number, decimal or hexadecimal (0x...). Otherwise a size, perhaps with a fraction, in
 * B, KB, MB, GB or TB (or K, M, G, T), or in units of unit_bytes if it names none. */
AQ_API_ int64_t gasnett_parse_int(const char* text, uint64_t unit_bytes);

AQ_END_C_

#endif
