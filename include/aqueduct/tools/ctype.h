/* The functions of <ctype.h> for arguments of type char: gasnett_isalpha(c) and so on. With
 * -DGASNETT_USE_CTYPE_WRAPPERS=1 only, and in C the usual names then mean these. */
#ifndef AQUEDUCT_TOOLS_CTYPE_H_
#define AQUEDUCT_TOOLS_CTYPE_H_

#include "aqueduct/tools/features.h"

#if GASNETT_USE_CTYPE_WRAPPERS

#include <ctype.h>

#include "aqueduct/detail/attributes.h"

AQ_INLINE_ int gasnett_isalnum(int c) { return isalnum((unsigned char)c); }
AQ_INLINE_ int gasnett_isalpha(int c) { return isalpha((unsigned char)c); }
AQ_INLINE_ int gasnett_isblank(int c) { return c == ' ' || c == '\t'; }
AQ_INLINE_ int gasnett_iscntrl(int c) { return iscntrl((unsigned char)c); }
AQ_INLINE_ int gasnett_isdigit(int c) { return isdigit((unsigned char)c); }
AQ_INLINE_ int gasnett_isgraph(int c) { return isgraph((unsigned char)c); }
AQ_INLINE_ int gasnett_islower(int c) { return islower((unsigned char)c); }
AQ_INLINE_ int gasnett_isprint(int c) { return isprint((unsigned char)c); }
AQ_INLINE_ int gasnett_ispunct(int c) { return ispunct((unsigned char)c); }
AQ_INLINE_ int gasnett_isspace(int c) { return isspace((unsigned char)c); }
AQ_INLINE_ int gasnett_isupper(int c) { return isupper((unsigned char)c); }
AQ_INLINE_ int gasnett_isxdigit(int c) { return isxdigit((unsigned char)c); }
AQ_INLINE_ int gasnett_tolower(int c) { return tolower((unsigned char)c); }
AQ_INLINE_ int gasnett_toupper(int c) { return toupper((unsigned char)c); }
AQ_INLINE_ int gasnett_isascii(int c) { return (c & ~0x7f) == 0; }
AQ_INLINE_ int gasnett_toascii(int c) { return c & 0x7f; }

#ifndef __cplusplus
#undef isalnum
#define isalnum(c) gasnett_isalnum(c)
#undef isalpha
#define isalpha(c) gasnett_isalpha(c)
#undef isblank
#define isblank(c) gasnett_isblank(c)
#undef iscntrl
#define iscntrl(c) gasnett_iscntrl(c)
#undef isdigit
#define isdigit(c) gasnett_isdigit(c)
#undef isgraph
#define isgraph(c) gasnett_isgraph(c)
#undef islower
#define islower(c) gasnett_islower(c)
#undef isprint
#define isprint(c) gasnett_isprint(c)
#undef ispunct
#define ispunct(c) gasnett_ispunct(c)
#undef isspace
#define isspace(c) gasnett_isspace(c)
#undef isupper
#define isupper(c) gasnett_isupper(c)
#undef isxdigit
#define isxdigit(c) gasnett_isxdigit(c)
#undef tolower
#define tolower(c) gasnett_tolower(c)
#undef toupper
#define toupper(c) gasnett_toupper(c)
#undef isascii
#define isascii(c) gasnett_isascii(c)
#undef toascii
#define toascii(c) gasnett_toascii(c)
#endif

#endif
#endif
