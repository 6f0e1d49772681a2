/* What the tools call themselves: versions, constants of the machine, and lines to print. */
#ifndef AQUEDUCT_TOOLS_IDENTITY_H_
#define AQUEDUCT_TOOLS_IDENTITY_H_

#include <stdint.h>

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/build.h"
#include "aqueduct/tools/mode.h"
#include "aqueduct/tools/platform_compiler.h"
#include "gasnet_config.h"

/* The specification of the tools that these headers follow, and the release. */
#define GASNETT_SPEC_VERSION_MAJOR 1
#define GASNETT_SPEC_VERSION_MINOR 20
#define GASNETT_RELEASE_VERSION_MAJOR GASNET_RELEASE_VERSION_MAJOR
#define GASNETT_RELEASE_VERSION_MINOR GASNET_RELEASE_VERSION_MINOR
#define GASNETT_RELEASE_VERSION_PATCH GASNET_RELEASE_VERSION_PATCH

#define GASNETT_PAGESIZE GASNET_PAGESIZE
#if GASNET_PAGESIZE == 4096
#define GASNETT_PAGESHIFT 12
#elif GASNET_PAGESIZE == 16384
#define GASNETT_PAGESHIFT 14
#elif GASNET_PAGESIZE == 65536
#define GASNETT_PAGESHIFT 16
#else
#error "no GASNETT_PAGESHIFT for this GASNET_PAGESIZE"
#endif
#define GASNETT_CACHE_LINE_BYTES 64

/* The machine and the compiler that the library was built for and by. CONFIGURE_MISMATCH: this file is
 * compiled by another one, which is fine: nothing in the headers depends on it. */
#define GASNETT_SYSTEM_TUPLE AQ_BUILD_TUPLE_
#define GASNETT_CONFIGURE_ARGS AQ_BUILD_OPTIONS_
#define GASNETT_PLATFORM_COMPILER_IDSTR AQ_BUILD_COMPILER_IDSTR_
#define GASNETT_PLATFORM_COMPILER_FAMILYID AQ_BUILD_COMPILER_FAMILYID_
#define GASNETT_PLATFORM_COMPILER_ID (200 + GASNETT_PLATFORM_COMPILER_FAMILYID)
/* clang-format off */
#define GASNETT_PLATFORM_COMPILER_VERSION                                                   \
  PLATFORM_COMPILER_VERSION_INT(AQ_BUILD_COMPILER_MAJOR_, AQ_BUILD_COMPILER_MINOR_,         \
                                AQ_BUILD_COMPILER_PATCH_)
#define GASNETT_CONFIGURE_MISMATCH                                       \
  (GASNETT_PLATFORM_COMPILER_FAMILYID != PLATFORM_COMPILER_FAMILYID ||   \
   GASNETT_PLATFORM_COMPILER_VERSION != PLATFORM_COMPILER_VERSION)

/* Tokens of the configuration, and all of it in one string. */
#ifdef GASNET_DEBUG
#define GASNETT_DEBUG_CONFIG debug
#else
#define GASNETT_DEBUG_CONFIG nodebug
#endif
#if __SIZEOF_POINTER__ == 8
#define GASNETT_PTR_CONFIG 64bit
#else
#define GASNETT_PTR_CONFIG 32bit
#endif
#define GASNETT_TIMER_CONFIG timers_native
#define GASNETT_MEMBAR_CONFIG membars_native
#define GASNETT_ATOMIC_CONFIG atomics_native
#define GASNETT_ATOMIC32_CONFIG atomic32_native
#define GASNETT_ATOMIC64_CONFIG atomic64_native
#define GASNETT_CONFIG_STRING                                                               \
  "RELEASE=" AQ_TEXT_(GASNETT_RELEASE_VERSION_MAJOR) "."                                    \
             AQ_TEXT_(GASNETT_RELEASE_VERSION_MINOR) "."                                    \
             AQ_TEXT_(GASNETT_RELEASE_VERSION_PATCH)                                        \
  ",SPEC=" AQ_TEXT_(GASNETT_SPEC_VERSION_MAJOR) "." AQ_TEXT_(GASNETT_SPEC_VERSION_MINOR)    \
  ",PTR=" AQ_TEXT_(GASNETT_PTR_CONFIG)                                                      \
  "," AQ_TEXT_(GASNETT_DEBUG_CONFIG)                                                        \
  "," AQ_TEXT_(GASNETT_THREAD_MODEL)                                                        \
  "," AQ_TEXT_(GASNETT_TIMER_CONFIG)                                                        \
  "," AQ_TEXT_(GASNETT_MEMBAR_CONFIG)                                                       \
  "," AQ_TEXT_(GASNETT_ATOMIC_CONFIG)                                                       \
  "," AQ_TEXT_(GASNETT_ATOMIC32_CONFIG)                                                     \
  "," AQ_TEXT_(GASNETT_ATOMIC64_CONFIG)
/* clang-format on */

AQ_BEGIN_C_

/* The release of the library, as text ("2025.8.0") and as a number that grows with it. */
AQ_API_ const char* gasnett_release_version_str(void);
AQ_API_ uint64_t gasnett_release_version(void);

/* What makes this library slower than it could be, one line for each reason; empty if nothing does. */
AQ_API_ const char* gasnett_performance_warning_str(void);

AQ_END_C_

#endif
