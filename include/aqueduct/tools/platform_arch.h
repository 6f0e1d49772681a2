/* The processor that this is compiled for:
 *   PLATFORM_ARCH_<FAMILY>         1 for one of X86_64, X86, AARCH64, ARM, POWERPC, RISCV, S390
 *   PLATFORM_ARCH_FAMILYNAME       the family, as a token
 *   PLATFORM_ARCH_32 or _64        1, for the width of a pointer; the other is undefined
 *   PLATFORM_ARCH_LITTLE_ENDIAN or _BIG_ENDIAN   1, for the byte order; the other is undefined
 */
#ifndef AQUEDUCT_TOOLS_PLATFORM_ARCH_H_
#define AQUEDUCT_TOOLS_PLATFORM_ARCH_H_

#undef PLATFORM_ARCH_FAMILYNAME
#undef PLATFORM_ARCH_32
#undef PLATFORM_ARCH_64
#undef PLATFORM_ARCH_LITTLE_ENDIAN
#undef PLATFORM_ARCH_BIG_ENDIAN

#if defined(__x86_64__)
#define PLATFORM_ARCH_FAMILYNAME X86_64
#undef PLATFORM_ARCH_X86_64
#define PLATFORM_ARCH_X86_64 1
#elif defined(__i386__)
#define PLATFORM_ARCH_FAMILYNAME X86
#undef PLATFORM_ARCH_X86
#define PLATFORM_ARCH_X86 1
#elif defined(__aarch64__)
#define PLATFORM_ARCH_FAMILYNAME AARCH64
#undef PLATFORM_ARCH_AARCH64
#define PLATFORM_ARCH_AARCH64 1
#elif defined(__arm__)
#define PLATFORM_ARCH_FAMILYNAME ARM
#undef PLATFORM_ARCH_ARM
#define PLATFORM_ARCH_ARM 1
#elif defined(__powerpc__)
#define PLATFORM_ARCH_FAMILYNAME POWERPC
#undef PLATFORM_ARCH_POWERPC
#define PLATFORM_ARCH_POWERPC 1
#elif defined(__riscv)
#define PLATFORM_ARCH_FAMILYNAME RISCV
#undef PLATFORM_ARCH_RISCV
#define PLATFORM_ARCH_RISCV 1
#elif defined(__s390__)
#define PLATFORM_ARCH_FAMILYNAME S390
#undef PLATFORM_ARCH_S390
#define PLATFORM_ARCH_S390 1
#else
#define PLATFORM_ARCH_FAMILYNAME UNKNOWN
#undef PLATFORM_ARCH_UNKNOWN
#define PLATFORM_ARCH_UNKNOWN 1
#endif

#if __SIZEOF_POINTER__ == 8
#define PLATFORM_ARCH_64 1
#else
#define PLATFORM_ARCH_32 1
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PLATFORM_ARCH_LITTLE_ENDIAN 1
#else
#define PLATFORM_ARCH_BIG_ENDIAN 1
#endif

#endif
