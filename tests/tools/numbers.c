/* Numbers with units, and settings from the environment. */
#include <string.h>

#include "../support/check.h"
#include "gasnet_tools.h"

static void check_format(int64_t value, int is_bytes, const char* text) {
  char buffer[64];
  CHECK(gasnett_format_number(value, buffer, sizeof buffer, is_bytes) == buffer);
  if (strcmp(buffer, text) != 0) fprintf(stderr, "'%s' should be '%s'\n", buffer, text);
  CHECK(strcmp(buffer, text) == 0);
}

static void test_format(void) {
  char small[4];
  check_format(0, 0, "0");
  check_format(-12, 0, "-12");
  check_format(0, 1, "0 B");
  check_format(1023, 1, "1023 B");
  check_format(1024, 1, "1 KB");
  check_format(1536 * 1024, 1, "1536 KB");
  check_format((int64_t)3 << 30, 1, "3 GB");
  check_format((int64_t)5 << 40, 1, "5 TB");
  check_format((int64_t)1 << 60, 1, "1048576 TB");
  check_format(-2048, 1, "-2 KB");
  gasnett_format_number(123456, small, sizeof small, 0);
  CHECK(strcmp(small, "123") == 0);
}

static void test_parse(void) {
  CHECK(gasnett_parse_int("0", 0) == 0);
  CHECK(gasnett_parse_int("42", 0) == 42);
  CHECK(gasnett_parse_int("-42", 0) == -42);
  CHECK(gasnett_parse_int("+42", 0) == 42);
  CHECK(gasnett_parse_int("0x1F", 0) == 31);
  CHECK(gasnett_parse_int("9223372036854775807", 0) == INT64_MAX);
  CHECK(gasnett_parse_int("-9223372036854775808", 0) == INT64_MIN);
  CHECK(gasnett_parse_int("99999999999999999999", 0) == INT64_MAX);
  CHECK(gasnett_parse_int("7K", 0) == 7);
  CHECK(gasnett_parse_int("nothing", 0) == 0);
  CHECK(gasnett_parse_int("", 0) == 0);

  CHECK(gasnett_parse_int("5", 1) == 5);
  CHECK(gasnett_parse_int("5", 1024) == 5 * 1024);
  CHECK(gasnett_parse_int("5B", 1024) == 5);
  CHECK(gasnett_parse_int("5K", 1) == 5 << 10);
  CHECK(gasnett_parse_int("5kb", 1) == 5 << 10);
  CHECK(gasnett_parse_int("5 MB", 1) == 5 << 20);
  CHECK(gasnett_parse_int("1.5G", 1) == (int64_t)3 << 29);
  CHECK(gasnett_parse_int("0.25TB", 1) == (int64_t)1 << 38);
  CHECK(gasnett_parse_int(".5", 1024) == 512);
  CHECK(gasnett_parse_int("2.", 1024) == 2048);
  CHECK(gasnett_parse_int("1152921504606846977B", 1) == 1152921504606846977);
  CHECK(gasnett_parse_int("9000000T", 1) == INT64_MAX);
  CHECK(gasnett_parse_int("-1K", 1) == -1024);
  CHECK(gasnett_parse_int(".", 1) == 0);
  CHECK(gasnett_parse_int("K", 1) == 0);
}

static const char* const kName = "AQUEDUCT_TEST_SETTING";

static void test_settings(void) {
  gasnett_unsetenv(kName);
  CHECK(gasnett_getenv(kName) == NULL);
  CHECK(strcmp(gasnett_getenv_withdefault(kName, "default"), "default") == 0);
  CHECK(gasnett_getenv_withdefault(kName, NULL) == NULL);
  CHECK(gasnett_getenv_yesno_withdefault(kName, 1) == 1);
  CHECK(gasnett_getenv_yesno_withdefault(kName, 0) == 0);
  CHECK(gasnett_getenv_int_withdefault(kName, -3, 0) == -3);
  CHECK(gasnett_getenv_dbl_withdefault(kName, 0.5) == 0.5);

  gasnett_setenv(kName, "with spaces and 'quotes'");
  CHECK(strcmp(gasnett_getenv(kName), "with spaces and 'quotes'") == 0);
  CHECK(strcmp(gasnett_getenv_withdefault(kName, "default"), "with spaces and 'quotes'") == 0);

  const char* const yes[] = {"1", "y", "Y", "yes", "YES", "Yes"};
  const char* const no[] = {"0", "n", "N", "no", "NO", "No"};
  for (int word = 0; word < 6; ++word) {
    gasnett_setenv(kName, yes[word]);
    CHECK(gasnett_getenv_yesno_withdefault(kName, 0) == 1);
    gasnett_setenv(kName, no[word]);
    CHECK(gasnett_getenv_yesno_withdefault(kName, 1) == 0);
  }
  gasnett_setenv(kName, ""); /* as good as not set */
  CHECK(gasnett_getenv_yesno_withdefault(kName, 1) == 1);
  CHECK(gasnett_getenv_int_withdefault(kName, 9, 0) == 9);

  gasnett_setenv(kName, "0x10");
  CHECK(gasnett_getenv_int_withdefault(kName, 0, 0) == 16);
  gasnett_setenv(kName, "1.5MB");
  CHECK(gasnett_getenv_int_withdefault(kName, 0, 1) == 3 << 19);
  gasnett_setenv(kName, "3");
  CHECK(gasnett_getenv_int_withdefault(kName, 0, 1024) == 3072);

  gasnett_setenv(kName, "1.5");
  CHECK(gasnett_getenv_dbl_withdefault(kName, 0) == 1.5);
  gasnett_setenv(kName, "-1e4");
  CHECK(gasnett_getenv_dbl_withdefault(kName, 0) == -1e4);
  gasnett_setenv(kName, "3/8");
  CHECK(gasnett_getenv_dbl_withdefault(kName, 0) == 0.375);
  gasnett_unsetenv(kName);
  CHECK(gasnett_getenv(kName) == NULL);
}

int main(void) {
  test_format();
  test_parse();
  test_settings();
  gasnett_unsetenv("GASNET_VERBOSEENV");
  CHECK(gasnett_verboseenv() == 0);
  gasnett_setenv("GASNET_VERBOSEENV", "1");
  CHECK(gasnett_verboseenv() == 1);
  return 0;
}
