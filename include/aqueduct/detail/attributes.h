/* How declarations in the public headers are marked. Nothing here is for clients. */
#ifndef AQUEDUCT_DETAIL_ATTRIBUTES_H_
#define AQUEDUCT_DETAIL_ATTRIBUTES_H_

#if !defined(__GNUC__)
#error "Aqueduct's headers need GCC, Clang or a compiler that understands their attributes"
#endif
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Aqueduct supports little-endian machines only"
#endif

#ifdef __cplusplus
#define AQ_BEGIN_C_ extern "C" {
#define AQ_END_C_ }
#else
#define AQ_BEGIN_C_
#define AQ_END_C_
#endif

/* For callers only: the library's own definitions then need not repeat it. An attribute rather than noexcept,
 * so that it is no part of the functions' types. */
#ifdef AQUEDUCT_BUILDING_LIBRARY
#define AQ_NOTHROW_
#else
#define AQ_NOTHROW_ __attribute__((__nothrow__))
#endif
#define AQ_NORETURN_ __attribute__((__noreturn__))

/* A symbol of the library. */
#define AQ_API_ __attribute__((__visibility__("default"))) AQ_NOTHROW_
#define AQ_API_DATA_ extern __attribute__((__visibility__("default")))

/* A function that lives in the header; it may stay unused. ALWAYS: it is worth little when it is not inlined.
 */
#define AQ_INLINE_ static inline __attribute__((__unused__))
#define AQ_ALWAYS_INLINE_ static inline __attribute__((__unused__, __always_inline__))

#define AQ_LIKELY_(condition) __builtin_expect(!!(condition), 1)

#define AQ_TEXT_OF_(token) #token
#define AQ_TEXT_(macro) AQ_TEXT_OF_(macro)
#define AQ_JOIN_OF_(left, right) left##right
#define AQ_JOIN_(left, right) AQ_JOIN_OF_(left, right)

#endif
