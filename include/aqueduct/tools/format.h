/* Descriptors and sets of gasnetex.h as text, for messages. After gasnetex.h only.
 *
 * Each gasnett_format_X writes text that ends in a zero byte; gasnett_format_X_bufsz says how large the
 * buffer must be. The texts of dt, op and ti need no second function: with buf NULL they return the size
 * needed, otherwise the bytes written. Those of lists return the bytes of data described. Any thread.
 */
#ifndef AQUEDUCT_TOOLS_FORMAT_H_
#define AQUEDUCT_TOOLS_FORMAT_H_

#include <stddef.h>

#include "aqueduct/detail/attributes.h"
#include "gasnet_fwd.h"

AQ_BEGIN_C_

/* "I32|DBL"; 0 is "NONE", and bits without a name are a number. */
AQ_API_ size_t gasnett_format_dt(char* buf, gex_DT_t types);
AQ_API_ size_t gasnett_format_op(char* buf, gex_OP_t operations);
AQ_API_ size_t gasnett_format_ti(char* buf, gex_TI_t facts);

/* The descriptors of VIS. */
AQ_API_ size_t gasnett_format_memveclist_bufsz(size_t count);
AQ_API_ size_t gasnett_format_memveclist(char* buf, size_t count, const gex_Memvec_t* list);
AQ_API_ size_t gasnett_format_putvgetv_bufsz(size_t dst_count, size_t src_count);
AQ_API_ size_t gasnett_format_putvgetv(char* buf, gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                       const gex_Memvec_t* dst_list, size_t src_count,
                                       const gex_Memvec_t* src_list);

AQ_API_ size_t gasnett_format_addrlist_bufsz(size_t count);
AQ_API_ size_t gasnett_format_addrlist(char* buf, size_t count, void* const* list, size_t len);
AQ_API_ size_t gasnett_format_putigeti_bufsz(size_t dst_count, size_t src_count);
AQ_API_ size_t gasnett_format_putigeti(char* buf, gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                       void* const* dst_list, size_t dst_len, size_t src_count,
                                       void* const* src_list, size_t src_len);

AQ_API_ size_t gasnett_format_strides_bufsz(size_t count);
AQ_API_ void gasnett_format_strides(char* buf, size_t count, const ptrdiff_t* list);
AQ_API_ size_t gasnett_format_putsgets_bufsz(size_t stridelevels);
/* The second argument is not used. */
AQ_API_ size_t gasnett_format_putsgets(char* buf, void* unused, gex_TM_t tm, gex_Rank_t rank, void* dst_addr,
                                       const ptrdiff_t* dst_strides, void* src_addr,
                                       const ptrdiff_t* src_strides, size_t elem_size, const size_t* count,
                                       size_t stridelevels);

AQ_END_C_

#endif
