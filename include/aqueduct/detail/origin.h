/* Where these headers are. A program that contains the library finds the plug-ins of the same prefix by it
 * (src/conduit/plugin/search.hpp), whatever has started it. Not where the path is relative, or was changed by
 * -fmacro-prefix-map.
 */
#ifndef AQUEDUCT_DETAIL_ORIGIN_H_
#define AQUEDUCT_DETAIL_ORIGIN_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Weak: one of all sources' is kept. */
extern const char* const aq_headers_ __attribute__((__weak__));
const char* const aq_headers_ = __FILE__;

#ifdef __cplusplus
}
#endif
#endif
