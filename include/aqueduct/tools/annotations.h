/* Annotations of declarations. Where the compiler does not know one (features.h) it expands to nothing.
 *
 *   GASNETT_INLINE(square) int square(int x) { return x * x; }
 *   GASNETT_NEVER_INLINE(slow, static void slow(int a, int b)) { ... }
 *   GASNETT_FORMAT_PRINTF(say, 1, 2, void say(const char *format, ...));
 *   void leave(void) GASNETT_NORETURN;
 *   case 1: prepare(); GASNETT_FALLTHROUGH   (no semicolon)
 *   case 2: ...
 *
 * The forms that end in P annotate a function by name where a compiler wants a pragma for that; here they
 * expand to nothing, since the attributes do it.
 */
#ifndef AQUEDUCT_TOOLS_ANNOTATIONS_H_
#define AQUEDUCT_TOOLS_ANNOTATIONS_H_

#include "aqueduct/tools/features.h"

#if GASNETT_USE_GCC_ATTRIBUTE_ALWAYSINLINE
#define GASNETT_INLINE(function) static inline __attribute__((__always_inline__, __unused__))
#else
#define GASNETT_INLINE(function) static inline
#endif

#if GASNETT_USE_GCC_ATTRIBUTE_NOINLINE
#define GASNETT_NEVER_INLINE(function, ...) __attribute__((__noinline__)) __VA_ARGS__
#else
#define GASNETT_NEVER_INLINE(function, ...) __VA_ARGS__
#endif

#define GASNETT_RESTRICT GASNETT_USE_RESTRICT

#if GASNETT_USE_GCC_ATTRIBUTE_FORMAT
#define GASNETT_FORMAT_PRINTF(function, format_index, first_index, ...) \
  __attribute__((__format__(__printf__, format_index, first_index))) __VA_ARGS__
#else
#define GASNETT_FORMAT_PRINTF(function, format_index, first_index, ...) __VA_ARGS__
#endif
#if GASNETT_USE_GCC_ATTRIBUTE_FORMAT_FUNCPTR
#define GASNETT_FORMAT_PRINTF_FUNCPTR(function, format_index, first_index, ...) \
  __attribute__((__format__(__printf__, format_index, first_index))) __VA_ARGS__
#else
#define GASNETT_FORMAT_PRINTF_FUNCPTR(function, format_index, first_index, ...) __VA_ARGS__
#endif

#if GASNETT_USE_GCC_ATTRIBUTE_NORETURN
#define GASNETT_NORETURN __attribute__((__noreturn__))
#else
#define GASNETT_NORETURN
#endif
#define GASNETT_NORETURNP(function)

#if GASNETT_USE_GCC_ATTRIBUTE_MALLOC
#define GASNETT_MALLOC __attribute__((__malloc__))
#else
#define GASNETT_MALLOC
#endif
#define GASNETT_MALLOCP(function)

#if GASNETT_USE_GCC_ATTRIBUTE_PURE
#define GASNETT_PURE __attribute__((__pure__))
#else
#define GASNETT_PURE
#endif
#define GASNETT_PUREP(function)

#if GASNETT_USE_GCC_ATTRIBUTE_CONST
#define GASNETT_CONST __attribute__((__const__))
#else
#define GASNETT_CONST
#endif
#define GASNETT_CONSTP(function)

#if GASNETT_USE_GCC_ATTRIBUTE_HOT
#define GASNETT_HOT __attribute__((__hot__))
#else
#define GASNETT_HOT
#endif
#if GASNETT_USE_GCC_ATTRIBUTE_COLD
#define GASNETT_COLD __attribute__((__cold__))
#else
#define GASNETT_COLD
#endif

#if GASNETT_USE_GCC_ATTRIBUTE_DEPRECATED
#define GASNETT_DEPRECATED __attribute__((__deprecated__))
#else
#define GASNETT_DEPRECATED
#endif

#if GASNETT_USE_GCC_ATTRIBUTE_WARNUNUSEDRESULT
#define GASNETT_WARN_UNUSED_RESULT __attribute__((__warn_unused_result__))
#else
#define GASNETT_WARN_UNUSED_RESULT
#endif

#if GASNETT_USE_GCC_ATTRIBUTE_USED
#define GASNETT_USED __attribute__((__used__))
#else
#define GASNETT_USED
#endif

#if GASNETT_USE_CXX11_ATTRIBUTE_FALLTHROUGH
#define GASNETT_FALLTHROUGH [[fallthrough]];
#elif GASNETT_USE_CXX11_ATTRIBUTE_CLANG__FALLTHROUGH
#define GASNETT_FALLTHROUGH [[clang::fallthrough]];
#elif GASNETT_USE_GCC_ATTRIBUTE_FALLTHROUGH
#define GASNETT_FALLTHROUGH __attribute__((__fallthrough__));
#else
#define GASNETT_FALLTHROUGH
#endif

/* C linkage for one declaration, or for all between two lines. */
#ifdef __cplusplus
#define GASNETT_EXTERNC extern "C"
#define GASNETT_BEGIN_EXTERNC extern "C" {
#define GASNETT_END_EXTERNC }
#else
#define GASNETT_EXTERNC extern
#define GASNETT_BEGIN_EXTERNC
#define GASNETT_END_EXTERNC
#endif

#endif
