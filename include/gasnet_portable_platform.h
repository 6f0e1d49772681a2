/* One spelling for what compilers, systems and processors call themselves, for use in #if.
 *
 *   #if PLATFORM_COMPILER_GNU && PLATFORM_OS_LINUX && PLATFORM_ARCH_X86_64
 *
 * In each of the three groups the names that hold are defined to 1, and all others are undefined, which #if
 * reads as 0. Only macros; safe anywhere, any number of times, in C and C++.
 */
#ifndef _INCLUDED_GASNET_PORTABLE_PLATFORM_H
#define _INCLUDED_GASNET_PORTABLE_PLATFORM_H 1

#include "aqueduct/tools/platform_arch.h"
#include "aqueduct/tools/platform_compiler.h"
#include "aqueduct/tools/platform_os.h"

#endif
