/* In debug clients, calls on non-contiguous memory first note their position, as call_sites.h says. */
#ifndef AQUEDUCT_DETAIL_VIS_CALL_SITES_H_
#define AQUEDUCT_DETAIL_VIS_CALL_SITES_H_

#include "aqueduct/detail/call_site.h"
#include "aqueduct/vis.h"

#ifdef AQ_AT_

/* clang-format off */

#define gex_VIS_VectorPutNB(...) AQ_AT_(gex_VIS_VectorPutNB(__VA_ARGS__))
#define gex_VIS_VectorPutNBI(...) AQ_AT_(gex_VIS_VectorPutNBI(__VA_ARGS__))
#define gex_VIS_VectorPutBlocking(...) AQ_AT_(gex_VIS_VectorPutBlocking(__VA_ARGS__))
#define gex_VIS_VectorGetNB(...) AQ_AT_(gex_VIS_VectorGetNB(__VA_ARGS__))
#define gex_VIS_VectorGetNBI(...) AQ_AT_(gex_VIS_VectorGetNBI(__VA_ARGS__))
#define gex_VIS_VectorGetBlocking(...) AQ_AT_(gex_VIS_VectorGetBlocking(__VA_ARGS__))
#define gex_VIS_IndexedPutNB(...) AQ_AT_(gex_VIS_IndexedPutNB(__VA_ARGS__))
#define gex_VIS_IndexedPutNBI(...) AQ_AT_(gex_VIS_IndexedPutNBI(__VA_ARGS__))
#define gex_VIS_IndexedPutBlocking(...) AQ_AT_(gex_VIS_IndexedPutBlocking(__VA_ARGS__))
#define gex_VIS_IndexedGetNB(...) AQ_AT_(gex_VIS_IndexedGetNB(__VA_ARGS__))
#define gex_VIS_IndexedGetNBI(...) AQ_AT_(gex_VIS_IndexedGetNBI(__VA_ARGS__))
#define gex_VIS_IndexedGetBlocking(...) AQ_AT_(gex_VIS_IndexedGetBlocking(__VA_ARGS__))
#define gex_VIS_StridedPutNB(...) AQ_AT_(gex_VIS_StridedPutNB(__VA_ARGS__))
#define gex_VIS_StridedPutNBI(...) AQ_AT_(gex_VIS_StridedPutNBI(__VA_ARGS__))
#define gex_VIS_StridedPutBlocking(...) AQ_AT_(gex_VIS_StridedPutBlocking(__VA_ARGS__))
#define gex_VIS_StridedGetNB(...) AQ_AT_(gex_VIS_StridedGetNB(__VA_ARGS__))
#define gex_VIS_StridedGetNBI(...) AQ_AT_(gex_VIS_StridedGetNBI(__VA_ARGS__))
#define gex_VIS_StridedGetBlocking(...) AQ_AT_(gex_VIS_StridedGetBlocking(__VA_ARGS__))
#define gex_VIS_SetPeerCompletionHandler(...) AQ_AT_(gex_VIS_SetPeerCompletionHandler(__VA_ARGS__))

/* clang-format on */

#endif
#endif
