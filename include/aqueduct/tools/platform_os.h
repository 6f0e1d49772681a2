/* The operating system that this is compiled for:
 *   PLATFORM_OS_<FAMILY>         1 for one of LINUX, CYGWIN, DARWIN, FREEBSD, OPENBSD, NETBSD, SOLARIS
 *   PLATFORM_OS_FAMILYNAME       the family, as a token
 *   PLATFORM_OS_SUBFAMILY_<SUB>  1 for a variant: CNL, if the client says so, as the compiler cannot tell it
 *                                from its family: -DPLATFORM_OS_SUBFAMILY_CNL=1
 */
#ifndef AQUEDUCT_TOOLS_PLATFORM_OS_H_
#define AQUEDUCT_TOOLS_PLATFORM_OS_H_

#undef PLATFORM_OS_FAMILYNAME

#if defined(__linux__)
#define PLATFORM_OS_FAMILYNAME LINUX
#undef PLATFORM_OS_LINUX
#define PLATFORM_OS_LINUX 1
#elif defined(__CYGWIN__)
#define PLATFORM_OS_FAMILYNAME CYGWIN
#undef PLATFORM_OS_CYGWIN
#define PLATFORM_OS_CYGWIN 1
#elif defined(__APPLE__)
#define PLATFORM_OS_FAMILYNAME DARWIN
#undef PLATFORM_OS_DARWIN
#define PLATFORM_OS_DARWIN 1
#elif defined(__FreeBSD__)
#define PLATFORM_OS_FAMILYNAME FREEBSD
#undef PLATFORM_OS_FREEBSD
#define PLATFORM_OS_FREEBSD 1
#elif defined(__OpenBSD__)
#define PLATFORM_OS_FAMILYNAME OPENBSD
#undef PLATFORM_OS_OPENBSD
#define PLATFORM_OS_OPENBSD 1
#elif defined(__NetBSD__)
#define PLATFORM_OS_FAMILYNAME NETBSD
#undef PLATFORM_OS_NETBSD
#define PLATFORM_OS_NETBSD 1
#elif defined(__sun)
#define PLATFORM_OS_FAMILYNAME SOLARIS
#undef PLATFORM_OS_SOLARIS
#define PLATFORM_OS_SOLARIS 1
#else
#define PLATFORM_OS_FAMILYNAME UNKNOWN
#undef PLATFORM_OS_UNKNOWN
#define PLATFORM_OS_UNKNOWN 1
#endif

#endif
