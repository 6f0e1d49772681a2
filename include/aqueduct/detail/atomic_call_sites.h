/* In debug clients, calls on atomic domains first note their position, as call_sites.h says. */
#ifndef AQUEDUCT_DETAIL_ATOMIC_CALL_SITES_H_
#define AQUEDUCT_DETAIL_ATOMIC_CALL_SITES_H_

#include "aqueduct/atomic_domain.h"
#include "aqueduct/atomic_operation.h"
#include "aqueduct/detail/call_site.h"

#ifdef AQ_AT_

/* clang-format off */

#define gex_AD_Create(...) AQ_AT_(gex_AD_Create(__VA_ARGS__))
#define gex_AD_Destroy(...) AQ_AT_(gex_AD_Destroy(__VA_ARGS__))
#define gex_AD_QueryFlags(...) AQ_AT_(gex_AD_QueryFlags(__VA_ARGS__))
#define gex_AD_QueryTM(...) AQ_AT_(gex_AD_QueryTM(__VA_ARGS__))
#define gex_AD_QueryDT(...) AQ_AT_(gex_AD_QueryDT(__VA_ARGS__))
#define gex_AD_QueryOps(...) AQ_AT_(gex_AD_QueryOps(__VA_ARGS__))
#define gex_AD_SetCData(...) AQ_AT_(gex_AD_SetCData(__VA_ARGS__))
#define gex_AD_QueryCData(...) AQ_AT_(gex_AD_QueryCData(__VA_ARGS__))

#define gex_AD_OpNB_I32(...) AQ_AT_(gex_AD_OpNB_I32(__VA_ARGS__))
#define gex_AD_OpNBI_I32(...) AQ_AT_(gex_AD_OpNBI_I32(__VA_ARGS__))
#define gex_AD_OpNB_U32(...) AQ_AT_(gex_AD_OpNB_U32(__VA_ARGS__))
#define gex_AD_OpNBI_U32(...) AQ_AT_(gex_AD_OpNBI_U32(__VA_ARGS__))
#define gex_AD_OpNB_I64(...) AQ_AT_(gex_AD_OpNB_I64(__VA_ARGS__))
#define gex_AD_OpNBI_I64(...) AQ_AT_(gex_AD_OpNBI_I64(__VA_ARGS__))
#define gex_AD_OpNB_U64(...) AQ_AT_(gex_AD_OpNB_U64(__VA_ARGS__))
#define gex_AD_OpNBI_U64(...) AQ_AT_(gex_AD_OpNBI_U64(__VA_ARGS__))
#define gex_AD_OpNB_FLT(...) AQ_AT_(gex_AD_OpNB_FLT(__VA_ARGS__))
#define gex_AD_OpNBI_FLT(...) AQ_AT_(gex_AD_OpNBI_FLT(__VA_ARGS__))
#define gex_AD_OpNB_DBL(...) AQ_AT_(gex_AD_OpNB_DBL(__VA_ARGS__))
#define gex_AD_OpNBI_DBL(...) AQ_AT_(gex_AD_OpNBI_DBL(__VA_ARGS__))

/* clang-format on */

#endif
#endif
