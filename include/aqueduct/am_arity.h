/* The six message families, each with 0 to 16 arguments: gex_AM_RequestShort0 .. gex_AM_ReplyLong16, and the
 * forms without a number, which count their arguments.
 *
 *   gex_AM_RequestShort2(tm, rank, handler, flags, arg0, arg1)
 *   gex_AM_RequestShort(tm, rank, handler, flags, arg0, arg1)         the same
 *   gex_AM_RequestMedium1(tm, rank, handler, source, nbytes, lc, flags, arg0)
 *   gex_AM_RequestLong0(tm, rank, handler, source, nbytes, destination, lc, flags)
 *   gex_AM_Reply...(token, handler, ...)                              with the token in place of (tm, rank)
 *
 * Every argument is converted to gex_AM_Arg_t. What the calls do and when they fail: am.h.
 */
#ifndef AQUEDUCT_AM_ARITY_H_
#define AQUEDUCT_AM_ARITY_H_

#include "aqueduct/am.h"
#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/checked_team.h"

/* clang-format off */

/* The parameters of n arguments, each list one longer than the one before. */
#define AQ_PARAMETERS_0_
#define AQ_PARAMETERS_1_ AQ_PARAMETERS_0_, gex_AM_Arg_t a0
#define AQ_PARAMETERS_2_ AQ_PARAMETERS_1_, gex_AM_Arg_t a1
#define AQ_PARAMETERS_3_ AQ_PARAMETERS_2_, gex_AM_Arg_t a2
#define AQ_PARAMETERS_4_ AQ_PARAMETERS_3_, gex_AM_Arg_t a3
#define AQ_PARAMETERS_5_ AQ_PARAMETERS_4_, gex_AM_Arg_t a4
#define AQ_PARAMETERS_6_ AQ_PARAMETERS_5_, gex_AM_Arg_t a5
#define AQ_PARAMETERS_7_ AQ_PARAMETERS_6_, gex_AM_Arg_t a6
#define AQ_PARAMETERS_8_ AQ_PARAMETERS_7_, gex_AM_Arg_t a7
#define AQ_PARAMETERS_9_ AQ_PARAMETERS_8_, gex_AM_Arg_t a8
#define AQ_PARAMETERS_10_ AQ_PARAMETERS_9_, gex_AM_Arg_t a9
#define AQ_PARAMETERS_11_ AQ_PARAMETERS_10_, gex_AM_Arg_t a10
#define AQ_PARAMETERS_12_ AQ_PARAMETERS_11_, gex_AM_Arg_t a11
#define AQ_PARAMETERS_13_ AQ_PARAMETERS_12_, gex_AM_Arg_t a12
#define AQ_PARAMETERS_14_ AQ_PARAMETERS_13_, gex_AM_Arg_t a13
#define AQ_PARAMETERS_15_ AQ_PARAMETERS_14_, gex_AM_Arg_t a14
#define AQ_PARAMETERS_16_ AQ_PARAMETERS_15_, gex_AM_Arg_t a15

/* Their values, likewise. */
#define AQ_VALUES_1_ a0
#define AQ_VALUES_2_ AQ_VALUES_1_, a1
#define AQ_VALUES_3_ AQ_VALUES_2_, a2
#define AQ_VALUES_4_ AQ_VALUES_3_, a3
#define AQ_VALUES_5_ AQ_VALUES_4_, a4
#define AQ_VALUES_6_ AQ_VALUES_5_, a5
#define AQ_VALUES_7_ AQ_VALUES_6_, a6
#define AQ_VALUES_8_ AQ_VALUES_7_, a7
#define AQ_VALUES_9_ AQ_VALUES_8_, a8
#define AQ_VALUES_10_ AQ_VALUES_9_, a9
#define AQ_VALUES_11_ AQ_VALUES_10_, a10
#define AQ_VALUES_12_ AQ_VALUES_11_, a11
#define AQ_VALUES_13_ AQ_VALUES_12_, a12
#define AQ_VALUES_14_ AQ_VALUES_13_, a13
#define AQ_VALUES_15_ AQ_VALUES_14_, a14
#define AQ_VALUES_16_ AQ_VALUES_15_, a15

/* `args`, the array that the library reads; an array of none is NULL. */
#define AQ_GATHER_NONE_(n) const gex_AM_Arg_t *const args = NULL
#define AQ_GATHER_(n) const gex_AM_Arg_t args[n] = {AQ_VALUES_##n##_}

/* clang-format on */

#define AQ_DEFINE_AM_FAMILIES_(n, gather)                                                                    \
  AQ_INLINE_ int gex_AM_RequestShort##n(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,                \
                                        gex_Flags_t flags AQ_PARAMETERS_##n##_) {                            \
    gather(n);                                                                                               \
    return aq_am_request_short_(AQ_TEAM_(gex_AM_RequestShort, tm), rank, handler, flags, n, args);           \
  }                                                                                                          \
  AQ_INLINE_ int gex_AM_RequestMedium##n(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,               \
                                         const void* source, size_t nbytes, gex_Event_t* lc,                 \
                                         gex_Flags_t flags AQ_PARAMETERS_##n##_) {                           \
    gather(n);                                                                                               \
    return aq_am_request_medium_(AQ_TEAM_(gex_AM_RequestMedium, tm), rank, handler, source, nbytes, lc,      \
                                 flags, n, args);                                                            \
  }                                                                                                          \
  AQ_INLINE_ int gex_AM_RequestLong##n(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,                 \
                                       const void* source, size_t nbytes, void* destination,                 \
                                       gex_Event_t* lc, gex_Flags_t flags AQ_PARAMETERS_##n##_) {            \
    gather(n);                                                                                               \
    return aq_am_request_long_(AQ_TEAM_(gex_AM_RequestLong, tm), rank, handler, source, nbytes, destination, \
                               lc, flags, n, args);                                                          \
  }                                                                                                          \
  AQ_INLINE_ int gex_AM_ReplyShort##n(gex_Token_t token, gex_AM_Index_t handler,                             \
                                      gex_Flags_t flags AQ_PARAMETERS_##n##_) {                              \
    gather(n);                                                                                               \
    return aq_am_reply_short_(token, handler, flags, n, args);                                               \
  }                                                                                                          \
  AQ_INLINE_ int gex_AM_ReplyMedium##n(gex_Token_t token, gex_AM_Index_t handler, const void* source,        \
                                       size_t nbytes, gex_Event_t* lc,                                       \
                                       gex_Flags_t flags AQ_PARAMETERS_##n##_) {                             \
    gather(n);                                                                                               \
    return aq_am_reply_medium_(token, handler, source, nbytes, lc, flags, n, args);                          \
  }                                                                                                          \
  AQ_INLINE_ int gex_AM_ReplyLong##n(gex_Token_t token, gex_AM_Index_t handler, const void* source,          \
                                     size_t nbytes, void* destination, gex_Event_t* lc,                      \
                                     gex_Flags_t flags AQ_PARAMETERS_##n##_) {                               \
    gather(n);                                                                                               \
    return aq_am_reply_long_(token, handler, source, nbytes, destination, lc, flags, n, args);               \
  }

/* clang-format off */

AQ_DEFINE_AM_FAMILIES_(0, AQ_GATHER_NONE_)
AQ_DEFINE_AM_FAMILIES_(1, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(2, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(3, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(4, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(5, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(6, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(7, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(8, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(9, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(10, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(11, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(12, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(13, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(14, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(15, AQ_GATHER_)
AQ_DEFINE_AM_FAMILIES_(16, AQ_GATHER_)

/* How many arguments follow the first 3, 4, 6, 7 or 8: the 33rd item of the arguments followed by a list. A
 * wrong number of arguments makes a name that says so, which then fails to compile. */
#define AQ_ITEM_33_(i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15, i16, i17, i18, i19,  \
                    i20, i21, i22, i23, i24, i25, i26, i27, i28, i29, i30, i31, i32, i33, ...) i33
#define AQ_CALL_ITEM_33_(...) AQ_ITEM_33_(__VA_ARGS__)
#define AQ_EXCESS_1_ _too_many_arguments
#define AQ_EXCESS_2_ AQ_EXCESS_1_, AQ_EXCESS_1_
#define AQ_EXCESS_4_ AQ_EXCESS_2_, AQ_EXCESS_2_
#define AQ_EXCESS_8_ AQ_EXCESS_4_, AQ_EXCESS_4_
#define AQ_16_TO_0_ 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#define AQ_MISSING_4_ _too_few_arguments, _too_few_arguments, _too_few_arguments, _too_few_arguments
#define AQ_ARITIES_ AQ_16_TO_0_, AQ_MISSING_4_, AQ_MISSING_4_
#define AQ_ARITY_AFTER_3_(...) \
  AQ_CALL_ITEM_33_(__VA_ARGS__, AQ_EXCESS_8_, AQ_EXCESS_4_, AQ_EXCESS_1_, AQ_ARITIES_)
#define AQ_ARITY_AFTER_4_(...) AQ_CALL_ITEM_33_(__VA_ARGS__, AQ_EXCESS_8_, AQ_EXCESS_4_, AQ_ARITIES_)
#define AQ_ARITY_AFTER_6_(...) AQ_CALL_ITEM_33_(__VA_ARGS__, AQ_EXCESS_8_, AQ_EXCESS_2_, AQ_ARITIES_)
#define AQ_ARITY_AFTER_7_(...) AQ_CALL_ITEM_33_(__VA_ARGS__, AQ_EXCESS_8_, AQ_EXCESS_1_, AQ_ARITIES_)
#define AQ_ARITY_AFTER_8_(...) AQ_CALL_ITEM_33_(__VA_ARGS__, AQ_EXCESS_8_, AQ_ARITIES_)

#define gex_AM_RequestShort(...) AQ_JOIN_(gex_AM_RequestShort, AQ_ARITY_AFTER_4_(__VA_ARGS__))(__VA_ARGS__)
#define gex_AM_RequestMedium(...) AQ_JOIN_(gex_AM_RequestMedium, AQ_ARITY_AFTER_7_(__VA_ARGS__))(__VA_ARGS__)
#define gex_AM_RequestLong(...) AQ_JOIN_(gex_AM_RequestLong, AQ_ARITY_AFTER_8_(__VA_ARGS__))(__VA_ARGS__)
#define gex_AM_ReplyShort(...) AQ_JOIN_(gex_AM_ReplyShort, AQ_ARITY_AFTER_3_(__VA_ARGS__))(__VA_ARGS__)
#define gex_AM_ReplyMedium(...) AQ_JOIN_(gex_AM_ReplyMedium, AQ_ARITY_AFTER_6_(__VA_ARGS__))(__VA_ARGS__)
#define gex_AM_ReplyLong(...) AQ_JOIN_(gex_AM_ReplyLong, AQ_ARITY_AFTER_7_(__VA_ARGS__))(__VA_ARGS__)

/* clang-format on */

#endif
