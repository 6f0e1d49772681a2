/* Hints inside functions: which way a branch goes, what is always true, what is not used. */
#ifndef AQUEDUCT_TOOLS_HINTS_H_
#define AQUEDUCT_TOOLS_HINTS_H_

#include "aqueduct/tools/features.h"
#include "gasnet_config.h"

/* The truth of an expression, which is expected to hold / not to hold. */
#if GASNETT_USE_BUILTIN_EXPECT
#define GASNETT_PREDICT_TRUE(expression) __builtin_expect(!!(expression), 1)
#define GASNETT_PREDICT_FALSE(expression) __builtin_expect(!!(expression), 0)
#else
#define GASNETT_PREDICT_TRUE(expression) (expression)
#define GASNETT_PREDICT_FALSE(expression) (expression)
#endif
#ifndef if_pt
#define if_pt(condition) if (GASNETT_PREDICT_TRUE(condition))
#endif
#ifndef if_pf
#define if_pf(condition) if (GASNETT_PREDICT_FALSE(condition))
#endif

/* Non-zero if the compiler knows the value. */
#if GASNETT_USE_BUILTIN_CONSTANT_P
#define gasnett_constant_p(expression) __builtin_constant_p(expression)
#else
#define gasnett_constant_p(expression) 0
#endif

/* Control never gets here / the condition, which must have no effects, always holds. If not: in debug clients
 * a fatal error, in others anything can happen. In lite mode they are only hints, since there is no library.
 */
#if GASNETT_USE_BUILTIN_UNREACHABLE
#define AQ_UNREACHABLE_() __builtin_unreachable()
#else
#define AQ_UNREACHABLE_() ((void)0)
#endif
#if defined(GASNET_DEBUG) && !defined(GASNETT_LITE_MODE)
#define gasnett_unreachable() gasnett_fatalerror("this place was said to be unreachable")
#define gasnett_assume(condition) \
  (GASNETT_PREDICT_TRUE(condition) ? (void)0 : (void)gasnett_fatalerror("not true: %s", #condition))
#else
#define gasnett_unreachable() AQ_UNREACHABLE_()
#if GASNETT_USE_BUILTIN_ASSUME
#define gasnett_assume(condition) __builtin_assume(condition)
#elif GASNETT_USE_ASSUME
#define gasnett_assume(condition) __assume(condition)
#else
#define gasnett_assume(condition) ((condition) ? (void)0 : AQ_UNREACHABLE_())
#endif
#endif

/* Evaluates each argument exactly once, in order, and drops the values. */
#define GASNETT_UNUSED_ARGS1(a) ((void)(a))
#define GASNETT_UNUSED_ARGS2(a, b) ((void)(a), (void)(b))
#define GASNETT_UNUSED_ARGS3(a, b, c) (GASNETT_UNUSED_ARGS2(a, b), (void)(c))
#define GASNETT_UNUSED_ARGS4(a, b, c, d) (GASNETT_UNUSED_ARGS3(a, b, c), (void)(d))
#define GASNETT_UNUSED_ARGS5(a, b, c, d, e) (GASNETT_UNUSED_ARGS4(a, b, c, d), (void)(e))
#define GASNETT_UNUSED_ARGS6(a, b, c, d, e, f) (GASNETT_UNUSED_ARGS5(a, b, c, d, e), (void)(f))
#define GASNETT_UNUSED_ARGS7(a, b, c, d, e, f, g) (GASNETT_UNUSED_ARGS6(a, b, c, d, e, f), (void)(g))
#define GASNETT_UNUSED_ARGS8(a, b, c, d, e, f, g, h) (GASNETT_UNUSED_ARGS7(a, b, c, d, e, f, g), (void)(h))

#endif
