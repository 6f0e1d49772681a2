// Active messages with a number of arguments that is known only at run time, through every form that the API
// offers.
//
// The API has one function per number of arguments, 0 to 16, and a form without a number that counts them.
// Each function here exists for both: `Form::kNumbered` calls, say, gex_AM_RequestShort3, `Form::kCounted`
// calls gex_AM_RequestShort.
#pragma once
#include <gasnetex.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace aqueduct::test {

inline constexpr unsigned kMaxArgs = 16;
enum class Form { kNumbered, kCounted };
using Arguments = std::array<gex_AM_Arg_t, kMaxArgs>;

#define AQT_ARGS_0
#define AQT_ARGS_1 , a[0]
#define AQT_ARGS_2 AQT_ARGS_1, a[1]
#define AQT_ARGS_3 AQT_ARGS_2, a[2]
#define AQT_ARGS_4 AQT_ARGS_3, a[3]
#define AQT_ARGS_5 AQT_ARGS_4, a[4]
#define AQT_ARGS_6 AQT_ARGS_5, a[5]
#define AQT_ARGS_7 AQT_ARGS_6, a[6]
#define AQT_ARGS_8 AQT_ARGS_7, a[7]
#define AQT_ARGS_9 AQT_ARGS_8, a[8]
#define AQT_ARGS_10 AQT_ARGS_9, a[9]
#define AQT_ARGS_11 AQT_ARGS_10, a[10]
#define AQT_ARGS_12 AQT_ARGS_11, a[11]
#define AQT_ARGS_13 AQT_ARGS_12, a[12]
#define AQT_ARGS_14 AQT_ARGS_13, a[13]
#define AQT_ARGS_15 AQT_ARGS_14, a[14]
#define AQT_ARGS_16 AQT_ARGS_15, a[15]
// clang-format off
#define AQT_EACH_ARITY(DO, CALL, ...) \
  DO(0, CALL, __VA_ARGS__) DO(1, CALL, __VA_ARGS__) DO(2, CALL, __VA_ARGS__) DO(3, CALL, __VA_ARGS__) \
  DO(4, CALL, __VA_ARGS__) DO(5, CALL, __VA_ARGS__) DO(6, CALL, __VA_ARGS__) DO(7, CALL, __VA_ARGS__) \
  DO(8, CALL, __VA_ARGS__) DO(9, CALL, __VA_ARGS__) DO(10, CALL, __VA_ARGS__) DO(11, CALL, __VA_ARGS__) \
  DO(12, CALL, __VA_ARGS__) DO(13, CALL, __VA_ARGS__) DO(14, CALL, __VA_ARGS__) DO(15, CALL, __VA_ARGS__) \
  DO(16, CALL, __VA_ARGS__)
// clang-format on
// The extra step makes the arguments whole before the counting macro sees them.
#define AQT_APPLY(CALL, ...) CALL(__VA_ARGS__)
#define AQT_NUMBERED(N, CALL, ...) \
  case N:                          \
    return AQT_APPLY(CALL##N, __VA_ARGS__ AQT_ARGS_##N);
#define AQT_COUNTED(N, CALL, ...) \
  case N:                         \
    return AQT_APPLY(CALL, __VA_ARGS__ AQT_ARGS_##N);
#define AQT_BY_ARITY(CALL, ...)                                    \
  if (form == Form::kNumbered) {                                   \
    switch (n) { AQT_EACH_ARITY(AQT_NUMBERED, CALL, __VA_ARGS__) } \
  } else {                                                         \
    switch (n) { AQT_EACH_ARITY(AQT_COUNTED, CALL, __VA_ARGS__) }  \
  }                                                                \
  std::abort()

inline int request_short(Form form, gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, gex_Flags_t flags,
                         unsigned n, const Arguments& a) {
  AQT_BY_ARITY(gex_AM_RequestShort, tm, rank, handler, flags);
}
inline int request_medium(Form form, gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, const void* from,
                          std::size_t bytes, gex_Event_t* lc, gex_Flags_t flags, unsigned n,
                          const Arguments& a) {
  AQT_BY_ARITY(gex_AM_RequestMedium, tm, rank, handler, from, bytes, lc, flags);
}
inline int request_long(Form form, gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, const void* from,
                        std::size_t bytes, void* to, gex_Event_t* lc, gex_Flags_t flags, unsigned n,
                        const Arguments& a) {
  AQT_BY_ARITY(gex_AM_RequestLong, tm, rank, handler, from, bytes, to, lc, flags);
}
inline int reply_short(Form form, gex_Token_t token, gex_AM_Index_t handler, gex_Flags_t flags, unsigned n,
                       const Arguments& a) {
  AQT_BY_ARITY(gex_AM_ReplyShort, token, handler, flags);
}
inline int reply_medium(Form form, gex_Token_t token, gex_AM_Index_t handler, const void* from,
                        std::size_t bytes, gex_Event_t* lc, gex_Flags_t flags, unsigned n,
                        const Arguments& a) {
  AQT_BY_ARITY(gex_AM_ReplyMedium, token, handler, from, bytes, lc, flags);
}
inline int reply_long(Form form, gex_Token_t token, gex_AM_Index_t handler, const void* from,
                      std::size_t bytes, void* to, gex_Event_t* lc, gex_Flags_t flags, unsigned n,
                      const Arguments& a) {
  AQT_BY_ARITY(gex_AM_ReplyLong, token, handler, from, bytes, to, lc, flags);
}

#undef AQT_BY_ARITY
#undef AQT_COUNTED
#undef AQT_NUMBERED
#undef AQT_APPLY
#undef AQT_EACH_ARITY

/// One parameter of type gex_AM_Arg_t for each index of a sequence.
template <std::size_t>
using ArgumentAt = gex_AM_Arg_t;

}  // namespace aqueduct::test
