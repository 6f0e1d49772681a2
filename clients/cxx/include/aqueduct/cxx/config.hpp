// What the C++ interface is compiled for: one thread (-DGASNET_SEQ, and what it takes when nothing is said)
// or several (-DGASNET_PAR). Names of the two live in namespaces of their own, so that objects of both kinds
// do not mix unnoticed.
#ifndef AQUEDUCT_CXX_CONFIG_HPP_
#define AQUEDUCT_CXX_CONFIG_HPP_

#if !defined(GASNET_SEQ) && !defined(GASNET_PAR) && !defined(GASNET_PARSYNC)
#define GASNET_SEQ 1
#endif

// Clang 14 has coroutines, but not yet the macro by which the standard library looks for them.
#if defined(__clang__) && !defined(__cpp_impl_coroutine)
#define __cpp_impl_coroutine 201902L
#endif

#include <coroutine>

#include "gasnetex.h"

#if defined(GASNET_SEQ)
#define AQ_CXX_ cxx_seq
#else
#define AQ_CXX_ cxx_par
#endif

namespace aqueduct {
inline namespace AQ_CXX_ {

using rank_t = gex_Rank_t;

namespace detail {

#if defined(GASNET_SEQ)
inline constexpr bool kThreads = false;
#else
inline constexpr bool kThreads = true;
#endif

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
