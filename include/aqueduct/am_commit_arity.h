/* The four Commit families, each with 0 to 16 arguments, and the forms without a number, which count them.
 *
 *   void gex_AM_CommitRequestMedium2(sd, handler, nbytes, arg0, arg1)
 *   void gex_AM_CommitRequestLong2(sd, handler, nbytes, destination, arg0, arg1)
 *   int gex_AM_CommitRequestMedium2_v2(sd, handler, nbytes, flags, arg0, arg1)
 *   int gex_AM_CommitRequestLong2_v2(sd, handler, nbytes, destination, flags, arg0, arg1)
 *   gex_AM_CommitReply...                                            likewise
 *
 * The _v2 forms return 0, or, only with GEX_FLAG_IMMEDIATE, non-zero if nothing was sent for want of
 * resources, and then the descriptor stays valid. Rules and misuse: am_negotiated.h.
 */
#ifndef AQUEDUCT_AM_COMMIT_ARITY_H_
#define AQUEDUCT_AM_COMMIT_ARITY_H_

#include "aqueduct/am_arity.h"
#include "aqueduct/am_negotiated.h"
#include "aqueduct/detail/attributes.h"

/* The Medium and Long forms of one direction, with and without flags. */
#define AQ_DEFINE_COMMIT_DIRECTION_(Direction, direction, n, gather)                                         \
  AQ_INLINE_ void gex_AM_Commit##Direction##Medium##n(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler,           \
                                                      size_t nbytes AQ_PARAMETERS_##n##_) {                  \
    gather(n);                                                                                               \
    (void)aq_am_commit_##direction##_medium_(sd, handler, nbytes, 0, n, args);                               \
  }                                                                                                          \
  AQ_INLINE_ int gex_AM_Commit##Direction##Medium##n##_v2(                                                   \
      gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes, gex_Flags_t flags AQ_PARAMETERS_##n##_) {  \
    gather(n);                                                                                               \
    return aq_am_commit_##direction##_medium_(sd, handler, nbytes, flags, n, args);                          \
  }                                                                                                          \
  AQ_INLINE_ void gex_AM_Commit##Direction##Long##n(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler,             \
                                                    size_t nbytes, void* destination AQ_PARAMETERS_##n##_) { \
    gather(n);                                                                                               \
    (void)aq_am_commit_##direction##_long_(sd, handler, nbytes, destination, 0, n, args);                    \
  }                                                                                                          \
  AQ_INLINE_ int gex_AM_Commit##Direction##Long##n##_v2(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler,         \
                                                        size_t nbytes, void* destination,                    \
                                                        gex_Flags_t flags AQ_PARAMETERS_##n##_) {            \
    gather(n);                                                                                               \
    return aq_am_commit_##direction##_long_(sd, handler, nbytes, destination, flags, n, args);               \
  }
#define AQ_DEFINE_COMMIT_FAMILIES_(n, gather)              \
  AQ_DEFINE_COMMIT_DIRECTION_(Request, request, n, gather) \
  AQ_DEFINE_COMMIT_DIRECTION_(Reply, reply, n, gather)

/* clang-format off */

AQ_DEFINE_COMMIT_FAMILIES_(0, AQ_GATHER_NONE_)
AQ_DEFINE_COMMIT_FAMILIES_(1, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(2, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(3, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(4, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(5, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(6, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(7, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(8, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(9, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(10, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(11, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(12, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(13, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(14, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(15, AQ_GATHER_)
AQ_DEFINE_COMMIT_FAMILIES_(16, AQ_GATHER_)

/* As in am_arity.h: how many arguments follow the first 5. */
#define AQ_ARITY_AFTER_5_(...) \
  AQ_CALL_ITEM_33_(__VA_ARGS__, AQ_EXCESS_8_, AQ_EXCESS_2_, AQ_EXCESS_1_, AQ_ARITIES_)
#define AQ_COMMIT_V2_(family, arity) AQ_JOIN_(AQ_JOIN_(family, arity), _v2)

#define gex_AM_CommitRequestMedium(...) \
  AQ_JOIN_(gex_AM_CommitRequestMedium, AQ_ARITY_AFTER_3_(__VA_ARGS__))(__VA_ARGS__)
#define gex_AM_CommitRequestMedium_v2(...) \
  AQ_COMMIT_V2_(gex_AM_CommitRequestMedium, AQ_ARITY_AFTER_4_(__VA_ARGS__))(__VA_ARGS__)
#define gex_AM_CommitRequestLong(...) \
  AQ_JOIN_(gex_AM_CommitRequestLong, AQ_ARITY_AFTER_4_(__VA_ARGS__))(__VA_ARGS__)
#define gex_AM_CommitRequestLong_v2(...) \
  AQ_COMMIT_V2_(gex_AM_CommitRequestLong, AQ_ARITY_AFTER_5_(__VA_ARGS__))(__VA_ARGS__)
#define gex_AM_CommitReplyMedium(...) \
  AQ_JOIN_(gex_AM_CommitReplyMedium, AQ_ARITY_AFTER_3_(__VA_ARGS__))(__VA_ARGS__)
#define gex_AM_CommitReplyMedium_v2(...) \
  AQ_COMMIT_V2_(gex_AM_CommitReplyMedium, AQ_ARITY_AFTER_4_(__VA_ARGS__))(__VA_ARGS__)
#define gex_AM_CommitReplyLong(...) \
  AQ_JOIN_(gex_AM_CommitReplyLong, AQ_ARITY_AFTER_4_(__VA_ARGS__))(__VA_ARGS__)
#define gex_AM_CommitReplyLong_v2(...) \
  AQ_COMMIT_V2_(gex_AM_CommitReplyLong, AQ_ARITY_AFTER_5_(__VA_ARGS__))(__VA_ARGS__)

/* clang-format on */

#endif
