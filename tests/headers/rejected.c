/* Compiles with one thread mode and no further macro; every macro makes it wrong in one way (CMakeLists.txt).
 */
#include "gasnetex.h"

int rejected(gex_TM_t tm, gex_Token_t token);

int rejected(gex_TM_t tm, gex_Token_t token) {
#if defined(TOO_MANY_ARGUMENTS)
  return gex_AM_RequestShort(tm, 0, 200, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
#elif defined(TOO_FEW_ARGUMENTS)
  return gex_AM_ReplyLong(token, 200, 0, 0);
#else
  return gex_AM_RequestShort(tm, 0, 200, 0) + gex_AM_ReplyShort(token, 201, 0);
#endif
}
