/* Text at compile time: stringification, formats, and strings that stay in the executable. */
#ifndef AQUEDUCT_TOOLS_TEXT_H_
#define AQUEDUCT_TOOLS_TEXT_H_

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

#include "aqueduct/tools/features.h"

/* A macro's value as a string; two tokens as one. Existing programs use these names. */
#ifndef _STRINGIFY
#define _STRINGIFY_HELPER(token) #token
#define _STRINGIFY(macro) _STRINGIFY_HELPER(macro)
#endif
#ifndef _CONCAT
#define _CONCAT_HELPER(left, right) left##right
#define _CONCAT(left, right) _CONCAT_HELPER(left, right)
#endif

/* printf conversions of size_t, beside those of <inttypes.h>. */
#ifndef PRIuSZ
#define PRIdSZ "zd"
#define PRIiSZ "zi"
#define PRIoSZ "zo"
#define PRIuSZ "zu"
#define PRIxSZ "zx"
#define PRIXSZ "zX"
#endif

#define GASNETT_CURRENT_FUNCTION __func__

/* GASNETT_IDENT(name, "$Key: value $"); at file scope: the text is found in every executable that the object
 * is linked into, also where linkers drop what is not referenced. `name` is an identifier of the client's
 * own. */
#if AQ_HAS_ATTRIBUTE_(__retain__) && defined(__has_attribute)
#define AQ_KEPT_ __attribute__((__used__, __retain__))
#else
#define AQ_KEPT_ __attribute__((__used__))
#endif
#define GASNETT_IDENT(name, text) static const char name[] AQ_KEPT_ = text

#endif
