/* The wrappers of <ctype.h>, for char arguments with the top bit set too. */
#define GASNETT_USE_CTYPE_WRAPPERS 1
#include "../support/check.h"
#include "gasnet_tools.h"

int main(void) {
  const char high = (char)0xe4;
  CHECK(gasnett_isalnum('7') && gasnett_isalpha('x') && gasnett_isblank('\t') && gasnett_iscntrl('\n'));
  CHECK(gasnett_isdigit('0') && gasnett_isgraph('!') && gasnett_islower('a') && gasnett_isprint(' '));
  CHECK(gasnett_ispunct('.') && gasnett_isspace(' ') && gasnett_isupper('A') && gasnett_isxdigit('f'));
  CHECK(gasnett_tolower('A') == 'a' && gasnett_toupper('a') == 'A');
  CHECK(gasnett_isascii('a') && !gasnett_isascii(high) && gasnett_toascii(high) == 0x64);
  CHECK(!gasnett_isalpha(high) && !gasnett_isdigit(high) && !gasnett_isspace(high));
#ifndef __cplusplus
  CHECK(!isalpha(high) && isalpha('q') && toupper('q') == 'Q' && isascii('q'));
#endif
  return 0;
}
